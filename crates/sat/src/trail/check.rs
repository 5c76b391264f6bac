//! Checks of the invariants of the assignment.

use super::{NO_VAR, Trail};
use crate::clauses::Clauses;
use crate::lit::{Lit, Var};
use crate::theory::View;

impl Trail {
    /// Panics if the assignment is inconsistent in itself or with the clauses that are reasons.
    pub(crate) fn check(&self, clauses: &Clauses) {
        assert!(self.is_propagated(), "something waits for propagation");
        assert!(!self.missed.is_any_due(), "a missed implication was not made");
        self.check_values();
        let on_levels: usize = (0..=self.depth()).map(|level| self.check_level(level, clauses)).sum();
        assert_eq!(on_levels, self.assigned, "a literal is on no level");
        assert_eq!(self.on_level(0), self.fixed, "level 0 is what is fixed");
        self.check_missed(clauses);
    }

    fn check_values(&self) {
        assert_eq!(self.values.len(), 2 * self.places.len());
        let mut assigned = 0;
        for var in (0..self.places.len()).map(Var::new) {
            let sign = self.sign(var.positive());
            assert_eq!(sign, -self.sign(var.negative()), "{var:?} and its negation have opposite values");
            assigned += usize::from(sign != 0);
        }
        assert_eq!(assigned, self.assigned, "assigned literals are counted");
    }

    /// Checks one level. Returns its number of literals.
    fn check_level(&self, level: u32, clauses: &Clauses) -> usize {
        let chain: Vec<Lit> = self.chain(level).collect();
        // An assumption that was already true has a level without a decision. The level can contain literals
        // that the theory implied while it was the current level.
        if let Some(decision) = self.decision(level) {
            assert_eq!(chain.last(), Some(&decision), "a level begins with its decision");
        }
        for (rank, &lit) in chain.iter().rev().enumerate() {
            assert_eq!(self.level_of(lit), Some(level as usize), "{lit:?} is on a level that is not its own");
            assert_eq!(self.order(lit.var()), (level, rank as u32), "ranks rise along a level");
            self.check_reason(lit, clauses);
        }
        let told = self.levels[level as usize].told;
        assert!(level == 0 || told >= self.levels[level as usize - 1].told, "what is told grows with the levels");
        assert!(chain.is_empty() == (self.levels[level as usize].newest == NO_VAR));
        chain.len()
    }

    /// Panics unless all other literals of the reason are false and were assigned before `lit`.
    fn check_reason(&self, lit: Lit, clauses: &Clauses) {
        let Some(clause) = self.reason(lit.var()).clause() else { return };
        assert!(!clauses.is_garbage(clause), "the reason of {lit:?} is garbage");
        assert!(clauses.lits(clause).take(2).any(|other| other == lit), "a reason watches its literal");
        for other in clauses.lits(clause).filter(|&other| other != lit) {
            assert!(self.is_false(other), "{other:?} is not false in the reason of {lit:?}");
            assert!(self.order(other.var()) < self.order(lit.var()), "{other:?} comes after {lit:?}, which it implies");
        }
    }

    fn check_missed(&self, clauses: &Clauses) {
        for missed in self.missed.iter() {
            let lit = missed.lit;
            assert!(self.is_true(lit) && missed.level < self.level_of_var(lit.var()), "a note about {lit:?} is stale");
            let Some(clause) = missed.reason.clause() else { unreachable!("a clause implies {lit:?}") };
            assert!(!clauses.is_garbage(clause), "the clause noted for {lit:?} is garbage");
            let implies = clauses
                .lits(clause)
                .all(|other| other == lit || self.is_false(other) && self.level_of_var(other.var()) <= missed.level);
            assert!(implies, "the clause noted for {lit:?} does not imply it");
        }
    }
}
