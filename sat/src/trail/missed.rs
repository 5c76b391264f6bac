//! Implications that came too late: a true literal that some clause implies at a lower level than the one it has. Noted
//! until its level ends, then made at the level where they hold (lazy reimplication: Coutelier, Fleury and Kovacs
//! 2024).
//!
//! Invariants: at most one note per variable, that of the lowest level; its level is below that of the literal; the
//! clause it names is not garbage. Whatever is due is made before anything else is propagated.

use std::collections::{BTreeMap, VecDeque};

use super::Reason;
use crate::clauses::ClauseRef;
use crate::lit::{Lit, Var};

/// A true literal that a clause implies at a lower level than the one it has.
#[derive(Clone, Copy)]
pub(crate) struct Missed {
    pub(crate) lit: Lit,
    pub(crate) level: u32,
    pub(crate) reason: Reason,
}

#[derive(Default)]
pub(super) struct Notes {
    by_var: BTreeMap<Var, Missed>,
    /// Those whose literal has just been unassigned, in the order of that.
    due: VecDeque<Missed>,
}

impl Notes {
    /// `assigned` is the level that the literal has.
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

    /// The variable is being unassigned. Its note is due if it holds at `floor`, the level that stays; else nothing is
    /// left of it.
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
