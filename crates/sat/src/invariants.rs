//! Checks of the invariants that hold after propagation and after garbage collection. They run if
//! [`crate::Options::check_invariants`] is set, and in debug builds while the formula is small.

use crate::bcp::Bcp;
use crate::clauses::ClauseRef;
use crate::lit::Lit;
use crate::theory::View;

const SMALL_VARIABLES: usize = 60;
const SMALL_CLAUSES: usize = 300;

impl Bcp<'_> {
    /// True if invariants are to be checked. Debug builds check them while the formula is small.
    pub(crate) fn wants_checks(&self) -> bool {
        self.options.check_invariants || cfg!(debug_assertions) && self.is_small()
    }

    fn is_small(&self) -> bool {
        self.trail.variables_len() <= SMALL_VARIABLES
            && self.clauses.iter().take(SMALL_CLAUSES + 1).count() <= SMALL_CLAUSES
    }

    /// Panics if propagation is incomplete, or if the trail, the clauses or the watches are inconsistent.
    pub(crate) fn check_propagated(&self) {
        self.trail.check(self.clauses);
        self.clauses.check();
        self.watches.check(self.clauses);
        for (lit, watch) in self.watches.iter().filter(|&(lit, _)| self.trail.is_false(lit)) {
            if !self.clauses.is_garbage(watch.clause()) {
                self.check_false_watch(lit, watch.blocker(), watch.clause());
            }
        }
        for clause in self.clauses.iter().filter(|&clause| self.clauses.len(clause) > 1) {
            self.check_clause(clause);
        }
    }

    /// Panics if a garbage clause is watched or noted for a missed implication.
    pub(crate) fn check_swept(&self) {
        self.clauses.check();
        self.watches.check(self.clauses);
        let stays = self.watches.iter().find(|(_, watch)| self.clauses.is_garbage(watch.clause()));
        assert!(stays.is_none(), "a clause that is garbage is watched by {stays:?}");
        let is_lost = self.trail.missed_clauses().any(|clause| self.clauses.is_garbage(clause));
        assert!(!is_lost, "a clause noted for an implication is garbage");
    }

    /// True if the clause has an unassigned literal outside the domain.
    fn is_outside(&self, clause: ClauseRef) -> bool {
        let is_outside = |other: Lit| self.trail.is_open(other) && self.order.domain().is_outside(other);
        self.clauses.lits(clause).any(is_outside)
    }

    /// Panics if neither the other watch nor the blocker is true at the level of the false watch or below, and
    /// no missed implication is noted.
    fn check_false_watch(&self, lit: Lit, blocker: Lit, clause: ClauseRef) {
        if self.is_outside(clause) {
            return;
        }
        let level = self.trail.level_of_var(lit.var());
        let outlives = |other: Lit| self.trail.is_true(other) && self.trail.level_of_var(other.var()) <= level;
        let is_noted = self.clauses.lits(clause).any(|lit| {
            self.trail.missed_level(lit.var()).is_some_and(|missed| missed <= level && self.trail.is_true(lit))
        });
        let other = self.clauses.lits(clause).take(2).any(|other| other != lit && outlives(other));
        assert!(outlives(blocker) || other || is_noted, "{lit:?} can be left false and unnoticed");
    }

    fn check_clause(&self, clause: ClauseRef) {
        if self.is_outside(clause) {
            return;
        }
        let is_satisfied = self.clauses.lits(clause).any(|lit| self.trail.is_true(lit));
        let open = self.clauses.lits(clause).filter(|&lit| self.trail.is_open(lit)).count();
        let shown = || self.clauses.lits(clause).map(|lit| (lit, self.trail.value(lit))).collect::<Vec<_>>();
        assert!(is_satisfied || open >= 2, "a unit or false clause was overlooked: {:?}", shown());
    }
}
