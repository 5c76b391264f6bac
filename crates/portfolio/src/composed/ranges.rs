//! What is known about the largest values of sums. A range that the thresholds of one round leave open is narrowed in
//! the next round.

use model::{Goal, Problem};
use std::collections::BTreeMap;

/// What is known about the largest value of a sum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Range {
    /// Some reachable marking has at least this value.
    pub(crate) low: u64,
    /// No reachable marking has this value, or a greater one.
    pub(crate) high: Option<u64>,
}

impl Range {
    /// Returns true if the range has more than one value.
    fn is_open(self) -> bool {
        self.high.is_none_or(|high| high > self.low.saturating_add(1)) && self.low < u64::MAX / 4
    }

    fn contains(self, other: Self) -> bool {
        self.low <= other.low && self.high.is_none_or(|high| other.high.is_some_and(|other| other <= high))
    }
}

/// The ranges of the sums that are not settled.
#[derive(Debug, Default)]
pub(crate) struct Ranges {
    /// The ranges in which thresholds were chosen. A sum of the first round has none.
    begun: BTreeMap<Goal, Range>,
    /// The ranges after the last round.
    left: BTreeMap<Goal, Range>,
}

impl Ranges {
    /// Returns the range in which the thresholds of a sum are chosen, if another round has narrowed it.
    pub(super) fn begun(&self, goal: Goal) -> Option<Range> {
        self.begun.get(&goal).copied()
    }

    /// Returns the best range that is known.
    pub(super) fn known(&self, goal: Goal) -> Option<Range> {
        self.left.get(&goal).copied().or_else(|| self.begun(goal))
    }

    /// Enters the ranges after a round.
    pub(crate) fn end(&mut self, left: BTreeMap<Goal, Range>) {
        let is_within = |(goal, range): (&Goal, &Range)| self.begun(*goal).is_none_or(|all| all.contains(*range));
        debug_assert!(left.iter().all(is_within), "a round makes ranges narrower: {self:?}, {left:?}");
        self.left = left;
    }

    /// Returns the problem of the next round: the sums with ranges that the last one has narrowed, but not settled.
    /// `None` if there are none.
    pub(crate) fn next(&mut self, problem: &Problem) -> Option<Problem> {
        let is_narrower = |(goal, range): &(&Goal, &Range)| self.begun(**goal) != Some(**range) && range.is_open();
        let again: BTreeMap<Goal, Range> =
            self.left.iter().filter(is_narrower).map(|(g, range)| (*g, *range)).collect();
        if again.is_empty() {
            return None;
        }
        let rest = problem.clone().only(|property| again.contains_key(&property.goal));
        self.begun.extend(again);
        Some(rest)
    }
}
