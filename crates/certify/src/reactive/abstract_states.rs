//! Calls from rows with cells: what a call may do, in the sense of [`model::Valuations`]. A cell is an interval
//! of values of a variable. A *way* is one path through a call.
//!
//! 1. For every valuation of a row, one of the ways followed here does what the call does to this valuation,
//!    with its values in the intervals of the way. Proof: by induction over the conditions and assignments of
//!    the call. Each is followed for all outcomes that the intervals allow.
//! 2. Ways that no valuation takes do no harm. Proof: they only require that the set contains more rows.
//! 3. A division that may crash may continue with the divisors that do not crash. Proof: a crash has no
//!    successor.

use super::interval::{Interval, Ranges, Ranging};
use super::slots::{Slots, cell, cell_of};
use crate::{Check, reject};
use kernel::Work;
use kernel::reactive::plain::{PrintedLetter, outcome, too_early};
use kernel::reactive::walk::{CallStep, Walk};
use model::{ExprId, Holds, Outcome, VarId};

/// Largest number of values that an exact slot or a letter may take in one step.
const VALUES: u32 = 256;

/// One way through a call.
#[derive(Clone)]
struct Way<'p> {
    /// For each place ([`Slots`]): the interval of its variable. `None` if the call must not read the variable
    /// yet.
    ranges: Vec<Option<Interval>>,
    walk: Walk<'p>,
    said: PrintedLetter<Interval>,
    is_invalid: bool,
}

struct Scope<'a, 'p>(&'a Slots<'p>, &'a Way<'p>);

impl Ranges for Scope<'_, '_> {
    fn range(&self, var: VarId) -> Option<Interval> {
        match self.0.place(var) {
            Some(place) => self.1.ranges[place],
            None => Some(Interval::just(self.0.program.initial()[var.index()])),
        }
    }
}

/// Receives the ends of ways.
pub(crate) trait Ends {
    /// Called if a call that begins in row `from` may end with this outcome, in this row.
    fn ended(&mut self, from: usize, outcome: Outcome, row: &[i32], work: &mut Work<'_>) -> Check<()>;

    /// True if it matters which letter is output. It does not matter if no formula is claimed.
    fn hears_letters(&self) -> bool;
}

/// Follows single calls from rows.
pub(crate) struct Calls<'a, 'p> {
    slots: &'a Slots<'p>,
    ranging: Ranging,
    waiting: Vec<Way<'p>>,
    row: Vec<i32>,
}

impl<'a, 'p> Calls<'a, 'p> {
    pub(crate) fn new(slots: &'a Slots<'p>) -> Self {
        Self { slots, ranging: Ranging::default(), waiting: Vec::new(), row: Vec::new() }
    }

    /// Follows all ways of a call with this input, from the valuations of a row.
    pub(crate) fn call(
        &mut self,
        from: usize,
        row: &[i32],
        input: i32,
        ends: &mut dyn Ends,
        work: &mut Work<'_>,
    ) -> Check<()> {
        let mut ranges = vec![None; self.slots.places];
        for (slot, (range, &value)) in ranges.iter_mut().zip(row).enumerate() {
            *range = self.slots.meaning(slot, value);
            if range.is_none() {
                return reject(format!("`{}` has no cell {value}", self.slots.program.name(self.slots.slots[slot].0)));
            }
        }
        self.waiting.clear();
        self.waiting.push(Way {
            ranges,
            walk: Walk::new(self.slots.program),
            said: PrintedLetter::Nothing,
            is_invalid: false,
        });
        while let Some(way) = self.waiting.pop() {
            self.way(way, from, input, ends, work)?;
        }
        Ok(())
    }

    /// Follows one way to its end. Other ways that branch off are queued.
    fn way(
        &mut self,
        mut way: Way<'p>,
        from: usize,
        input: i32,
        ends: &mut dyn Ends,
        work: &mut Work<'_>,
    ) -> Check<()> {
        loop {
            work.spend(1)?;
            let step = way.walk.advance();
            let value = match step {
                CallStep::Assign(_, expr)
                | CallStep::Test(expr)
                | CallStep::Print(expr)
                | CallStep::Return { value: expr, .. } => match self.value(&way, input, expr, work)? {
                    Some(value) => value,
                    None => return Ok(()),
                },
                _ => Interval::just(0),
            };
            match step {
                CallStep::Assign(var, _) => self.assign(&mut way, var, value, work)?,
                CallStep::Test(_) => {
                    if value.may_be_true() && value.may_be_false() {
                        let mut other = way.clone();
                        other.walk.decide(false);
                        self.wait(other, work)?;
                    }
                    way.walk.decide(value.may_be_true());
                }
                CallStep::Print(_) => way.said = way.said.and(value),
                CallStep::Return { of_call: true, .. } => {
                    way.said = PrintedLetter::Letter(value);
                    return self.end(&way, from, ends, work);
                }
                CallStep::Return { .. } => {}
                CallStep::Invalid => way.is_invalid = true,
                CallStep::Error(error) => return ends.ended(from, Outcome::Error(error), &[], work),
                CallStep::Crash => return Ok(()),
                CallStep::End => return self.end(&way, from, ends, work),
            }
        }
    }

    fn value(&mut self, way: &Way<'p>, input: i32, expr: ExprId, work: &mut Work<'_>) -> Check<Option<Interval>> {
        let seen = self.ranging.see(self.slots.program, input, &Scope(self.slots, way), expr, work)?;
        match seen.poison {
            Some(var) => too_early(self.slots.program, var),
            None => Ok(seen.value),
        }
    }

    fn wait(&mut self, way: Way<'p>, work: &mut Work<'_>) -> Check<()> {
        work.spend(way.ranges.len() as u64)?;
        work.grow(way.ranges.len() * size_of::<Option<Interval>>())?;
        self.waiting.push(way);
        Ok(())
    }

    /// Continues with one way for each cell or value that the interval meets.
    fn assign(&mut self, way: &mut Way<'p>, var: VarId, value: Interval, work: &mut Work<'_>) -> Check<()> {
        let Some(place) = self.slots.place(var) else { return Ok(()) };
        match self.slots.holds(place) {
            None => way.ranges[place] = Some(value),
            Some(Holds::Exactly) => {
                self.few(value, &|| format!("`{}` is exact", self.slots.program.name(var)))?;
                for exact in value.lo..value.hi {
                    let mut other = way.clone();
                    other.ranges[place] = Some(Interval::just(exact));
                    self.wait(other, work)?;
                }
                way.ranges[place] = Some(Interval::just(value.hi));
            }
            Some(Holds::Cell(cuts)) => {
                let (first, last) = (cell_of(cuts, value.lo), cell_of(cuts, value.hi));
                let part = |k: i32| cell(cuts, usize::try_from(k).ok()?)?.within(value);
                for k in first..last {
                    let mut other = way.clone();
                    other.ranges[place] = part(k);
                    self.wait(other, work)?;
                }
                way.ranges[place] = part(last);
            }
        }
        debug_assert!(way.ranges[place].is_some(), "every number lies in a cell");
        Ok(())
    }

    fn few(&self, value: Interval, what: &dyn Fn() -> String) -> Check<()> {
        if value.hi.abs_diff(value.lo) < VALUES {
            return Ok(());
        }
        reject(format!("{}, and a call may give it any value from {} to {}", what(), value.lo, value.hi))
    }

    /// Reports one outcome for each possible letter.
    fn end(&mut self, way: &Way<'p>, from: usize, ends: &mut dyn Ends, work: &mut Work<'_>) -> Check<()> {
        self.row.clear();
        for (slot, range) in way.ranges[..self.slots.slots.len()].iter().enumerate() {
            let Some(range) = range else { return reject("a slot has no value") };
            self.row.push(match &self.slots.slots[slot].1 {
                Holds::Exactly => range.lo,
                Holds::Cell(cuts) => cell_of(cuts, range.lo),
            });
        }
        let convention = self.slots.program.convention();
        let letters = match way.said {
            _ if way.is_invalid => return ends.ended(from, Outcome::Invalid, &self.row, work),
            PrintedLetter::Letter(letters) => letters,
            PrintedLetter::Nothing => {
                return ends.ended(from, outcome(convention, PrintedLetter::Nothing, false), &self.row, work);
            }
            PrintedLetter::Several => return ends.ended(from, Outcome::Unspelt, &self.row, work),
        };
        if !ends.hears_letters() {
            return ends.ended(from, Outcome::Silent, &self.row, work);
        }
        self.few(letters, &|| "an output is one letter".to_owned())?;
        for letter in letters.lo..=letters.hi {
            ends.ended(from, outcome(convention, PrintedLetter::Letter(letter), false), &self.row, work)?;
        }
        Ok(())
    }
}
