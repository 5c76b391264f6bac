//! What must hold whenever propagation has nothing left to do. Checked in debug builds while the formula is small.

use crate::clauses::ClauseRef;
use crate::lit::{Lit, Var};
use crate::solver::Solver;
use crate::theory::View;

const SMALL_VARIABLES: usize = 60;
const SMALL_CLAUSES: usize = 300;

impl Solver {
    pub(crate) fn check_if_small(&self) {
        if cfg!(debug_assertions)
            && self.trail.variables() <= SMALL_VARIABLES
            && self.clauses.iter().take(SMALL_CLAUSES + 1).count() <= SMALL_CLAUSES
        {
            self.check_invariants();
        }
    }

    /// Panics if the state is inconsistent. Propagation must be complete and without conflict.
    fn check_invariants(&self) {
        assert!(self.trail.is_propagated());
        assert!(self.heap.is_ordered(&self.activity));
        assert!(self.domain.heap.is_ordered(&self.activity));
        self.check_watches();
        for clause in self.clauses.iter().filter(|&clause| self.clauses.len(clause) > 1) {
            self.check_clause(clause);
        }
        for level in 0..=self.trail.depth() {
            self.check_level(level);
        }
        for var in (0..self.trail.variables()).map(Var::new) {
            let is_missing = self.trail.is_open(var.positive())
                && if self.domain.is_set() {
                    self.domain.overlooks(var)
                } else {
                    self.by_activity() && self.heap.may_hold(var) && !self.heap.holds(var)
                };
            assert!(!is_missing, "{var:?} can be decided and is not in the heap");
            assert_eq!(self.signs[var.index()], 0);
        }
        assert!(self.marked.is_empty());
    }

    fn check_watches(&self) {
        let mut count = 0;
        for (index, list) in self.watches.iter().enumerate() {
            let lit = Lit(index as u32);
            for watch in list {
                let clause = watch.clause();
                if self.clauses.is_garbage(clause) && !watch.is_binary() {
                    continue;
                }
                count += 1;
                assert!(!self.clauses.is_garbage(clause));
                assert!((0..2).any(|at| self.clauses.lit(clause, at) == lit), "watched literals are in front");
                assert!(watch.blocker != lit && self.clauses.lits(clause).any(|other| other == watch.blocker));
                assert_eq!(watch.is_binary(), self.clauses.len(clause) == 2);
                if self.trail.is_false(lit) {
                    self.check_false_watch(lit, watch.blocker, clause);
                }
            }
        }
        assert_eq!(count, 2 * self.clauses.iter().filter(|&clause| self.clauses.len(clause) > 1).count());
    }

    /// Some literal outlives the false one, or the implication it misses is noted.
    fn check_false_watch(&self, lit: Lit, blocker: Lit, clause: ClauseRef) {
        let level = self.trail.level_of_var(lit.var());
        let outlives = |other: Lit| self.trail.is_true(other) && self.trail.level_of_var(other.var()) <= level;
        let is_outside = |other: Lit| self.trail.is_open(other) && self.domain.is_outside(other);
        if self.clauses.lits(clause).any(is_outside) {
            return;
        }
        let is_noted = self.missed.values().any(|missed| missed.level <= level && self.trail.is_true(missed.lit));
        let other = (0..2).map(|at| self.clauses.lit(clause, at)).any(|other| other != lit && outlives(other));
        assert!(outlives(blocker) || other || is_noted, "{lit:?} can be left false and unnoticed");
    }

    fn check_clause(&self, clause: ClauseRef) {
        let is_satisfied = self.clauses.lits(clause).any(|lit| self.trail.is_true(lit));
        let open = self.clauses.lits(clause).filter(|&lit| self.trail.is_open(lit)).count();
        let is_outside = |other: Lit| self.trail.is_open(other) && self.domain.is_outside(other);
        if self.clauses.lits(clause).any(is_outside) {
            return;
        }
        assert!(is_satisfied || open >= 2, "a unit or false clause was overlooked: {:?}", self.shown(clause));
    }

    fn check_level(&self, level: u32) {
        let chain: Vec<Lit> = self.trail.chain(level).collect();
        // The level of an assumption that was true already may still hold what the theory implied there.
        if let Some(decision) = self.trail.decision(level) {
            assert_eq!(chain.last(), Some(&decision), "a level begins with its decision");
        }
        for &lit in &chain {
            assert_eq!(self.trail.level_of(lit), Some(level as usize));
            let Some(clause) = self.trail.reason(lit.var()).clause() else { continue };
            assert!(!self.clauses.is_garbage(clause));
            assert!(self.clauses.lits(clause).any(|other| other == lit));
            for other in self.clauses.lits(clause).filter(|&other| other != lit) {
                assert!(self.trail.is_false(other), "reason of {lit:?} is no reason: {:?}", self.shown(clause));
                assert!(self.trail.order(other.var()) < self.trail.order(lit.var()), "reasons come first");
            }
        }
    }

    fn shown(&self, clause: ClauseRef) -> Vec<(Lit, Option<bool>)> {
        self.clauses.lits(clause).map(|lit| (lit, self.trail.value(lit))).collect()
    }
}
