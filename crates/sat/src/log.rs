//! The log of clauses: assigns identifiers, collects the hints of the clause being derived (`hints.rs`), and
//! forwards all steps to the listener if one is set.
//!
//! Invariants:
//!
//! 1. Identifiers increase.
//! 2. Hints are empty between two derivations.
//! 3. The empty clause is the last step that the listener receives. After it the formula is refuted.
//! 4. If hints are wanted, every literal fixed at level 0 has a unit clause in the log.

use crate::clauses::{ClauseRef, Clauses};
use crate::hints::Hints;
use crate::lit::{Lit, Var};
use crate::proof::{ClauseId, Proof};
use crate::theory::Tag;
use crate::trail::{Reason, Trail};

#[derive(Default)]
pub(crate) struct Log {
    listener: Option<Box<dyn Proof>>,
    wants_hints: bool,
    last: u64,
    /// True if the empty clause has been derived.
    is_refuted: bool,
    /// For each variable fixed at level 0: its unit clause. Empty if no hints are wanted.
    units: Vec<ClauseId>,
    hints: Hints,
}

impl Log {
    pub(crate) fn set_listener(&mut self, listener: Box<dyn Proof>) {
        debug_assert_eq!(self.last, 0, "it hears of every clause");
        self.wants_hints = listener.wants_hints();
        self.listener = Some(listener);
    }

    fn listener(&mut self) -> Option<&mut Box<dyn Proof>> {
        self.listener.as_mut().filter(|_| !self.is_refuted)
    }

    pub(crate) fn is_on(&self) -> bool {
        self.listener.is_some()
    }

    pub(crate) fn wants_hints(&self) -> bool {
        self.wants_hints
    }

    /// True if the clauses are contradictory without assumptions.
    pub(crate) fn is_refuted(&self) -> bool {
        self.is_refuted
    }

    fn next(&mut self) -> ClauseId {
        self.last += 1;
        ClauseId(self.last)
    }

    /// The identifier assigned last.
    pub(crate) fn last(&self) -> ClauseId {
        ClauseId(self.last)
    }

    pub(crate) fn axiom(&mut self, tag: Tag, clause: &[Lit]) -> ClauseId {
        let id = self.next();
        if let Some(listener) = self.listener() {
            listener.axiom(id, tag, clause);
        }
        id
    }

    /// Logs a derived clause with the collected hints, and clears the hints.
    pub(crate) fn derive(&mut self, clause: &[Lit]) -> ClauseId {
        let id = self.next();
        let hints = self.hints.all();
        if let Some(listener) = self.listener.as_mut().filter(|_| !self.is_refuted) {
            listener.derived(id, clause, hints);
        }
        self.is_refuted |= clause.is_empty();
        self.hints.clear();
        id
    }

    /// Logs a derived clause with hints that were taken out of the log earlier.
    pub(crate) fn derive_by(&mut self, clause: &[Lit], hints: &[ClauseId]) -> ClauseId {
        debug_assert!(self.hints.is_empty() && !clause.is_empty());
        let id = self.next();
        if let Some(listener) = self.listener() {
            listener.derived(id, clause, hints);
        }
        id
    }

    pub(crate) fn delete(&mut self, id: ClauseId) {
        debug_assert!(id <= self.last());
        if let Some(listener) = self.listener() {
            listener.delete(id);
        }
    }

    /// Logs that `lit` is fixed at level 0 because all other literals of its reason are false at level 0.
    pub(crate) fn unit(&mut self, clauses: &Clauses, reason: Reason, lit: Lit) {
        if !self.is_on() {
            return;
        }
        let Some(clause) = reason.clause() else { unreachable!("{lit:?} is fixed without a clause") };
        let mut id = clauses.id(clause);
        if clauses.len(clause) > 1 {
            self.hint_units(clauses.lits(clause).filter(|&other| other != lit));
            self.hint(clauses, clause);
            id = self.derive(&[lit]);
        }
        if self.wants_hints {
            if self.units.len() <= lit.var().index() {
                self.units.resize(lit.var().index() + 1, ClauseId(0));
            }
            self.units[lit.var().index()] = id;
        }
    }

    /// Logs the empty clause: all literals of `clause` are false at level 0.
    pub(crate) fn refute(&mut self, clauses: &Clauses, clause: ClauseRef) {
        self.hint_units(clauses.lits(clause));
        self.hint(clauses, clause);
        self.derive(&[]);
    }

    /// Logs the refutation by the clause `empty`, which has no literals.
    pub(crate) fn refute_by(&mut self, empty: ClauseId) {
        if self.wants_hints {
            self.hints.step(empty);
        }
        self.derive(&[]);
    }

    /// Adds the clause as a hint after the hints that `hint` has collected so far.
    pub(crate) fn hint(&mut self, clauses: &Clauses, clause: ClauseRef) {
        if self.wants_hints {
            self.hints.step(clauses.id(clause));
        }
    }

    /// Adds the clause as a hint before the hints that `hint_before` has collected so far. Analysis uses it
    /// because it begins at the conflict, which must be the last hint.
    pub(crate) fn hint_before(&mut self, clauses: &Clauses, clause: ClauseRef) {
        if self.wants_hints {
            self.hints.before(clauses.id(clause));
        }
    }

    /// Adds a clause as a hint before all other hints. The negation of the derived clause alone must make it
    /// unit.
    pub(crate) fn hint_first(&mut self, clauses: &Clauses, clause: ClauseRef) {
        if self.wants_hints {
            self.hints.unit(clauses.id(clause));
        }
    }

    /// Adds the unit clause of a variable fixed at level 0 as a hint.
    pub(crate) fn hint_unit(&mut self, var: Var) {
        if self.wants_hints {
            self.hints.unit(self.units[var.index()]);
        }
    }

    fn hint_units(&mut self, literals: impl Iterator<Item = Lit>) {
        if self.wants_hints {
            literals.for_each(|lit| self.hints.unit(self.units[lit.var().index()]));
        }
    }

    /// Moves all hints into `to`, in order.
    pub(crate) fn take_hints(&mut self, to: &mut Vec<ClauseId>) {
        self.hints.take(to);
    }

    /// Discards the hints of a clause that will not be derived.
    pub(crate) fn forget_hints(&mut self) {
        self.hints.clear();
    }

    /// Panics if hints are left over, or if a fixed literal has no unit clause.
    pub(crate) fn check(&self, trail: &Trail) {
        assert!(self.hints.is_empty(), "hints are left of a derivation");
        for lit in trail.chain(0).filter(|_| self.wants_hints) {
            let unit = self.units.get(lit.var().index()).copied();
            assert!(unit.is_some_and(|unit| (1..=self.last).contains(&unit.0)), "{lit:?} is fixed without a unit");
        }
    }
}
