//! The parts that Boolean constraint propagation works on, borrowed together: the assignment, the clauses with their
//! watches, the order of decisions that gets back what is unassigned, and the log and counters of all that.
//!
//! Here is what keeps them in step: clauses come in, checked for duplicates and with the two best watches for the
//! assignment as it is, and are acted upon; literals come to be true by a clause, or are no longer true; clauses go.
//! The same for clauses from outside, lemmas at any level, learnt clauses and explanations. A unit or empty clause is
//! nothing special: its missing literals count as false at level 0.
//!
//! Invariants between two calls: a clause of two and more literals that is not garbage is watched; none that is a
//! reason, or noted as one, is garbage.

use crate::clauses::{self, ClauseRef, Clauses, Kind};
use crate::lit::Lit;
use crate::log::Log;
use crate::options::Options;
use crate::order::Order;
use crate::proof::ClauseId;
use crate::signs::Signs;
use crate::stats::Stats;
use crate::theory::{Tag, View};
use crate::trail::{Reason, Trail};
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

/// `reason` implies `lit`, which is not false, at `level`.
pub(crate) fn imply_by(trail: &mut Trail, clauses: &Clauses, log: &mut Log, reason: Reason, lit: Lit, level: u32) {
    debug_assert!(!trail.is_false(lit));
    if trail.is_true(lit) {
        trail.note_missed(reason, lit, level);
        return;
    }
    if level == 0 {
        log.unit(clauses, reason, lit);
    }
    trail.assign(lit, level, reason);
}

impl Bcp<'_> {
    /// Logs a clause from outside and stores it, unless it can never matter. Answers it if it is false now.
    pub(crate) fn add_axiom(&mut self, tag: Tag, literals: &[Lit]) -> Option<ClauseRef> {
        let id = self.log.axiom(tag, literals);
        let stored = self.store(id, literals, Kind::Given)?;
        self.evaluate(stored)
    }

    /// Stores a logged clause, unless it can never matter.
    pub(crate) fn store(&mut self, id: ClauseId, literals: &[Lit], kind: Kind) -> Option<ClauseRef> {
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

    /// Stores a derived clause, and watches it.
    pub(crate) fn add(&mut self, literals: &[Lit], id: ClauseId, kind: Kind, glue: u32) -> ClauseRef {
        debug_assert!(!literals.is_empty() && self.signs.distinct(literals).literals.len() == literals.len());
        let clause = self.clauses.add(literals, id, kind, glue);
        self.watches.attach(self.clauses, self.trail, clause);
        clause
    }

    /// Acts upon a clause whose best literals are at the front: implies what it implies, or answers it if it is false.
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

    /// `clause` implies its first literal at `level`.
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
        imply_by(self.trail, self.clauses, self.log, reason, lit, level);
    }

    /// Ends all levels above `level`. `make_missed` must follow.
    pub(crate) fn pop_levels(&mut self, level: u32) {
        while self.trail.depth() > level {
            self.trail.pop_level(level, |lit| self.order.unassigned(lit));
        }
    }

    /// Makes implications that were missed at their true level, after levels ended.
    pub(crate) fn make_missed(&mut self) {
        while let Some(missed) = self.trail.next_due() {
            debug_assert!(missed.level <= self.trail.depth());
            self.stats.reimplied += 1;
            imply_by(self.trail, self.clauses, self.log, missed.reason, missed.lit, missed.level);
        }
    }

    /// Propagates at level 0. Answers whether that refutes the formula.
    pub(crate) fn propagate_fixed(&mut self) -> bool {
        debug_assert_eq!(self.trail.depth(), 0);
        if let Some(conflict) = self.propagate() {
            self.log.refute(self.clauses, conflict);
        }
        self.log.is_refuted()
    }

    /// Is some literal true because of this clause? Only a watched one can be.
    pub(crate) fn is_reason(&self, clause: ClauseRef) -> bool {
        self.clauses
            .lits(clause)
            .take(2)
            .any(|lit| self.trail.is_true(lit) && self.trail.reason(lit.var()).clause() == Some(clause))
    }

    /// Must it stay, because something is or will be true on account of it?
    pub(crate) fn is_locked(&self, clause: ClauseRef) -> bool {
        self.is_reason(clause) || self.trail.missed_clauses().any(|missed| missed == clause)
    }

    /// The clause becomes garbage. Units stay in the log: they are what the checker knows their literal by.
    pub(crate) fn delete(&mut self, clause: ClauseRef) {
        if self.clauses.len(clause) > 1 {
            self.log.delete(self.clauses.id(clause));
        }
        self.clauses.set_garbage(clause);
        self.stats.deleted += 1;
    }

    /// Deletes a clause of any length, so that propagation no longer meets it.
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

    /// Unwatches what was deleted, and collects when that pays.
    pub(crate) fn sweep(&mut self) {
        clauses::collect(self.clauses, self.watches, self.trail, self.stats);
        if self.wants_checks() {
            self.check_swept();
        }
    }

    /// After deletions that are frequent and small: a sweep looks at every watch list.
    pub(crate) fn sweep_if_wasteful(&mut self) {
        if self.clauses.is_wasteful() && self.clauses.garbage_words() > self.watches.len() {
            self.sweep();
        }
    }
}
