//! Missed implications: true literals that a clause implies at a lower level than the level they were assigned
//! at. Each missed implication is noted until the literal's level ends. Then the literal is assigned again, at
//! the lower level (lazy reimplication: Coutelier, Fleury and Kovacs 2024).
//!
//! Invariants: each variable has at most one note, the one with the lowest level; the level of a note is below
//! the level of its literal; the clause of a note is not garbage. All implications that are due are made before
//! any other literal is propagated.

use std::collections::{BTreeMap, VecDeque};

use super::Reason;
use crate::clauses::ClauseRef;
use crate::lit::{Lit, Var};

/// A true literal that a clause implies at a lower level than the level it was assigned at.
#[derive(Clone, Copy)]
pub(crate) struct Missed {
    pub(crate) lit: Lit,
    pub(crate) level: u32,
    pub(crate) reason: Reason,
}

#[derive(Default)]
pub(super) struct Notes {
    by_var: BTreeMap<Var, Missed>,
    /// Notes of literals that were just unassigned, in the order of unassignment. Their implications must be
    /// made now.
    due: VecDeque<Missed>,
}

impl Notes {
    /// Notes a missed implication unless a note of a lower or equal level exists. `assigned` is the current
    /// level of the literal.
    pub(super) fn note(&mut self, missed: Missed, assigned: u32) {
        let known = self.level(missed.lit.var()).unwrap_or(assigned);
        debug_assert!(known <= assigned, "a note tells of a lower level");
        if missed.level < known {
            self.by_var.insert(missed.lit.var(), missed);
        }
    }

    pub(super) fn level(&self, var: Var) -> Option<u32> {
        self.by_var.get(&var).map(|missed| missed.level)
    }

    /// Handles the unassignment of a variable. Its note becomes due if it holds at `floor`, the level that
    /// stays; otherwise the note is deleted.
    pub(super) fn unassigned(&mut self, var: Var, floor: u32) {
        if self.by_var.is_empty() {
            return;
        }
        self.due.extend(self.by_var.remove(&var).filter(|missed| missed.level <= floor));
    }

    pub(super) fn next_due(&mut self) -> Option<Missed> {
        self.due.pop_front()
    }

    pub(super) fn is_any_due(&self) -> bool {
        !self.due.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Missed> {
        self.by_var.values()
    }

    pub(super) fn move_reasons(&mut self, moved: impl Fn(ClauseRef) -> ClauseRef) {
        debug_assert!(self.due.is_empty(), "clauses do not move in the middle of a step back");
        for missed in self.by_var.values_mut() {
            missed.reason = missed.reason.moved(&moved);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.by_var.is_empty() && self.due.is_empty()
    }
}
