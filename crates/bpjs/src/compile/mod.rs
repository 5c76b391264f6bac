//! Compiles a syntax tree to instructions.
//!
//! Each variable has a slot of its own in its function. A variable that an inner function uses lives in a box on the
//! heap, which both functions share. Whether a variable is captured is known at the end of its function, so its
//! instructions are replaced then.
//!
//! The functions recurse on the syntax tree; `depth::check` bounds its depth.

mod assign;
mod chain;
mod draft;
mod expr;
mod finally;
mod function;
mod imports;
mod loops;
mod pattern;
mod regex;
mod scope;
mod stmt;

use super::code::{Code, Function, Op};
use crate::files::Files;
use draft::{Draft, Kind};
use formats::codes::{self, Code as ErrorCode};
use formats::error::{Error, Span, Text};
use formats::source::Strategy;
use oxc_ast::ast::Program;
use std::cell::Cell;
use std::rc::Rc;

type Res<T> = Result<T, Box<Error>>;

/// What becomes of a name that nothing has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    /// It is an error.
    Plain,
    /// Only the names that are assigned without a declaration are collected.
    Collecting,
    /// It is an error where the program reads it.
    Lenient,
}

struct Compiler<'s> {
    source: Text<'s>,
    is_prelude: bool,
    functions: Vec<Function>,
    /// The functions around the current place, the innermost last.
    drafts: Vec<Draft>,
    /// The labels before the next statement.
    labels: Vec<Rc<str>>,
    pass: Pass,
    undeclared: Vec<Rc<str>>,
    /// True if the program brings names of Java.
    has_imports: bool,
    /// A name that may be one of them.
    open_name: Option<(Rc<str>, Span)>,
}

/// Compiles a script. Appends to `functions`. Returns all functions and the number of the function of the script.
///
/// A name that is assigned but never declared is a variable of the script. Such names are collected in a pass of
/// their own, if the first pass does not know a name. Others are an error when they are read, as in BPjs.
pub(super) fn script(
    source: Text<'_>,
    functions: Vec<Function>,
    is_prelude: bool,
    program: &Program<'_>,
) -> Res<(Vec<Function>, u32)> {
    let new = |pass, undeclared| Compiler {
        source,
        is_prelude,
        functions: functions.clone(),
        drafts: Vec::new(),
        labels: Vec::new(),
        pass,
        undeclared,
        has_imports: false,
        open_name: None,
    };
    match new(Pass::Plain, Vec::new()).script(program) {
        Err(error) if error.code() == codes::JS_UNKNOWN.code => {}
        result => return result.map(|(functions, main, _)| (functions, main)),
    }
    let (_, _, mut names) = new(Pass::Collecting, Vec::new()).script(program)?;
    names.sort_unstable();
    names.dedup();
    new(Pass::Lenient, names).script(program).map(|(functions, main, _)| (functions, main))
}

impl Compiler<'_> {
    /// Compiles a script. Returns all functions, the number of the function of the script, and the names that are
    /// assigned without a declaration.
    fn script(mut self, program: &Program<'_>) -> Res<(Vec<Function>, u32, Vec<Rc<str>>)> {
        self.drafts.push(Draft {
            name: "top level".into(),
            is_strict: program.has_use_strict_directive(),
            ..Draft::default()
        });
        self.open_scope();
        for name in self.undeclared.clone() {
            let slot = self.declare(&name, Kind::Implicit, Span::default())?;
            self.emit(Op::NewVar(slot, true), Span::default());
        }
        self.hoist_vars(&program.body)?;
        self.declare_block(&program.body)?;
        self.statements(&program.body)?;
        self.check_imports()?;
        let end = Span::new(self.source.text.len()..self.source.text.len());
        let main = self.finish(end)?;
        Ok((self.functions, main, self.undeclared))
    }

    fn draft(&mut self) -> &mut Draft {
        let last = self.drafts.len() - 1;
        &mut self.drafts[last]
    }

    fn emit(&mut self, op: Op, span: Span) -> usize {
        let draft = self.draft();
        draft.code.push(op);
        draft.spans.push(span);
        draft.code.len() - 1
    }

    /// Returns the number of the next instruction.
    fn here(&mut self) -> u32 {
        u32::try_from(self.draft().code.len()).unwrap_or(u32::MAX)
    }

    /// Lets the jump at `at` lead to the next instruction.
    fn land(&mut self, at: usize) {
        let here = self.here();
        match &mut self.draft().code[at] {
            Op::Jump(to)
            | Op::JumpIfFalse(to)
            | Op::JumpIfTrue(to)
            | Op::JumpFalseKeep(to)
            | Op::JumpTrueKeep(to)
            | Op::JumpSomeKeep(to)
            | Op::JumpNullish(to)
            | Op::JumpDefined(to)
            | Op::Next(to) => *to = here,
            _ => {}
        }
    }

    fn error(&self, code: &'static ErrorCode, span: Span, message: impl Into<String>) -> Box<Error> {
        self.source.error(code, span.range(), message)
    }

    fn unsupported<T>(&self, span: Span, what: &str, hint: &str) -> Res<T> {
        let error = self.error(&codes::JS_UNSUPPORTED, span, what.to_owned());
        Err(error.label("outside of the subset").hint(hint))
    }
}

/// Converts a span of the parser.
fn at(span: oxc_span::Span) -> Span {
    Span { start: span.start, end: span.end }
}

/// Puts the functions of the prelude and of the program together.
pub(super) fn link(functions: Vec<Function>, main: u32, prelude: usize, strategy: Strategy, files: Files) -> Code {
    let known = functions[..prelude].iter().enumerate();
    let prelude = known.filter_map(|(i, f)| Some((f.name.clone(), u32::try_from(i).ok()?))).collect();
    Code { functions, main, prelude, strategy, files, data: Cell::new(None) }
}
