//! Integer terms and atoms: the arithmetic language of patterns.
//!
//! Atoms are *half-reified* in the search: a true literal asserts its atom, but a false literal asserts
//! nothing. To assert that an atom does not hold, a lemma uses the negation as a separate atom.
//! Half-reification has three properties:
//! 1. Conflicts stay valid, because a conflict states that some atoms cannot hold together.
//! 2. Models are checked only against the atoms of true literals.
//! 3. Negated congruences, which are expensive, never occur.

use crate::ids::{EventId, ThreadId};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{ToPrimitive, Zero};
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

/// An array: a number for each integer index.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ArrayTerm {
    /// An array that a pattern introduced.
    Named(Arc<str>),
    /// An array of threads, one for each cell.
    Threads(Arc<ThreadArray>),
    /// The array that differs from this one at the index (second) only, where it has the value (third).
    Store(Box<ArrayTerm>, Box<IntTerm>, Box<IntTerm>),
}

/// An array that the states of threads determine: cell k has the value of the local state of thread k of the list. The
/// other cells are 0, and so are all cells if the run has fewer than `back` events.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ThreadArray {
    /// Distance from the end of the run, in events, of the states that are read.
    pub back: u32,
    /// The cells, from index 0 on.
    pub cells: Vec<ThreadCell>,
}

/// A cell that is a thread.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ThreadCell {
    /// The thread.
    pub thread: ThreadId,
    /// For each of its local states: the value of the cell.
    pub values: Vec<i64>,
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

impl ArrayTerm {
    /// Returns the term `self[index]`.
    #[must_use]
    pub fn cell(&self, index: IntTerm) -> IntTerm {
        IntTerm::Constant(Constant::Cell(Box::new(self.clone()), Box::new(index)))
    }

    /// Returns the array that has `value` at `index`, and is this one elsewhere.
    #[must_use]
    pub fn store(&self, index: IntTerm, value: IntTerm) -> Self {
        Self::Store(Box::new(self.clone()), Box::new(index), Box::new(value))
    }

    /// Returns the number at this index, from the values of terms and of cells with a number as their index.
    pub(crate) fn read(&self, index: &IntTerm, values: &Values) -> Option<BigInt> {
        let index = index.eval(values)?;
        let mut array = self;
        while let Self::Store(before, at, value) = array {
            if at.eval(values)? == index {
                return value.eval(values);
            }
            array = before;
        }
        let is_outside = |of: &ThreadArray| index.to_usize().is_none_or(|index| index >= of.cells.len());
        match array {
            Self::Threads(of) if is_outside(of) => Some(BigInt::zero()),
            _ => values.get(&Constant::Cell(Box::new(array.clone()), Box::new(IntTerm::Number(index)))).cloned(),
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

    #[test]
    fn a_write_hides_what_was_there() {
        let a = ArrayTerm::Named("a".into());
        let number = |n: i64| IntTerm::number(n);
        let Constant::Cell(array, index) = Constant::Cell(Box::new(a.clone()), Box::new(number(1))) else {
            unreachable!("made above")
        };
        let mut values = Values::from([(Constant::Cell(array, index), BigInt::from(7))]);
        let twice = a.store(number(1), number(8)).store(number(2), number(9));
        let read = |array: &ArrayTerm, values: &Values, n: i64| array.cell(number(n)).eval(values);
        assert_eq!(read(&a, &values, 1), Some(7.into()));
        assert_eq!([1, 2, 3].map(|n| read(&twice, &values, n)), [Some(8.into()), Some(9.into()), None]);
        values.insert(Constant::RunLength, 1.into());
        assert_eq!(a.cell(IntTerm::Constant(Constant::RunLength)).eval(&values), Some(7.into()));
    }
}
