//! Signs of variables: a clause laid out by variable, to be compared with others, or to be freed of duplicates.
//!
//! Invariant: all signs are 0 between two uses.

use crate::lit::{Lit, Var};

/// Of a variable that is in no clause laid out.
const NONE: u8 = 0;
/// Of one that was met, whatever its sign.
const MET: u8 = 4;

#[derive(Default)]
pub(crate) struct Signs {
    by_var: Vec<u8>,
    distinct: Vec<Lit>,
}

/// A clause without duplicates.
pub(crate) struct Distinct<'a> {
    pub(crate) literals: &'a [Lit],
    /// Does some literal occur with its negation?
    pub(crate) is_tautology: bool,
}

fn sign_of(lit: Lit) -> u8 {
    1 << (lit.0 & 1)
}

impl Signs {
    pub(crate) fn new_var(&mut self) {
        self.by_var.push(NONE);
    }

    /// The literals without duplicates, in order.
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

    /// Lays out a clause. `unset` must follow.
    pub(crate) fn set(&mut self, literals: impl Iterator<Item = Lit>) {
        for lit in literals {
            debug_assert_eq!(self.by_var[lit.var().index()], NONE);
            self.by_var[lit.var().index()] = sign_of(lit);
        }
    }

    pub(crate) fn unset(&mut self, literals: impl Iterator<Item = Lit>) {
        literals.for_each(|lit| self.by_var[lit.var().index()] = NONE);
    }

    /// Is the literal in the clause laid out, or its negation? `None`: neither.
    pub(crate) fn has(&self, lit: Lit) -> Option<bool> {
        match self.by_var[lit.var().index()] {
            NONE => None,
            sign => Some(sign == sign_of(lit)),
        }
    }

    /// How many of these literals are in the clause laid out.
    pub(crate) fn count(&self, literals: impl Iterator<Item = Lit>) -> usize {
        literals.filter(|&lit| self.by_var[lit.var().index()] == sign_of(lit)).count()
    }

    /// Is the variable met for the first time since `leave`?
    pub(crate) fn meet(&mut self, var: Var) -> bool {
        std::mem::replace(&mut self.by_var[var.index()], MET) == NONE
    }

    pub(crate) fn leave(&mut self, met: impl Iterator<Item = Var>) {
        met.for_each(|var| self.by_var[var.index()] = NONE);
    }

    /// Panics if a sign is left.
    pub(crate) fn check(&self) {
        assert!(self.by_var.iter().all(|&sign| sign == NONE), "a sign is left of a clause");
    }
}
