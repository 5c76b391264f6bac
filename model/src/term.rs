//! Terms and atoms of the side sorts: what patterns say in arithmetic. (Arrays and words join as further atoms.)
//!
//! Atoms are *half-reified* in the search: a literal that is true asserts its atom, a literal that is false asserts
//! nothing. To say that an atom fails, state its negation as an atom of its own. Conflicts stay valid (they say that
//! some atoms do not hold together), models are checked against the true ones only, and nobody pays for negated
//! congruences.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::Zero;
use std::collections::BTreeMap;
use std::sync::Arc;

/// An integer that is a function of the violating run.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Constant {
    /// The number of events of the violating run, `T` in the documentation of facts.
    RunLength,
    /// A constant that a pattern introduced; its meaning is the pattern's own.
    Named(Arc<str>),
}

/// A linear integer term with remainders.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum IntTerm {
    /// A number.
    Number(BigInt),
    /// A constant.
    Constant(Constant),
    /// A sum.
    Sum(Vec<IntTerm>),
    /// A multiple.
    Scaled(BigInt, Box<IntTerm>),
    /// The remainder in `0..modulus`; the modulus is at least 1.
    Mod(Box<IntTerm>, u64),
}

/// A statement about integer terms.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum IntAtom {
    /// Both sides are equal.
    Eq(IntTerm, IntTerm),
    /// The left side is at most the right side.
    Le(IntTerm, IntTerm),
}

/// Values of constants, as a side theory proposes them or a run determines them.
pub type Values = BTreeMap<Constant, BigInt>;

impl IntTerm {
    /// `constant mod modulus`.
    #[must_use]
    pub fn residue(constant: Constant, modulus: u64) -> Self {
        Self::Mod(Box::new(Self::Constant(constant)), modulus)
    }

    /// A small number.
    #[must_use]
    pub fn number(n: impl Into<BigInt>) -> Self {
        Self::Number(n.into())
    }

    /// The value under `values`; `None` if a constant has none, or a modulus is 0. Recursion follows the term a
    /// pattern built, not input.
    #[must_use]
    pub fn eval(&self, values: &Values) -> Option<BigInt> {
        match self {
            Self::Number(n) => Some(n.clone()),
            Self::Constant(c) => values.get(c).cloned(),
            Self::Sum(terms) => terms.iter().try_fold(BigInt::zero(), |sum, t| Some(sum + t.eval(values)?)),
            Self::Scaled(factor, t) => Some(factor * t.eval(values)?),
            Self::Mod(_, 0) => None,
            Self::Mod(t, modulus) => Some(t.eval(values)?.mod_floor(&BigInt::from(*modulus))),
        }
    }
}

impl IntAtom {
    /// `constant = residue (mod modulus)`, with `residue < modulus`: the normal form that certificates understand.
    #[must_use]
    pub fn congruent(constant: Constant, residue: u64, modulus: u64) -> Self {
        debug_assert!(residue < modulus, "a residue lies below its modulus");
        Self::Eq(IntTerm::residue(constant, modulus), IntTerm::number(residue))
    }

    /// `constant = value`.
    #[must_use]
    pub fn equals(constant: Constant, value: u64) -> Self {
        Self::Eq(IntTerm::Constant(constant), IntTerm::number(value))
    }

    /// `constant >= bound`.
    #[must_use]
    pub fn at_least(constant: Constant, bound: u64) -> Self {
        Self::Le(IntTerm::number(bound), IntTerm::Constant(constant))
    }

    /// `constant <= bound`.
    #[must_use]
    pub fn at_most(constant: Constant, bound: u64) -> Self {
        Self::Le(IntTerm::Constant(constant), IntTerm::number(bound))
    }

    /// Its truth under `values`; `None` if a constant has no value.
    #[must_use]
    pub fn eval(&self, values: &Values) -> Option<bool> {
        match self {
            Self::Eq(a, b) => Some(a.eval(values)? == b.eval(values)?),
            Self::Le(a, b) => Some(a.eval(values)? <= b.eval(values)?),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remainders_round_down() {
        let values = Values::from([(Constant::RunLength, BigInt::from(-1))]);
        assert_eq!(IntAtom::congruent(Constant::RunLength, 2, 3).eval(&values), Some(true));
        assert_eq!(IntAtom::at_least(Constant::RunLength, 0).eval(&values), Some(false));
        assert_eq!(IntAtom::equals(Constant::Named("x".into()), 0).eval(&values), None);
        assert_eq!(IntTerm::residue(Constant::RunLength, 0).eval(&values), None);
    }
}
