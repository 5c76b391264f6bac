//! Checks the slots of a set of valuations, and numbers the variables that a call can change.

use super::interval::Interval;
use crate::{Check, reject};
use model::reactive::Stmt;
use model::{Holds, Reactive, Valuations, VarId};

/// The place of a variable that is no slot and is never assigned. It keeps its initial value.
const CONSTANT: u32 = u32::MAX;

/// The variables that have a place while a call is followed: first the slots, then all other variables that are
/// assigned somewhere. The values of these other variables are unknown before the call.
pub(crate) struct Slots<'a> {
    pub(crate) program: &'a Reactive,
    pub(crate) slots: &'a [(VarId, Holds)],
    /// For each [`VarId`]: the place of the variable, or `CONSTANT`.
    place: Vec<u32>,
    /// Number of variables that have a place.
    pub(crate) places: usize,
}

impl<'a> Slots<'a> {
    pub(crate) fn new(program: &'a Reactive, valuations: &'a Valuations) -> Check<Self> {
        let mut place = vec![CONSTANT; program.var_count()];
        let mut places = 0;
        for (var, holds) in &valuations.slots {
            match place.get_mut(var.index()) {
                Some(place) if *place == CONSTANT => *place = places,
                Some(_) => return reject(format!("two slots are about `{}`", program.name(*var))),
                None => return reject(format!("the program has no variable number {}", var.0)),
            }
            places += 1;
            if let Holds::Cell(cuts) = holds {
                let ascending = cuts.windows(2).all(|pair| pair[0] < pair[1]);
                if !ascending || cuts.first() == Some(&i32::MIN) {
                    return reject(format!("the cuts of `{}` are not ascending", program.name(*var)));
                }
            }
        }
        for stmt in program.all_stmts() {
            if let Stmt::Assign(var, _) = *stmt
                && place[var.index()] == CONSTANT
            {
                place[var.index()] = places;
                places += 1;
            }
        }
        Ok(Self { program, slots: &valuations.slots, place, places: places as usize })
    }

    /// The place of a variable. `None` if it is a constant.
    pub(crate) fn place(&self, var: VarId) -> Option<usize> {
        let place = self.place[var.index()];
        (place != CONSTANT).then_some(place as usize)
    }

    /// What the slot at this place says about its variable. `None` if the place is not a slot.
    pub(crate) fn holds(&self, place: usize) -> Option<&'a Holds> {
        self.slots.get(place).map(|(_, holds)| holds)
    }

    /// True if every slot is exact.
    pub(crate) fn are_exact(&self) -> bool {
        self.slots.iter().all(|(_, holds)| *holds == Holds::Exactly)
    }

    /// The values that the number in a row stands for. `None` if there is no such cell.
    pub(crate) fn meaning(&self, slot: usize, value: i32) -> Option<Interval> {
        match &self.slots[slot].1 {
            Holds::Exactly => Some(Interval::just(value)),
            Holds::Cell(cuts) => cell(cuts, usize::try_from(value).ok()?),
        }
    }

    /// The row of the initial valuation.
    pub(crate) fn initial(&self) -> Vec<i32> {
        let initial = self.program.initial();
        let slot = |(var, holds): &(VarId, Holds)| match holds {
            Holds::Exactly => initial[var.index()],
            Holds::Cell(cuts) => cell_of(cuts, initial[var.index()]),
        };
        self.slots.iter().map(slot).collect()
    }

    /// Formats a row for messages.
    pub(crate) fn describe(&self, row: &[i32]) -> String {
        let slot = |((var, holds), value): (&(VarId, Holds), &i32)| match holds {
            Holds::Exactly => format!("{}={value}", self.program.name(*var)),
            Holds::Cell(_) => format!("{} in cell {value}", self.program.name(*var)),
        };
        let shown: Vec<String> = self.slots.iter().zip(row).map(slot).collect();
        format!("({})", shown.join(", "))
    }
}

/// The values in cell `k`. `None` if there is no such cell.
pub(crate) fn cell(cuts: &[i32], k: usize) -> Option<Interval> {
    let lo = if k == 0 { i32::MIN } else { *cuts.get(k - 1)? };
    Some(Interval { lo, hi: cuts.get(k).map_or(i32::MAX, |&cut| cut - 1) })
}

/// The number of the cell that contains `value`.
pub(crate) fn cell_of(cuts: &[i32], value: i32) -> i32 {
    i32::try_from(cuts.partition_point(|&cut| cut <= value)).unwrap_or(i32::MAX)
}
