//! Integer terms and atoms: the arithmetic language of patterns.
//!
//! Atoms are *half-reified* in the search: a true literal asserts its atom, but a false literal asserts
//! nothing. To assert that an atom does not hold, a lemma uses the negation as a separate atom.
//! Half-reification has three properties:
//! 1. Conflicts stay valid, because a conflict states that some atoms cannot hold together.
//! 2. Models are checked only against the atoms of true literals.
//! 3. Negated congruences, which are expensive, never occur.

use crate::array::ArrayTerm;
use crate::ids::EventId;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::Zero;
use std::collections::BTreeMap;
use std::sync::Arc;

/// An integer constant: a function of the violating run.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Constant {
    /// The number of events of the violating run, called `T` in the documentation of justifications.
    RunLength,
    /// The number of times that this event fires in the violating run.
    Count(EventId),
    /// A constant that a pattern introduced and defines.
    Named(Arc<str>),
    /// The number that an array has at an index ([`crate::array`]).
    Cell(Box<ArrayTerm>, Box<IntTerm>),
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
    /// The two sides are equal.
    Eq(IntTerm, IntTerm),
    /// The left side is at most the right side.
    Le(IntTerm, IntTerm),
}

/// Values of constants, proposed by a side theory or determined by a run.
pub type Values = BTreeMap<Constant, BigInt>;

impl Constant {
    /// Returns true if the constant is never negative: the run length and the counts of events.
    #[must_use]
    pub fn is_natural(&self) -> bool {
        matches!(self, Self::RunLength | Self::Count(_))
    }
}

impl IntTerm {
    /// Returns the sum of multiples of counts: `3 * count(a) - count(b)` for `[(a, 3), (b, -1)]`.
    #[must_use]
    pub fn counts(weights: &[(EventId, i64)]) -> Self {
        let count = |&(event, weight): &(EventId, i64)| match Self::Constant(Constant::Count(event)) {
            count if weight == 1 => count,
            count => Self::Scaled(weight.into(), Box::new(count)),
        };
        Self::Sum(weights.iter().map(count).collect())
    }

    /// Returns the term `constant mod modulus`.
    #[must_use]
    pub fn residue(constant: Constant, modulus: u64) -> Self {
        Self::Mod(Box::new(Self::Constant(constant)), modulus)
    }

    /// Returns a number as a term.
    #[must_use]
    pub fn number(n: impl Into<BigInt>) -> Self {
        Self::Number(n.into())
    }

    /// Returns the value of the term under `values`; `None` if a constant has no value, or if a modulus is 0. A cell
    /// without a value of its own has that of the cell at the value of its index.
    /// The recursion depth is that of a term that a pattern built, independent of the input.
    #[must_use]
    pub fn eval(&self, values: &Values) -> Option<BigInt> {
        match self {
            Self::Number(n) => Some(n.clone()),
            Self::Constant(c) => values.get(c).cloned().or_else(|| match c {
                Constant::Cell(array, index) => array.read(index, values),
                _ => None,
            }),
            Self::Sum(terms) => terms.iter().try_fold(BigInt::zero(), |sum, t| Some(sum + t.eval(values)?)),
            Self::Scaled(factor, t) => Some(factor * t.eval(values)?),
            Self::Mod(_, 0) => None,
            Self::Mod(t, modulus) => Some(t.eval(values)?.mod_floor(&BigInt::from(*modulus))),
        }
    }
}

impl IntAtom {
    /// Returns the atom `constant = residue (mod modulus)`, with `residue < modulus`: the normal form that
    /// certificates support.
    #[must_use]
    pub fn congruent(constant: Constant, residue: u64, modulus: u64) -> Self {
        debug_assert!(residue < modulus, "a residue lies below its modulus");
        Self::Eq(IntTerm::residue(constant, modulus), IntTerm::number(residue))
    }

    /// Returns the atom `constant = value`.
    #[must_use]
    pub fn equals(constant: Constant, value: u64) -> Self {
        Self::Eq(IntTerm::Constant(constant), IntTerm::number(value))
    }

    /// Returns the atom `constant >= bound`.
    #[must_use]
    pub fn at_least(constant: Constant, bound: u64) -> Self {
        Self::Le(IntTerm::number(bound), IntTerm::Constant(constant))
    }

    /// Returns the atom `constant <= bound`.
    #[must_use]
    pub fn at_most(constant: Constant, bound: u64) -> Self {
        Self::Le(IntTerm::Constant(constant), IntTerm::number(bound))
    }

    /// Calls `visit` for each constant of the atom, and for those in the arrays and indexes of cells.
    pub fn for_each_constant<'a>(&'a self, visit: &mut impl FnMut(&'a Constant)) {
        let (Self::Eq(left, right) | Self::Le(left, right)) = self;
        let mut open: Vec<&IntTerm> = vec![left, right];
        while let Some(term) = open.pop() {
            match term {
                IntTerm::Number(_) => {}
                IntTerm::Constant(constant) => {
                    visit(constant);
                    let Constant::Cell(array, index) = constant else { continue };
                    open.push(index);
                    let mut array = array;
                    while let ArrayTerm::Store(before, at, value) = &**array {
                        open.extend([&**at, &**value]);
                        array = before;
                    }
                }
                IntTerm::Sum(terms) => open.extend(terms),
                IntTerm::Scaled(_, term) | IntTerm::Mod(term, _) => open.push(term),
            }
        }
    }

    /// Returns the truth value of the atom under `values`; `None` if a term has no value.
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
