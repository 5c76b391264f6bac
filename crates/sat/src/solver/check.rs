//! Checks of the invariants of each part, and between the parts, that hold whenever propagation is complete.
//! They run with [`crate::Options::check_invariants`], and in debug builds while the formula is small.

use super::Solver;
use crate::clauses::ClauseRef;

impl Solver {
    pub(super) fn check_if_wanted(&mut self) {
        if self.bcp().wants_checks() {
            self.check();
        }
    }

    /// Panics if the state is inconsistent. Propagation must be complete and without conflict.
    fn check(&mut self) {
        self.bcp().check_propagated();
        self.order.check(&self.trail);
        self.log.check(&self.trail);
        self.signs.check();
        self.analysis.check();
        self.query.check(&self.trail);
        self.hook.check();
        self.flips.check();
    }

    /// Panics if the clause that resolves a conflict is not asserting, that is, if a literal other than the
    /// first is not false.
    pub(super) fn check_asserting(&mut self, clause: ClauseRef) {
        if !self.bcp().wants_checks() {
            return;
        }
        assert!(!self.clauses.is_garbage(clause));
        let others_are_false = self.clauses.lits(clause).skip(1).all(|lit| self.trail.is_false(lit));
        assert!(others_are_false, "a clause that mends a conflict is unit");
        let ids_rise = self.clauses.id(clause) <= self.log.last();
        assert!(ids_rise, "a clause is in the log");
    }
}
