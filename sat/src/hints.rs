//! Hints for the proof: which clauses, in which order, make the negation of a derived clause fail by unit propagation.
//!
//! They fall out of what analysis looks at anyway (Pollitt, Fleury and Biere 2023, who log LRAT natively too): reasons,
//! in trail order, ended by the conflict. Literals false at level 0 are not resolved away but refuted by their unit
//! clauses.

use crate::proof::ClauseId;

/// Hints of the clause being derived. Empty at rest.
#[derive(Default)]
pub(crate) struct Hints {
    /// What needs nothing but the negated clause: units of literals false at level 0, binary clauses.
    units: Vec<ClauseId>,
    /// What follows, in order.
    steps: Vec<ClauseId>,
    /// What follows then, in reverse order: analysis begins at the conflict.
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

    /// All of them, in order.
    pub(crate) fn all(&mut self) -> &[ClauseId] {
        self.units.append(&mut self.steps);
        self.units.extend(self.reversed.drain(..).rev());
        &self.units
    }

    /// Moves all of them, in order.
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
