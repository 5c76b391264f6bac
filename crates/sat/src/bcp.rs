//! Boolean constraint propagation: assignment, clauses, watches, decision order, log and counters, borrowed
//! together.
//!
//! All operations that must keep these parts consistent are here: adding and deleting clauses, and assigning
//! and unassigning literals. A new clause loses its duplicate literals, is watched by the two literals that are
//! best under the current assignment, and is then evaluated: it can imply a literal or be false. The same
//! functions handle clauses from outside, lemmas at any decision level, learnt clauses and explanations. Unit
//! and empty clauses are handled like longer ones: their missing literals count as false at level 0.
//!
//! Invariants between two calls:
//!
//! 1. Every clause of at least two literals that is not garbage is watched.
//! 2. No clause that is a reason, or is noted as the reason of a missed implication, is garbage.

use crate::clauses::{self, ClauseKind, ClauseRef, Clauses};
use crate::lit::Lit;
use crate::log::Log;
use crate::options::Options;
use crate::order::Order;
use crate::proof::ClauseId;
use crate::signs::Signs;
use crate::stats::Stats;
use crate::theory::{Tag, View};
use crate::trail::{Reason, Rest, Trail};
use crate::watches::Watches;

pub(crate) struct Bcp<'a> {
    pub(crate) trail: &'a mut Trail,
    pub(crate) clauses: &'a mut Clauses,
    pub(crate) watches: &'a mut Watches,
    pub(crate) order: &'a mut Order,
    pub(crate) log: &'a mut Log,
    pub(crate) signs: &'a mut Signs,
    pub(crate) stats: &'a mut Stats,
    pub(crate) options: &'a Options,
}

/// Makes `lit` true at `level` because `reason` implies it. `lit` must not be false. If it is already true,
/// only notes a missed implication. `values` and `rest` are the trail.
#[inline]
pub(crate) fn imply_by(
    values: &mut [i8],
    rest: &mut Rest<'_>,
    clauses: &Clauses,
    log: &mut Log,
    reason: Reason,
    lit: Lit,
    level: u32,
) {
    let value = values[lit.0 as usize];
    debug_assert!(value >= 0);
    if value > 0 {
        rest.note_missed(reason, lit, level);
        return;
    }
    if level == 0 {
        log.unit(clauses, reason, lit);
    }
    rest.assign(values, lit, level, reason);
}

impl Bcp<'_> {
    /// Logs a clause from outside and stores it, unless it is a tautology or already satisfied at level 0.
    /// Returns the clause if it is false under the current assignment.
    pub(crate) fn add_axiom(&mut self, tag: Tag, literals: &[Lit]) -> Option<ClauseRef> {
        let id = self.log.axiom(tag, literals);
        let stored = self.store(id, literals, ClauseKind::Given)?;
        self.evaluate(stored)
    }

    /// Stores a clause that is already logged, unless it is a tautology or already satisfied at level 0. An
    /// empty clause refutes the formula.
    pub(crate) fn store(&mut self, id: ClauseId, literals: &[Lit], kind: ClauseKind) -> Option<ClauseRef> {
        let distinct = self.signs.distinct(literals);
        if distinct.is_tautology || distinct.literals.iter().any(|&lit| self.trail.is_fixed(lit)) {
            return None;
        }
        if distinct.literals.is_empty() {
            self.log.refute_by(id);
            return None;
        }
        let stored = self.clauses.add(distinct.literals, id, kind, 0);
        self.watches.attach(self.clauses, self.trail, stored);
        Some(stored)
    }

    /// Stores and watches a derived clause.
    pub(crate) fn add(&mut self, literals: &[Lit], id: ClauseId, kind: ClauseKind, glue: u32) -> ClauseRef {
        debug_assert!(!literals.is_empty() && self.signs.distinct(literals).literals.len() == literals.len());
        let clause = self.clauses.add(literals, id, kind, glue);
        self.watches.attach(self.clauses, self.trail, clause);
        clause
    }

    /// Evaluates a clause with its best literals at the front: makes the first literal true if the clause
    /// implies it. Returns the clause if it is false.
    pub(crate) fn evaluate(&mut self, clause: ClauseRef) -> Option<ClauseRef> {
        debug_assert!(!self.clauses.is_garbage(clause));
        let first = self.clauses.lit(clause, 0);
        let second = (self.clauses.len(clause) > 1).then(|| self.clauses.lit(clause, 1));
        if self.trail.is_false(first) {
            debug_assert!(
                self.clauses.lits(clause).all(|lit| self.trail.is_false(lit)),
                "the best literal is in front"
            );
            return Some(clause);
        }
        match second {
            Some(lit) if !self.trail.is_false(lit) => {}
            Some(lit) => self.imply(clause, first, self.trail.level_of_var(lit.var())),
            None => self.imply(clause, first, 0),
        }
        None
    }

    /// Makes the first literal of `clause` true at `level`. All other literals must be false.
    fn imply(&mut self, clause: ClauseRef, lit: Lit, level: u32) {
        debug_assert!(
            self.clauses
                .lits(clause)
                .skip(1)
                .all(|other| { self.trail.is_false(other) && self.trail.level_of_var(other.var()) <= level })
        );
        let reason = match self.clauses.len(clause) {
            2 => Reason::Binary(clause, self.clauses.lit(clause, 1)),
            _ => Reason::Clause(clause),
        };
        let (values, mut rest) = self.trail.split();
        imply_by(values, &mut rest, self.clauses, self.log, reason, lit, level);
    }

    /// Ends all levels above `level`. The caller must call `make_missed` afterwards.
    pub(crate) fn pop_levels(&mut self, level: u32) {
        while self.trail.depth() > level {
            self.trail.pop_level(level, |lit| self.order.unassigned(lit));
        }
    }

    /// Makes the missed implications that are due because their levels ended. Each literal gets the level at
    /// which it is implied.
    pub(crate) fn make_missed(&mut self) {
        while let Some(missed) = self.trail.next_due() {
            debug_assert!(missed.level <= self.trail.depth());
            self.stats.reimplied += 1;
            let (values, mut rest) = self.trail.split();
            imply_by(values, &mut rest, self.clauses, self.log, missed.reason, missed.lit, missed.level);
        }
    }

    /// Propagates at level 0. Returns true if the formula is refuted.
    pub(crate) fn propagate_fixed(&mut self) -> bool {
        debug_assert_eq!(self.trail.depth(), 0);
        if let Some(conflict) = self.propagate() {
            self.log.refute(self.clauses, conflict);
        }
        self.log.is_refuted()
    }

    /// True if this clause is the reason of a true literal. This literal can only be one of the two watched
    /// literals.
    pub(crate) fn is_reason(&self, clause: ClauseRef) -> bool {
        self.clauses
            .lits(clause)
            .take(2)
            .any(|lit| self.trail.is_true(lit) && self.trail.reason(lit.var()).clause() == Some(clause))
    }

    /// True if the clause must not be deleted, because it is a reason, or noted for a missed implication.
    pub(crate) fn is_locked(&self, clause: ClauseRef) -> bool {
        self.is_reason(clause) || self.trail.missed_clauses().any(|missed| missed == clause)
    }

    /// Turns the clause into garbage and logs the deletion. The deletion of a unit clause is not logged,
    /// because hints refer to the unit clauses of fixed literals.
    pub(crate) fn delete(&mut self, clause: ClauseRef) {
        if self.clauses.len(clause) > 1 {
            self.log.delete(self.clauses.id(clause));
        }
        self.clauses.set_garbage(clause);
        self.stats.deleted += 1;
    }

    /// Deletes a clause of any length so that propagation does not visit it again.
    pub(crate) fn withdraw(&mut self, clause: ClauseRef) {
        self.watches.detach_if_binary(self.clauses, clause);
        self.delete(clause);
    }

    pub(crate) fn delete_satisfied(&mut self) {
        let trail = &self.trail;
        let satisfied: Vec<ClauseRef> =
            self.clauses.iter().filter(|&clause| self.clauses.lits(clause).any(|lit| trail.is_fixed(lit))).collect();
        for clause in satisfied {
            self.delete(clause);
        }
    }

    /// Removes deleted clauses from all watch lists, and collects garbage if enough has accumulated.
    pub(crate) fn sweep(&mut self) {
        clauses::collect(self.clauses, self.watches, self.trail, self.stats);
        if self.wants_checks() {
            self.check_swept();
        }
    }

    /// Sweeps only if the garbage exceeds a quarter of the arena and is larger than the number of watch lists.
    /// Meant for frequent deletions of few clauses, because a sweep reads every watch list.
    pub(crate) fn sweep_if_wasteful(&mut self) {
        if self.clauses.is_wasteful() && self.clauses.garbage_words() > self.watches.len() {
            self.sweep();
        }
    }
}
