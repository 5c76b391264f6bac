//! One walk through the program for many valuations at once.
//!
//! Neighbours in the sorted rows agree on most variables. So most conditions have the same value for all rows
//! of a batch. This common value follows from the variables on which the rows agree, and from the bounds of the
//! other variables. Single rows need not be inspected. Where a condition has different values, the batch splits
//! in two, and each part is followed to the end of the call. At worst, with one row in each part, this is the
//! plain interpreter, against which it is tested.

use super::interval::{Interval, Ranges, Ranging};
use super::slots::Slots;
use crate::Check;
use kernel::Work;
use kernel::reactive::plain::{Evaluator, PrintedLetter, Scope, outcome, too_early};
use kernel::reactive::walk::{CallStep, Walk};
use model::{ExprId, Outcome, Reactive, VarId};
use std::rc::Rc;

/// Numbers, one for each row of a batch.
#[derive(Debug)]
pub(crate) struct Column {
    lo: i32,
    hi: i32,
    pub(crate) values: Vec<i32>,
}

/// The values of a variable, or of the letter, in the rows of a batch.
#[derive(Clone, Debug)]
pub(crate) enum Held {
    /// No value: the call must not read the variable yet.
    Poison,
    /// The same value in all rows.
    Same(i32),
    /// Different values, one for each row.
    Each(Rc<Column>),
}

impl Held {
    pub(crate) fn of(values: Vec<i32>) -> Self {
        let (mut lo, mut hi) = (i32::MAX, i32::MIN);
        for &value in &values {
            (lo, hi) = (lo.min(value), hi.max(value));
        }
        if lo == hi { Held::Same(lo) } else { Held::Each(Rc::new(Column { lo, hi, values })) }
    }

    /// The values in some of the rows.
    fn part(&self, of: &[u32]) -> Self {
        match self {
            Held::Each(column) => Held::of(of.iter().map(|&i| column.values[i as usize]).collect()),
            same => same.clone(),
        }
    }

    fn range(&self) -> Option<Interval> {
        match self {
            Held::Poison => None,
            Held::Same(value) => Some(Interval::just(*value)),
            Held::Each(column) => Some(Interval { lo: column.lo, hi: column.hi }),
        }
    }
}

/// The letter in some of the rows.
fn said_by(said: &PrintedLetter<Held>, of: &[u32]) -> PrintedLetter<Held> {
    match said {
        PrintedLetter::Letter(held) => PrintedLetter::Letter(held.part(of)),
        PrintedLetter::Nothing => PrintedLetter::Nothing,
        PrintedLetter::Several => PrintedLetter::Several,
    }
}

/// Rows that take the same way through a call.
#[derive(Clone)]
pub(crate) struct Batch<'p> {
    /// The numbers of the rows.
    pub(crate) rows: Rc<Vec<u32>>,
    /// The values, by place of the variable.
    pub(crate) held: Vec<Held>,
    walk: Walk<'p>,
    said: PrintedLetter<Held>,
    is_invalid: bool,
}

impl<'p> Batch<'p> {
    /// Creates a batch before a call, with the values of the slots.
    pub(crate) fn new(slots: &Slots<'p>, rows: Vec<u32>, mut held: Vec<Held>) -> Self {
        held.resize(slots.places, Held::Poison);
        Self {
            rows: Rc::new(rows),
            held,
            walk: Walk::new(slots.program),
            said: PrintedLetter::Nothing,
            is_invalid: false,
        }
    }

    fn part(&self, of: &[u32]) -> Self {
        Self {
            rows: Rc::new(of.iter().map(|&i| self.rows[i as usize]).collect()),
            held: self.held.iter().map(|held| held.part(of)).collect(),
            walk: self.walk.clone(),
            said: said_by(&self.said, of),
            is_invalid: self.is_invalid,
        }
    }
}

/// Receives batches at the end of a call.
pub(crate) trait Sink {
    /// All rows of the batch end with this outcome. For [`Outcome::Error`] and [`Outcome::Crash`] the values of
    /// the variables mean nothing.
    fn ended(&mut self, batch: &Batch<'_>, outcome: Outcome, work: &mut Work<'_>) -> Check<()>;
}

struct All<'a, 'p>(&'a Slots<'p>, &'a Batch<'p>);

impl Ranges for All<'_, '_> {
    fn range(&self, var: VarId) -> Option<Interval> {
        match self.0.place(var) {
            Some(place) => self.1.held[place].range(),
            None => Some(Interval::just(self.0.program.initial()[var.index()])),
        }
    }
}

struct One<'a, 'p>(&'a Slots<'p>, &'a Batch<'p>, usize);

impl Scope for One<'_, '_> {
    fn value(&self, var: VarId) -> Check<i32> {
        let Some(place) = self.0.place(var) else { return Ok(self.0.program.initial()[var.index()]) };
        match &self.1.held[place] {
            Held::Poison => too_early(self.0.program, var),
            Held::Same(value) => Ok(*value),
            Held::Each(column) => Ok(column.values[self.2]),
        }
    }
}

/// Follows batches through calls.
pub(crate) struct Batches<'a, 'p> {
    slots: &'a Slots<'p>,
    program: &'p Reactive,
    ranging: Ranging,
    evaluator: Evaluator,
    waiting: Vec<Batch<'p>>,
}

impl<'a, 'p> Batches<'a, 'p> {
    pub(crate) fn new(slots: &'a Slots<'p>) -> Self {
        let (ranging, evaluator) = (Ranging::default(), Evaluator::default());
        Self { slots, program: slots.program, ranging, evaluator, waiting: Vec::new() }
    }

    /// Makes one call from each row, all with the same input.
    pub(crate) fn call(&mut self, batch: Batch<'p>, input: i32, sink: &mut dyn Sink, work: &mut Work<'_>) -> Check<()> {
        self.waiting.clear();
        self.waiting.push(batch);
        while let Some(batch) = self.waiting.pop() {
            self.follow(batch, input, sink, work)?;
        }
        Ok(())
    }

    /// Follows a batch to its end. Parts that split off are queued.
    fn follow(&mut self, mut batch: Batch<'p>, input: i32, sink: &mut dyn Sink, work: &mut Work<'_>) -> Check<()> {
        loop {
            work.spend(1)?;
            let step = batch.walk.advance();
            let value = match step {
                CallStep::Assign(_, expr)
                | CallStep::Test(expr)
                | CallStep::Print(expr)
                | CallStep::Return { value: expr, .. } => match self.value(&mut batch, input, expr, sink, work)? {
                    Some(value) => value,
                    None => return Ok(()),
                },
                _ => Held::Poison,
            };
            match step {
                CallStep::Assign(var, _) => {
                    let place = self.slots.place(var);
                    debug_assert!(place.is_some(), "assigned variables have a place");
                    if let Some(place) = place {
                        batch.held[place] = value;
                    }
                }
                CallStep::Test(_) => self.decide(&mut batch, &value),
                CallStep::Print(_) => {
                    batch.said = std::mem::replace(&mut batch.said, PrintedLetter::Nothing).and(value)
                }
                CallStep::Return { of_call: true, .. } => {
                    batch.said = PrintedLetter::Letter(value);
                    return self.end(batch, sink, work);
                }
                CallStep::Return { .. } => {}
                CallStep::Invalid => batch.is_invalid = true,
                CallStep::Error(error) => return sink.ended(&batch, Outcome::Error(error), work),
                CallStep::Crash => return sink.ended(&batch, Outcome::Crash, work),
                CallStep::End => return self.end(batch, sink, work),
            }
        }
    }

    /// Evaluates an expression in all rows. Rows that crash leave the batch. `None` if all rows crash.
    fn value(
        &mut self,
        batch: &mut Batch<'p>,
        input: i32,
        expr: ExprId,
        sink: &mut dyn Sink,
        work: &mut Work<'_>,
    ) -> Check<Option<Held>> {
        let seen = self.ranging.see(self.program, input, &All(self.slots, batch), expr, work)?;
        if let (Some(value), false, None) = (seen.value.and_then(Interval::single), seen.may_crash, seen.poison) {
            return Ok(Some(Held::Same(value)));
        }
        let mut values = Vec::with_capacity(batch.rows.len());
        let (mut left, mut crashed) = (Vec::new(), Vec::new());
        for (row, number) in (0..batch.rows.len()).zip(0u32..) {
            match self.evaluator.value(self.program, input, &One(self.slots, batch, row), expr, work)? {
                Some(value) => {
                    values.push(value);
                    left.push(number);
                }
                None => crashed.push(number),
            }
        }
        if crashed.is_empty() {
            return Ok(Some(Held::of(values)));
        }
        sink.ended(&batch.part(&crashed), Outcome::Crash, work)?;
        if left.is_empty() {
            return Ok(None);
        }
        *batch = batch.part(&left);
        Ok(Some(Held::of(values)))
    }

    /// Continues with the rows for which the condition is true, and queues the others. If all rows agree,
    /// nothing is queued.
    fn decide(&mut self, batch: &mut Batch<'p>, value: &Held) {
        match value {
            Held::Each(column) => {
                let numbers = (0u32..).zip(&column.values);
                let (yes, no): (Vec<_>, Vec<_>) = numbers.partition(|&(_, &value)| value != 0);
                let of = |part: Vec<(u32, &i32)>| part.into_iter().map(|(number, _)| number).collect::<Vec<u32>>();
                let (yes, no) = (of(yes), of(no));
                if !no.is_empty() && !yes.is_empty() {
                    let mut other = batch.part(&no);
                    other.walk.decide(false);
                    self.waiting.push(other);
                    *batch = batch.part(&yes);
                }
                batch.walk.decide(!yes.is_empty());
            }
            Held::Same(value) => batch.walk.decide(*value != 0),
            Held::Poison => debug_assert!(false, "values are known"),
        }
    }

    /// Ends the call, with one outcome for each letter.
    fn end(&mut self, mut batch: Batch<'p>, sink: &mut dyn Sink, work: &mut Work<'_>) -> Check<()> {
        let convention = self.program.convention();
        while let PrintedLetter::Letter(Held::Each(column)) = &batch.said {
            work.spend(column.values.len() as u64)?;
            let column = Rc::clone(column);
            let numbers = 0..batch.rows.len() as u32;
            let (same, rest): (Vec<u32>, Vec<u32>) =
                numbers.partition(|&number| column.values[number as usize] == column.values[0]);
            let outcome = outcome(convention, PrintedLetter::Letter(column.values[0]), batch.is_invalid);
            sink.ended(&batch.part(&same), outcome, work)?;
            batch = batch.part(&rest);
        }
        let said = match batch.said {
            PrintedLetter::Letter(Held::Same(letter)) => PrintedLetter::Letter(letter),
            PrintedLetter::Several => PrintedLetter::Several,
            _ => PrintedLetter::Nothing,
        };
        sink.ended(&batch, outcome(convention, said, batch.is_invalid), work)
    }
}
