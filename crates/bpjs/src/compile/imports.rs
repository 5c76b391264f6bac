//! Names of Java. `importPackage` and `importClass` bring them into a program of BPjs, and change nothing else. Classes
//! of Java are not read, so the calls are read as nothing. The use of a name that only they can bring is an error:
//!
//! 1. A name that the program declares, or that the environment has, comes before the names of packages. A class of
//!    such a name is not imported.
//! 2. Any other name is unknown, which is an error, but for `typeof`, and for a variable without a declaration before
//!    its first assignment. Both are refused in a program with imports ([`Compiler::open_name`]).

use super::{Compiler, Res, at};
use crate::names;
use formats::codes;
use formats::error::{Span, printable};
use oxc_ast::ast::{Argument, CallExpression, Expression};

/// The global names that paths of Java begin with.
const ROOTS: [&str; 7] = ["Packages", "java", "javax", "org", "com", "edu", "net"];

impl Compiler<'_> {
    /// Reads a call that only brings names of Java. Returns false if this is no such call.
    pub(super) fn is_import(&mut self, call: &CallExpression<'_>) -> Res<bool> {
        let Expression::Identifier(callee) = &call.callee else { return Ok(false) };
        let is_class = callee.name == "importClass";
        if !(is_class || callee.name == "importPackage") || self.is_known(&callee.name) {
            return Ok(false);
        }
        for argument in &call.arguments {
            self.imported(argument, is_class)?;
        }
        self.has_imports = true;
        Ok(true)
    }

    fn imported(&self, argument: &Argument<'_>, is_class: bool) -> Res<()> {
        let span = at(oxc_span::GetSpan::span(argument));
        let (what, hint) = if is_class { ("class", "java.util.ArrayList") } else { ("package", "java.util") };
        let last = argument.as_expression().and_then(|path| self.last_of_path(path));
        let Some(last) = last.filter(|last| last.starts_with(|c: char| c.is_ascii_uppercase()) == is_class) else {
            let message = format!("this is not read as the name of a {what} of Java");
            return self.unsupported(span, &message, &format!("write the whole name of a {what}, as `{hint}`"));
        };
        // The class of event sets is read.
        if is_class && last != "EventSets" && self.is_known(last) {
            let message = format!("`{}` is the name of something else, too", printable(last));
            return self.unsupported(span, &message, "give the other one another name");
        }
        Ok(())
    }

    /// Returns the last name of a path such as `Packages.a.b`.
    fn last_of_path<'t>(&self, path: &'t Expression<'_>) -> Option<&'t str> {
        let Expression::StaticMemberExpression(member) = path else { return None };
        let mut inner = member;
        while let Expression::StaticMemberExpression(next) = &inner.object {
            inner = next;
        }
        let Expression::Identifier(root) = &inner.object else { return None };
        let is_java = ROOTS.contains(&root.name.as_str()) && !self.is_known(&root.name);
        is_java.then(|| member.property.name.as_str())
    }

    /// Remembers a name that means nothing here, and that a class of Java may have. Such names begin with a capital.
    pub(super) fn open_name(&mut self, name: &str, span: Span) {
        if !name.starts_with(|c: char| c.is_ascii_uppercase()) {
            return;
        }
        self.open_name.get_or_insert_with(|| (name.into(), span));
    }

    /// Refuses a program with imports in which the meaning of a name depends on them.
    pub(super) fn check_imports(&self) -> Res<()> {
        let Some((name, span)) = self.open_name.as_ref().filter(|_| self.has_imports) else { return Ok(()) };
        let name = printable(name);
        let message = format!("`{name}` may be a name of Java, because the program has `importPackage`");
        let error = self.error(&codes::JS_UNSUPPORTED, *span, message).label("a variable, or a class of Java?");
        Err(error.hint(format!("declare `{name}` with `let`, or leave `importPackage` out")))
    }

    /// True if `typeof` of this name gives `undefined`: BPjs does not have it, and the program does not declare it.
    pub(super) fn is_undefined(&self, name: &str) -> bool {
        !self.is_known(name) && !names::is_unread(name)
    }

    /// The hint for an unknown name that is similar to no other name.
    pub(super) fn unknown_hint(&self) -> &'static str {
        let has = |call: &str| self.source.text.contains(call);
        if has("importPackage(") || has("importClass(") {
            return "classes of Java, which `importPackage` and `importClass` name, are not read";
        }
        "variables are declared with `const`, `let` or `var`"
    }
}
