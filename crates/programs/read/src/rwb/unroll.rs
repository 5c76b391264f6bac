//! Unrolling of `for`, `when` and `repeat`, round by round, with the names that each round binds.

use super::ast::Expr;
use super::ast::{Node, Range, Span, Word};
use super::elaborate::Elaborator;
use super::expr::Value;
use super::parse::Res;
use formats::codes;
use formats::error::{Error, printable};
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};

impl<'a> Elaborator<'a> {
    /// Unrolls a list: calls `visit` for every plain element, in order.
    ///
    /// # Errors
    /// An error that ends reading. All other errors are recorded.
    pub(super) fn each<'t, T>(
        &mut self,
        list: &'t [Node<'a, T>],
        visit: &mut dyn FnMut(&mut Self, &'t T) -> Res<()>,
    ) -> Res<()> {
        for node in list {
            let address = std::ptr::from_ref(node).addr();
            if matches!(node, Node::Broken) || (!self.wrong.is_empty() && self.wrong.contains(&address)) {
                self.holes += 1;
                continue;
            }
            if let Err(error) = self.node(node, visit) {
                self.holes += 1;
                self.wrong.insert(address);
                self.errors.note(error)?;
            }
        }
        Ok(())
    }

    fn node<'t, T>(&mut self, node: &'t Node<'a, T>, visit: &mut dyn FnMut(&mut Self, &'t T) -> Res<()>) -> Res<()> {
        match node {
            Node::Plain(element) => visit(self, element)?,
            Node::For(inner) => {
                let span = inner.range.span();
                let count = self.range(&inner.range);
                // The body may declare any name.
                self.scope.is_doubtful |= count.is_err();
                let (from, count) = count?;
                for round in 0..count {
                    self.meter.work(1, span)?;
                    self.in_round(inner.variable, Value::Number(&from + round), |e| e.each(&inner.body, visit))?;
                }
            }
            Node::If(inner) => {
                self.meter.work(1, inner.condition.span)?;
                let holds = self.eval(&inner.condition);
                self.scope.is_doubtful |= holds.is_err();
                let holds = !holds?.is_zero();
                self.each(if holds { &inner.then } else { &inner.otherwise }, visit)?;
            }
            Node::Broken => {}
        }
        Ok(())
    }

    /// Returns the lower end of a half-open range, and its length.
    fn range(&mut self, range: &Range<'a>) -> Res<(BigInt, usize)> {
        let (from, to) = (self.eval(&range.from)?, self.eval(&range.to)?);
        let count = self.rounds(&from, &to, range.span())?;
        Ok((from, count))
    }

    /// Runs `inner` with `var` bound to `value`.
    pub(super) fn in_round(
        &mut self,
        var: Word<'a>,
        value: Value,
        inner: impl FnOnce(&mut Self) -> Res<()>,
    ) -> Res<()> {
        let (height, base) = (self.scope.height(), self.scope_base);
        self.scope_base = height;
        let result = self.bind(var, value, true).and_then(|()| inner(self));
        self.scope.truncate(height);
        self.scope_base = base;
        result
    }

    /// Returns the value of a name.
    pub(super) fn value_of(&self, name: &str) -> Option<&Value> {
        self.scope.get(name)
    }

    /// Returns the length of a half-open range.
    pub(super) fn rounds(&mut self, from: &BigInt, to: &BigInt, span: Span) -> Res<usize> {
        if from > to {
            return Err(self.backward_range(from, to, span));
        }
        let count = (to - from).to_usize().unwrap_or(usize::MAX);
        if count > self.limits.unrolled { self.meter.work(count, span).map(|()| 0) } else { Ok(count) }
    }

    pub(super) fn backward_range(&self, from: &BigInt, to: &BigInt, span: Span) -> Box<Error> {
        let (from, to) = (printable(&from.to_string()), printable(&to.to_string()));
        self.error(&codes::RWB_BACKWARD_RANGE, span, format!("the range {from}..{to} runs backwards"))
            .label("expected the lower end first")
            .hint("ranges are half-open: `2..2` is empty, `2..3` is just 2")
    }

    /// Returns the count of a `repeat`.
    pub(super) fn repeat_count(&mut self, expr: &Expr<'a>) -> Res<usize> {
        let count = self.eval(expr)?;
        if count.is_negative() {
            let message = format!("a repetition of {} times", printable(&count.to_string()));
            return Err(self.error(&codes::RWB_NEGATIVE_REPEAT, expr.span, message).label("expected 0 or more"));
        }
        self.rounds(&BigInt::zero(), &count, expr.span)
    }
}
