//! Hints for the proof: the clauses, in order, that refute the negation of a derived clause by unit
//! propagation.
//!
//! Conflict analysis visits these clauses anyway: they are the reasons in trail order, followed by the conflict
//! clause (Pollitt, Fleury and Biere 2023 log LRAT in the same way). Literals that are false at level 0 are not
//! resolved with their reasons. Their unit clauses become hints instead.

use crate::proof::ClauseId;

/// The hints of the clause that is being derived. Empty between two derivations.
#[derive(Default)]
pub(crate) struct Hints {
    /// Clauses that need no earlier hint, because the negation of the derived clause makes them unit: the unit
    /// clauses of literals false at level 0, and binary clauses.
    units: Vec<ClauseId>,
    /// Hints that follow `units`, in order.
    steps: Vec<ClauseId>,
    /// Hints that follow `steps`, in reverse order because analysis begins at the conflict.
    reversed: Vec<ClauseId>,
}

impl Hints {
    pub(crate) fn unit(&mut self, id: ClauseId) {
        debug_assert_ne!(id, ClauseId(0), "a hint is a clause of the log");
        self.units.push(id);
    }

    pub(crate) fn step(&mut self, id: ClauseId) {
        debug_assert_ne!(id, ClauseId(0), "a hint is a clause of the log");
        self.steps.push(id);
    }

    pub(crate) fn before(&mut self, id: ClauseId) {
        debug_assert_ne!(id, ClauseId(0), "a hint is a clause of the log");
        self.reversed.push(id);
    }

    /// Returns all hints in order.
    pub(crate) fn all(&mut self) -> &[ClauseId] {
        self.units.append(&mut self.steps);
        self.units.extend(self.reversed.drain(..).rev());
        &self.units
    }

    /// Moves all hints into `to`, in order.
    pub(crate) fn take(&mut self, to: &mut Vec<ClauseId>) {
        self.all();
        to.clear();
        to.append(&mut self.units);
    }

    pub(crate) fn clear(&mut self) {
        self.units.clear();
        self.steps.clear();
        self.reversed.clear();
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.units.is_empty() && self.steps.is_empty() && self.reversed.is_empty()
    }
}
