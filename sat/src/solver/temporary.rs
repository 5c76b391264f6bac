//! Clauses that come and go, from outside.
//!
//! *Temporary* ones hold for the next queries, under a guard that is used again (`query.rs`).
//!
//! *Removable* clauses are taken back one by one. Who removes one vouches that what was learnt from it still holds:
//! they are for lemmas that something stronger makes superfluous.

use super::Solver;
use crate::clauses::{ClauseRef, Clauses, Kind};
use crate::lit::Lit;
use crate::proof::ClauseId;
use crate::theory::{DecidedBy, Tag};

impl Solver {
    /// Adds a clause that holds until [`Solver::drop_temporaries`]. In the clause log it stands with the negation of a
    /// guard literal, and so does the clause derived from a core that needs it.
    pub fn add_temporary(&mut self, tag: Tag, clause: &[Lit]) {
        self.changed();
        let guard = self.query.guard().unwrap_or_else(|| self.new_var(DecidedBy::Theory));
        self.query.open_guard(guard);
        let guarded: Vec<Lit> = clause.iter().copied().chain([guard.negative()]).collect();
        let id = self.log.axiom(tag, &guarded);
        self.store(id, &guarded, Kind::Temporary);
    }

    /// Forgets all temporary clauses, and what was learnt from them. Cost: linear in those, and in the watches of their
    /// binary ones.
    pub fn drop_temporaries(&mut self) {
        self.changed();
        self.query.close_guard();
        let Some(guard) = self.query.guard() else { return };
        if self.misses_by(|clauses, clause| clauses.kind(clause) == Kind::Temporary) {
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
            // Refuted for good, whatever the temporary clauses were: the next ones need another guard.
            self.query.drop_guard();
        }
        self.bcp().sweep_if_wasteful();
    }

    /// Adds a clause that can be taken back, outside `solve`. Answers its name, for [`Solver::remove`].
    pub fn add_removable(&mut self, tag: Tag, clause: &[Lit]) -> ClauseId {
        self.changed();
        let id = self.log.axiom(tag, clause);
        self.store(id, clause, Kind::Removable);
        id
    }

    /// Takes back a clause. What was learnt from it stays: see the module. Removing twice, or a clause that was
    /// satisfied for good, does nothing.
    pub fn remove(&mut self, id: ClauseId) {
        self.changed();
        let Some(clause) = self.clauses.take_removable(id) else { return };
        debug_assert_eq!(self.clauses.kind(clause), Kind::Removable);
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

    /// Stores a logged clause between queries, and acts upon it.
    fn store(&mut self, id: ClauseId, literals: &[Lit], kind: Kind) {
        let mut bcp = self.bcp();
        if let Some(stored) = bcp.store(id, literals, kind)
            && let Some(conflict) = bcp.evaluate(stored)
        {
            self.clauses.defer(conflict);
        }
    }

    /// Deletes a clause on account of which nothing is true.
    fn withdraw(&mut self, clause: ClauseRef) {
        let mut bcp = self.bcp();
        debug_assert!(!bcp.is_locked(clause));
        bcp.withdraw(clause);
    }

    /// Is such a clause noted for an implication at a lower level? It may have taken the place of a note about a clause
    /// that stays, so that forgetting it is no way out.
    fn misses_by(&self, is_such: impl Fn(&Clauses, ClauseRef) -> bool) -> bool {
        self.trail.missed_clauses().any(|clause| is_such(&self.clauses, clause))
    }
}
