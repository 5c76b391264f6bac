//! Clauses from outside that hold only for some time.
//!
//! *Temporary* clauses hold for the next queries, under a guard that is reused (`query.rs`).
//!
//! *Removable* clauses are deleted one by one. The caller that removes a clause guarantees that clauses learnt
//! from it still hold. Removable clauses are meant for lemmas that are later replaced by stronger lemmas.

use super::Solver;
use crate::clauses::{ClauseKind, ClauseRef, Clauses};
use crate::lit::Lit;
use crate::proof::ClauseId;
use crate::theory::{DecidedBy, Tag};

impl Solver {
    /// Adds a clause that holds until [`Solver::drop_temporaries`]. The clause log contains the clause with the
    /// negation of a guard literal added. If a core depends on the clause, the clause derived from this core
    /// contains the negated guard as well.
    ///
    /// # Panics
    /// With [`crate::Options::eliminate`].
    pub fn add_temporary(&mut self, tag: Tag, clause: &[Lit]) {
        assert!(!self.options.eliminate, "clauses that come and go exclude elimination");
        self.changed();
        let guard = self.query.guard().unwrap_or_else(|| self.new_var(DecidedBy::Theory));
        self.query.open_guard(guard);
        let guarded: Vec<Lit> = clause.iter().copied().chain([guard.negative()]).collect();
        let id = self.log.axiom(tag, &guarded);
        self.store(id, &guarded, ClauseKind::Temporary);
    }

    /// Deletes all temporary clauses, and all clauses learnt from them. Cost: linear in these clauses, and in
    /// the watch lists of the binary ones.
    pub fn drop_temporaries(&mut self) {
        self.changed();
        self.query.close_guard();
        let Some(guard) = self.query.guard() else { return };
        if self.misses_by(|clauses, clause| clauses.kind(clause) == ClauseKind::Temporary) {
            self.step_back(0);
        } else if !self.trail.is_open(guard.positive()) {
            let level = self.trail.level_of_var(guard);
            self.step_back(level.saturating_sub(1));
        }
        for clause in self.clauses.take_temporary() {
            if !self.clauses.is_garbage(clause) {
                debug_assert!(self.clauses.lits(clause).any(|lit| lit == guard.negative()));
                self.withdraw(clause);
            }
        }
        if !self.trail.is_open(guard.positive()) {
            // The guard is false at level 0. It stays false without the temporary clauses, so the next
            // temporary clauses need another guard.
            self.query.drop_guard();
        }
        self.bcp().sweep_if_wasteful();
    }

    /// Adds a clause that can be deleted later, outside `solve`. Returns its identifier for [`Solver::remove`].
    ///
    /// # Panics
    /// With [`crate::Options::eliminate`].
    pub fn add_removable(&mut self, tag: Tag, clause: &[Lit]) -> ClauseId {
        assert!(!self.options.eliminate, "clauses that come and go exclude elimination");
        self.changed();
        let id = self.log.axiom(tag, clause);
        self.store(id, clause, ClauseKind::Removable);
        id
    }

    /// Deletes a removable clause. Clauses learnt from it stay: see the module. Does nothing if the clause was
    /// already removed, or was satisfied at level 0 when it was added.
    pub fn remove(&mut self, id: ClauseId) {
        self.changed();
        let Some(clause) = self.clauses.take_removable(id) else { return };
        debug_assert_eq!(self.clauses.kind(clause), ClauseKind::Removable);
        if self.misses_by(|_, missed| missed == clause) {
            self.step_back(0);
        } else if self.bcp().is_reason(clause) {
            let watched = (0..2).map(|at| self.clauses.lit(clause, at)).find(|&lit| self.trail.is_true(lit));
            let level = watched.map_or(1, |lit| self.trail.level_of_var(lit.var()));
            self.step_back(level - 1);
        }
        self.withdraw(clause);
        self.bcp().sweep_if_wasteful();
    }

    /// Stores and evaluates a clause that is already logged. Called between queries.
    fn store(&mut self, id: ClauseId, literals: &[Lit], kind: ClauseKind) {
        let mut bcp = self.bcp();
        if let Some(stored) = bcp.store(id, literals, kind)
            && let Some(conflict) = bcp.evaluate(stored)
        {
            self.clauses.defer(conflict);
        }
    }

    /// Deletes a clause that is not a reason and not noted for a missed implication.
    fn withdraw(&mut self, clause: ClauseRef) {
        let mut bcp = self.bcp();
        debug_assert!(!bcp.is_locked(clause));
        bcp.withdraw(clause);
    }

    /// True if a clause that satisfies `is_such` is noted for a missed implication. In this case, deleting the
    /// note together with the clause would be wrong, because the note may have replaced a note about a clause
    /// that stays.
    fn misses_by(&self, is_such: impl Fn(&Clauses, ClauseRef) -> bool) -> bool {
        self.trail.missed_clauses().any(|clause| is_such(&self.clauses, clause))
    }
}
