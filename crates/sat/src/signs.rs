//! A table of literal signs, indexed by variable. It is used to compare one clause with others, and to remove
//! duplicate literals.
//!
//! Invariant: all signs are 0 between two uses.

use crate::lit::{Lit, Var};

/// Sign of a variable that does not occur in the recorded clause.
const NONE: u8 = 0;
/// Mark of a variable that `meet` has visited, whatever its sign.
const MET: u8 = 4;

#[derive(Default)]
pub(crate) struct Signs {
    by_var: Vec<u8>,
    distinct: Vec<Lit>,
}

/// A clause without duplicates.
pub(crate) struct Distinct<'a> {
    pub(crate) literals: &'a [Lit],
    /// True if a literal and its negation both occur.
    pub(crate) is_tautology: bool,
}

fn sign_of(lit: Lit) -> u8 {
    1 << (lit.0 & 1)
}

impl Signs {
    pub(crate) fn new_var(&mut self) {
        self.by_var.push(NONE);
    }

    /// Returns the literals without duplicates, in order.
    pub(crate) fn distinct(&mut self, literals: &[Lit]) -> Distinct<'_> {
        self.distinct.clear();
        let mut is_tautology = false;
        for &lit in literals {
            let bit = sign_of(lit);
            let sign = &mut self.by_var[lit.var().index()];
            debug_assert!(*sign < MET);
            is_tautology |= *sign & !bit != 0;
            if *sign & bit == 0 {
                *sign |= bit;
                self.distinct.push(lit);
            }
        }
        for lit in &self.distinct {
            self.by_var[lit.var().index()] = NONE;
        }
        debug_assert!(self.distinct.len() <= literals.len());
        Distinct { literals: &self.distinct, is_tautology }
    }

    /// Records the signs of the literals of a clause. The caller must call `unset` afterwards.
    pub(crate) fn set(&mut self, literals: impl Iterator<Item = Lit>) {
        for lit in literals {
            debug_assert_eq!(self.by_var[lit.var().index()], NONE);
            self.by_var[lit.var().index()] = sign_of(lit);
        }
    }

    pub(crate) fn unset(&mut self, literals: impl Iterator<Item = Lit>) {
        literals.for_each(|lit| self.by_var[lit.var().index()] = NONE);
    }

    /// `Some(true)` if the recorded clause contains the literal, `Some(false)` if it contains the negation,
    /// otherwise `None`.
    pub(crate) fn has(&self, lit: Lit) -> Option<bool> {
        match self.by_var[lit.var().index()] {
            NONE => None,
            sign => Some(sign == sign_of(lit)),
        }
    }

    /// Returns how many of these literals the recorded clause contains.
    pub(crate) fn count(&self, literals: impl Iterator<Item = Lit>) -> usize {
        literals.filter(|&lit| self.by_var[lit.var().index()] == sign_of(lit)).count()
    }

    /// Marks the variable. Returns true if it was not marked since the last `leave`.
    pub(crate) fn meet(&mut self, var: Var) -> bool {
        std::mem::replace(&mut self.by_var[var.index()], MET) == NONE
    }

    pub(crate) fn leave(&mut self, met: impl Iterator<Item = Var>) {
        met.for_each(|var| self.by_var[var.index()] = NONE);
    }

    /// Panics if a sign is not 0.
    pub(crate) fn check(&self) {
        assert!(self.by_var.iter().all(|&sign| sign == NONE), "a sign is left of a clause");
    }
}
