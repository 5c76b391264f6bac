//! Clauses that come and go.
//!
//! *Temporary* clauses hold for the next queries: each gets the negation of one guard literal, which those queries assume
//! last. Whatever is learnt from them contains that literal too, so both kinds go together and the guard can be used
//! again: no variable and no clause is left behind (as in rIC3; elsewhere each query costs a fresh variable).
//!
//! *Removable* clauses are taken back one by one. Who removes one vouches that what was learnt from it still holds: they
//! are for lemmas that something stronger makes superfluous.

use crate::clauses::{ClauseRef, Clauses, Kind};
use crate::lit::{Lit, Var};
use crate::proof::ClauseId;
use crate::solver::Solver;
use crate::theory::{DecidedBy, Tag};
use std::collections::BTreeMap;

#[derive(Default)]
pub(crate) struct Temporaries {
    guard: Option<Var>,
    /// Are there temporary clauses, so that the guard is to be assumed?
    is_open: bool,
    /// All clauses with the guard, given and learnt.
    pub(crate) clauses: Vec<ClauseRef>,
}

impl Temporaries {
    /// Does a clause contain the guard's negation?
    pub(crate) fn guards(&self, clause: &[Lit]) -> bool {
        self.is_open && self.guard.is_some_and(|guard| clause.contains(&guard.negative()))
    }

    /// The literal to be assumed, while there is one.
    pub(crate) fn assumption(&self) -> Option<Lit> {
        self.guard.filter(|_| self.is_open).map(Var::positive)
    }
}

/// Removable clauses, by identifier.
pub(crate) type Removable = BTreeMap<ClauseId, ClauseRef>;

impl Solver {
    /// Adds a clause that holds until [`Solver::drop_temporaries`]. In the clause log it stands with the negation of a guard
    /// literal, and so does the clause derived from a core that needs it.
    pub fn add_temporary(&mut self, tag: Tag, clause: &[Lit]) {
        self.changed();
        let guard = match self.temporaries.guard {
            Some(guard) => guard,
            None => {
                let guard = self.new_var(DecidedBy::Theory);
                *self.temporaries.guard.insert(guard)
            }
        };
        self.temporaries.is_open = true;
        let guarded: Vec<Lit> = clause.iter().copied().chain([guard.negative()]).collect();
        let id = self.log.axiom(tag, &guarded);
        if let Some(stored) = self.store(id, &guarded, Kind::Temporary) {
            self.temporaries.clauses.push(stored);
            self.settle_later(stored);
        }
    }

    /// Forgets all temporary clauses, and what was learnt from them. Cost: linear in those, and in the watches of their
    /// binary ones.
    pub fn drop_temporaries(&mut self) {
        self.changed();
        self.temporaries.is_open = false;
        let Some(guard) = self.temporaries.guard else { return };
        if self.misses_by(|clauses, clause| clauses.kind(clause) == Kind::Temporary) {
            self.step_back(0);
        } else if !self.trail.is_open(guard.positive()) {
            let level = self.trail.level_of_var(guard);
            self.step_back(level.saturating_sub(1));
        }
        for clause in std::mem::take(&mut self.temporaries.clauses) {
            if !self.clauses.is_garbage(clause) {
                self.unwatch_if_binary(clause);
                self.delete(clause);
            }
        }
        if !self.trail.is_open(guard.positive()) {
            // Refuted for good, whatever the temporary clauses were: the next ones need another guard.
            self.temporaries.guard = None;
        }
        self.collect_if_wasteful();
    }

    /// Adds a clause that can be taken back, outside `solve`. Answers its name, for [`Solver::remove`].
    pub fn add_removable(&mut self, tag: Tag, clause: &[Lit]) -> ClauseId {
        self.changed();
        let id = self.log.axiom(tag, clause);
        if let Some(stored) = self.store(id, clause, Kind::Removable) {
            self.removable.insert(id, stored);
            self.settle_later(stored);
        }
        id
    }

    /// Takes back a clause. What was learnt from it stays: see the module. Removing twice, or a clause that was satisfied
    /// for good, does nothing.
    pub fn remove(&mut self, id: ClauseId) {
        self.changed();
        let Some(clause) = self.removable.remove(&id) else { return };
        if self.misses_by(|_, missed| missed == clause) {
            self.step_back(0);
        } else if self.is_reason(clause) {
            let watched = (0..2).map(|at| self.clauses.lit(clause, at)).find(|&lit| self.trail.is_true(lit));
            let level = watched.map_or(1, |lit| self.trail.level_of_var(lit.var()));
            self.step_back(level - 1);
        }
        self.unwatch_if_binary(clause);
        self.delete(clause);
        self.collect_if_wasteful();
    }

    /// Is such a clause noted for an implication at a lower level? It may have taken the place of a note about a clause that
    /// stays, so that forgetting it is no way out.
    fn misses_by(&self, is_such: impl Fn(&Clauses, ClauseRef) -> bool) -> bool {
        let clauses = &self.clauses;
        self.missed.values().filter_map(|missed| missed.reason.clause()).any(|clause| is_such(clauses, clause))
    }

    /// Long clauses leave the watch lists when they are next visited; binary ones are never looked at.
    pub(crate) fn unwatch_if_binary(&mut self, clause: ClauseRef) {
        if self.clauses.len(clause) == 2 {
            for at in 0..2 {
                let lit = self.clauses.lit(clause, at);
                self.watches[lit.0 as usize].retain(|watch| watch.clause() != clause);
            }
        }
    }
}
