//! Classes (`class C[i] n { .. }`), which declare one thread for each index, and numbers that are left open
//! (`const n = *`).
//!
//! If the count is a number, a class is a `for` over a thread. If the count is left open, nothing can be
//! unrolled: the members are read once, for an index without a value. An event array over all indices then has
//! two elements, one for the index of *this* thread and one that stands for every other index, and `i` may only
//! select between these two. So no thread can distinguish indices, and counting the threads in each state loses
//! nothing ([`super::counters`]).

use super::ast::{Argument, Class, Expr, List, Member, Name, Op, Span, Word};
use super::elaborate::Elaborator;
use super::event_table::ELEMENTS;
use super::expr::{RangeId, Value};
use super::lex::Tok;
use super::parse::{Parser, Res};
use super::symbolic::Symbol;
use formats::codes;
use formats::error::{Error, printable};
use num_bigint::BigInt;
use num_traits::Zero;
use std::ops::Range;

impl<'a> Parser<'a> {
    /// Parses a class after the word `class`.
    pub(super) fn class(&mut self) -> Res<Class<'a>> {
        let base = self.word("the name of a class")?;
        self.expect(Tok::OpenIndex, "`[`")?;
        let index = self.word("the name of an index")?;
        self.expect(Tok::CloseIndex, "`]`")?;
        if self.tok == Tok::Star {
            let error = self.unexpected("the number of threads");
            return Err(
                error.hint("declare `const n = *`, so that events can have as many indices, and write `n` here")
            );
        }
        Ok(Class { base, index, count: self.expr()?, members: self.block()? })
    }
}

impl<'a> Elaborator<'a> {
    pub(super) fn declare_class(&mut self, class: &Class<'a>) -> Res<()> {
        let name = Name {
            base: class.base,
            indices: Box::new([Expr {
                code: Box::new([(Op::Name(class.index.text), class.index.span)]),
                span: class.index.span,
            }]),
            span: class.base.span.to(class.index.span),
        };
        if let Some(range) = self.any_number(&class.count) {
            let range = self.use_range(range);
            let full = format!("{}[{}]", class.base.text, class.index.text);
            return self.in_round(class.index, Value::Index(self.ranges[range].0), |e| {
                e.add_thread(full, name.span, &class.members, Some(range))
            });
        }
        let count = self.eval(&class.count)?;
        for round in 0..self.rounds(&BigInt::zero(), &count, class.count.span)? {
            self.meter.work(1, class.count.span)?;
            self.in_round(class.index, Value::Number(BigInt::from(round)), |e| {
                e.declare_thread(&name, &class.members)
            })?;
        }
        Ok(())
    }

    /// Returns the open range that `expr` names as its size.
    pub(super) fn any_number(&self, expr: &Expr<'a>) -> Option<RangeId> {
        match self.value_of_name(expr)? {
            Value::Any(range) => Some(*range),
            Value::Number(_) | Value::Index(_) => None,
        }
    }

    /// Returns the value of an expression that is a name.
    fn value_of_name(&self, expr: &Expr<'a>) -> Option<&Value> {
        match &*expr.code {
            [(Op::Name(name), _)] => self.value_of(name),
            _ => None,
        }
    }

    /// Returns the number of an open range, and marks it as used.
    pub(super) fn use_range(&mut self, id: RangeId) -> usize {
        self.ranges.iter().position(|(known, _)| *known == id).unwrap_or_else(|| {
            let start = id.0.range();
            self.ranges.push((id, self.source.text[start].to_owned()));
            self.ranges.len() - 1
        })
    }

    /// Returns the elements that a selector along `range` names.
    pub(super) fn class_selector(&self, selector: &Argument<'a>, range: usize, base: Word<'a>) -> Res<Range<usize>> {
        let (expr, to) = match selector {
            Argument::Any => return Ok(0..ELEMENTS),
            Argument::One(expr) => (expr, expr),
            Argument::Range(range) => (&range.from, &range.to),
        };
        let span = expr.span.to(to.span);
        let own = match (selector, self.value_of_name(expr)) {
            (Argument::One(_), Some(Value::Index(id))) => Some(*id == self.ranges[range].0),
            _ => None,
        };
        if own == Some(true) {
            return Ok(0..1);
        }
        let (name, count) = (printable(base.text), printable(&self.ranges[range].1));
        let message = match own {
            Some(_) => format!("this index does not belong to `{name}`, which has {count} indices"),
            None => format!("this singles out one of the events `{name}`, of which there is any number"),
        };
        let error = self.error(&codes::RWB_CLASS_INDEX, span, message);
        Err(error.label("expected `*` or the index of the class around it").hint(format!(
            "threads of a class may name their own event and all of them (`{name}[*]`), but no neighbours and no \
             numbers; with `const {count} = 3` or the like the program is an ordinary one"
        )))
    }

    pub(super) fn two_ranges(&self, name: &Name<'a>) -> Box<Error> {
        let message = format!("the event `{}` has two indices of any number", printable(name.base.text));
        self.error(&codes::RWB_CLASS_EVENT, name.span, message)
            .label("expected one at most")
            .hint("an event that two threads of classes share by their indices cannot be counted")
    }

    /// Adds a thread. `range` is the open range of its class, if it has one.
    pub(super) fn add_thread(
        &mut self,
        full: String,
        span: Span,
        members: &List<'a, Member<'a>>,
        range: Option<usize>,
    ) -> Res<()> {
        self.meter.thread(span)?;
        if let Some(first) = self.thread_places.insert(full.clone(), span) {
            return Err(self.duplicate("thread", &full, span, first));
        }
        let made = self.thread(full, span, members)?;
        self.threads.push(made.thread);
        self.state_places.push(made.places);
        self.finals.push(made.finals);
        self.priorities.push(made.priorities);
        self.thread_spans.push(span);
        self.classes.push(range);
        Ok(())
    }

    /// Returns the meaning of each symbolic event.
    pub(super) fn symbols(&self) -> Vec<Symbol> {
        let mut symbols = vec![Symbol::Plain; self.events.len()];
        for array in &self.events.arrays {
            let Some((dimension, range)) = array.over else { continue };
            let stride: usize = array.sizes[dimension + 1..].iter().product();
            for own in (0..array.count).filter(|i| (i / stride).is_multiple_of(ELEMENTS)) {
                symbols[array.first + own] = Symbol::Own { range, other: array.first + own + stride };
                symbols[array.first + own + stride] = Symbol::Other;
            }
        }
        symbols
    }
}
