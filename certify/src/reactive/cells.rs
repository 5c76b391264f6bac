//! Calls from rows with cells: what a call may do, in the sense of [`model::Valuations`].
//!
//! Sound: if a row has a valuation in it, then one of the ways followed here does what the call does to that valuation, with its
//! values in the intervals, condition by condition and assignment by assignment. Ways that no valuation takes do no harm; the set
//! then has to hold more than it would need to. A division that may crash goes on with the divisors that do not: after a crash there is nothing.

use super::closed::Closure;
use super::interval::{Interval, Ranges, Ranging};
use super::rows::Rows;
use super::slots::{Slots, cell, cell_of};
use crate::keys::Key;
use crate::{Check, reject};
use kernel::Work;
use kernel::reactive::plain::{Said, outcome, too_early};
use kernel::reactive::walk::{Step, Walk};
use model::{ExprId, Holds, InputId, Outcome, VarId};

/// How many values an exact slot or a letter may take in one step.
const VALUES: u32 = 256;

/// One way through a call.
#[derive(Clone)]
struct Way<'p> {
    /// By place of the variable; none where nobody may look.
    ranges: Vec<Option<Interval>>,
    walk: Walk<'p>,
    said: Said<Interval>,
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

/// Where ways end.
pub(crate) trait Ends {
    /// A call that begins in row `from` may end so, in this row.
    fn ended(&mut self, from: usize, outcome: Outcome, row: &[i32], work: &mut Work<'_>) -> Check<()>;

    /// Does it matter which letter is output? If only error labels are claimed, all that matters is where calls lead.
    fn hears_letters(&self) -> bool;
}

impl<K: Key + Ord> Ends for Closure<'_, '_, K> {
    fn ended(&mut self, from: usize, outcome: Outcome, row: &[i32], work: &mut Work<'_>) -> Check<()> {
        if self.goes_on(from, outcome)? { self.one(from, outcome, row, work) } else { Ok(()) }
    }

    fn hears_letters(&self) -> bool {
        self.claims_formulas()
    }
}

/// Follows all rows through all calls.
pub(crate) fn follow<K: Key + Ord>(
    slots: &Slots<'_>,
    rows: &Rows<K>,
    closure: &mut Closure<'_, '_, K>,
    work: &mut Work<'_>,
) -> Check<()> {
    let mut calls = Calls::new(slots);
    for number in 0..rows.keys.len() {
        let row = rows.row(number);
        for (letter, &input) in slots.program.inputs().iter().enumerate() {
            closure.input = InputId::new(letter);
            calls.call(number, &row, input, closure, work)?;
        }
    }
    Ok(())
}

/// Makes calls.
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

    /// All that a call with this input may make of the valuations of a row.
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
        self.waiting.push(Way { ranges, walk: Walk::new(self.slots.program), said: Said::Nothing, is_invalid: false });
        while let Some(way) = self.waiting.pop() {
            self.way(way, from, input, ends, work)?;
        }
        Ok(())
    }

    /// Goes one way to its end; where others branch off, they wait.
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
                Step::Assign(_, expr) | Step::Test(expr) | Step::Print(expr) | Step::Return { value: expr, .. } => {
                    match self.value(&way, input, expr, work)? {
                        Some(value) => value,
                        None => return Ok(()),
                    }
                }
                _ => Interval::just(0),
            };
            match step {
                Step::Assign(var, _) => self.assign(&mut way, var, value, work)?,
                Step::Test(_) => {
                    if value.may_be_true() && value.may_be_false() {
                        let mut other = way.clone();
                        other.walk.decide(false);
                        self.wait(other, work)?;
                    }
                    way.walk.decide(value.may_be_true());
                }
                Step::Print(_) => way.said = way.said.and(value),
                Step::Return { of_call: true, .. } => {
                    way.said = Said::Letter(value);
                    return self.end(&way, from, ends, work);
                }
                Step::Return { .. } => {}
                Step::Invalid => way.is_invalid = true,
                Step::Error(error) => return ends.ended(from, Outcome::Error(error), &[], work),
                Step::Crash => return Ok(()),
                Step::End => return self.end(&way, from, ends, work),
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

    /// One way for each cell, or value, that the interval meets.
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

    /// One outcome for each letter.
    fn end(&mut self, way: &Way<'p>, from: usize, ends: &mut dyn Ends, work: &mut Work<'_>) -> Check<()> {
        self.row.clear();
        for (slot, range) in way.ranges[..self.slots.slots.len()].iter().enumerate() {
            let Some(range) = range else { return reject("a slot without a value") };
            self.row.push(match &self.slots.slots[slot].1 {
                Holds::Exactly => range.lo,
                Holds::Cell(cuts) => cell_of(cuts, range.lo),
            });
        }
        let convention = self.slots.program.convention();
        let letters = match way.said {
            _ if way.is_invalid => return ends.ended(from, Outcome::Invalid, &self.row, work),
            Said::Letter(letters) => letters,
            Said::Nothing => return ends.ended(from, outcome(convention, Said::Nothing, false), &self.row, work),
            Said::Several => return ends.ended(from, Outcome::Unspelt, &self.row, work),
        };
        if !ends.hears_letters() {
            return ends.ended(from, Outcome::Silent, &self.row, work);
        }
        self.few(letters, &|| "an output is one letter".to_owned())?;
        for letter in letters.lo..=letters.hi {
            ends.ended(from, outcome(convention, Said::Letter(letter), false), &self.row, work)?;
        }
        Ok(())
    }
}
