//! Regular expressions, and conditions that only ask whether there is a match. The result of `match` is an array with
//! more properties, which is not read.

use super::{Compiler, Res, at};
use crate::code::Op;
use crate::matching::MATCHES;
use crate::regex::{Flags, Regex};
use oxc_ast::ast::{BinaryExpression, Expression, RegExpFlags, RegExpLiteral};
use oxc_span::GetSpan;

impl Compiler<'_> {
    pub(super) fn regex(&mut self, literal: &RegExpLiteral<'_>) -> Res<()> {
        let (span, all) = (at(literal.span), literal.regex.flags);
        let flags = Flags {
            is_global: all.contains(RegExpFlags::G),
            ignores_case: all.contains(RegExpFlags::I),
            is_multiline: all.contains(RegExpFlags::M),
        };
        let hint = "docs/bpjs.md describes what is read; otherwise use `indexOf`, `startsWith`, `split`";
        if !(RegExpFlags::G | RegExpFlags::I | RegExpFlags::M).contains(all) {
            return self.unsupported(span, "this flag of a regular expression is not read", hint);
        }
        let pattern = literal.regex.pattern.text.as_str();
        if let Err(what) = Regex::new(pattern, flags) {
            return self.unsupported(span, &format!("{what} in a regular expression is not read"), hint);
        }
        self.emit(Op::NewRegex(pattern.into(), flags), span);
        Ok(())
    }

    /// Compiles an expression of which only the truth counts.
    pub(super) fn condition(&mut self, tree: &Expression<'_>) -> Res<()> {
        if self.matches(tree)? { Ok(()) } else { self.expression(tree) }
    }

    /// Compiles the left side of an operator. A `match` that is compared with `null` becomes `null` or `true`.
    pub(super) fn left(&mut self, tree: &BinaryExpression<'_>, left: &Expression<'_>) -> Res<()> {
        let is_comparison = tree.operator.is_equality() && matches!(tree.right, Expression::NullLiteral(_));
        if is_comparison { self.condition(left) } else { self.expression(left) }
    }

    /// Compiles `text.match(regex)` to `null` or `true`. Returns false for other expressions.
    fn matches(&mut self, tree: &Expression<'_>) -> Res<bool> {
        let Expression::CallExpression(call) = tree else { return Ok(false) };
        let Expression::StaticMemberExpression(member) = &call.callee else { return Ok(false) };
        let [argument] = call.arguments.as_slice() else { return Ok(false) };
        let Some(argument) = argument.as_expression() else { return Ok(false) };
        if member.property.name != "match" || member.optional || call.optional {
            return Ok(false);
        }
        self.expression(&member.object)?;
        self.expression(argument)?;
        self.emit(Op::Method(MATCHES.into(), 1), at(tree.span()));
        Ok(true)
    }
}
