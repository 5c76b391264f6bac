//! Linear sums of integer constants: how atoms are read, and sums of multiples of atoms that contradict each other
//! (Farkas).
//!
//! 1. If [`Sum::is_positive`], the added atoms do not all hold. Proof: suppose that they do. By the definitions at
//!    [`model::Axiom::LinearConflict`], each summand is a multiple >= 0 of an integer that is at most 0. (Dividing an
//!    inequality `g * s + n <= 0` by g gives `s <= -n / g`. Since s is an integer, `s <= -ceil(n / g)`.) So the sum is
//!    at most 0. But its constants are never negative, their coefficients are not negative, and its number is positive.

use crate::{Check, reject};
use kernel::Work;
use model::{Constant, IntAtom, IntTerm};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};
use std::collections::BTreeMap;

/// Multiples of constants and a number. No coefficient is zero.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Linear<'a> {
    pub(crate) terms: BTreeMap<&'a Constant, BigInt>,
    pub(crate) number: BigInt,
}

/// What an atom says about a sum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Relation {
    /// The sum is 0.
    Zero,
    /// The sum is at most 0.
    AtMostZero,
}

/// Reads an atom as a statement about `left - right`. `None` if it contains a remainder.
pub(crate) fn read<'a>(atom: &'a IntAtom, work: &mut Work<'_>) -> Check<Option<(Linear<'a>, Relation)>> {
    let (left, right, relation) = match atom {
        IntAtom::Eq(left, right) => (left, right, Relation::Zero),
        IntAtom::Le(left, right) => (left, right, Relation::AtMostZero),
    };
    let mut sum = Linear::default();
    let mut open = vec![(left, BigInt::one()), (right, -BigInt::one())];
    while let Some((term, factor)) = open.pop() {
        work.spend(words(&factor))?;
        match term {
            IntTerm::Number(n) => {
                work.spend(words(n).saturating_mul(words(&factor)))?;
                sum.number += n * factor;
            }
            IntTerm::Constant(constant) => sum.add_term(constant, factor),
            IntTerm::Sum(terms) => {
                work.grow(terms.len().saturating_mul(size_of::<(&IntTerm, BigInt)>()))?;
                open.extend(terms.iter().map(|term| (term, factor.clone())));
            }
            IntTerm::Scaled(by, term) => {
                work.spend(words(by).saturating_mul(words(&factor)))?;
                open.push((term, factor * by));
            }
            IntTerm::Mod(..) => return Ok(None),
        }
    }
    Ok(Some((sum, relation)))
}

/// The number of words of a number, at least 1.
fn words(number: &BigInt) -> u64 {
    1 + number.bits() / 64
}

impl<'a> Linear<'a> {
    fn add_term(&mut self, constant: &'a Constant, by: BigInt) {
        let coefficient = self.terms.entry(constant).or_default();
        *coefficient += by;
        if coefficient.is_zero() {
            self.terms.remove(constant);
        }
    }

    /// Returns the negated sum.
    pub(crate) fn negated(mut self) -> Self {
        self.terms.values_mut().for_each(|coefficient| *coefficient = -&*coefficient);
        self.number = -self.number;
        self
    }

    /// Divides the inequality `self <= 0` by the greatest common divisor of its coefficients, and rounds its number up.
    fn tighten(&mut self, work: &mut Work<'_>) -> Check<()> {
        let mut divisor = BigInt::zero();
        for coefficient in self.terms.values() {
            let size = words(coefficient).max(words(&divisor));
            work.spend(size.saturating_mul(size))?;
            divisor = divisor.gcd(coefficient);
        }
        if divisor.is_zero() || divisor.is_one() {
            return Ok(());
        }
        work.spend(words(&self.number).saturating_mul(words(&divisor)))?;
        self.terms.values_mut().for_each(|coefficient| *coefficient /= &divisor);
        self.number = Integer::div_ceil(&self.number, &divisor);
        Ok(())
    }
}

/// A sum of multiples of inequalities `.. <= 0`.
#[derive(Default, Debug)]
pub(crate) struct Sum<'a>(Linear<'a>);

impl<'a> Sum<'a> {
    /// Adds a multiple of an atom, as [`model::Axiom::LinearConflict`] defines it.
    pub(crate) fn add(&mut self, atom: &'a IntAtom, multiplier: &BigInt, work: &mut Work<'_>) -> Check<()> {
        let Some((mut linear, relation)) = read(atom, work)? else { return reject("an atom has a remainder") };
        if multiplier.is_negative() {
            if relation == Relation::AtMostZero {
                return reject("the multiplier of an inequality is negative");
            }
            linear = linear.negated();
        }
        linear.tighten(work)?;
        let times = multiplier.magnitude().clone().into();
        for (constant, coefficient) in linear.terms {
            work.spend(words(&coefficient).saturating_mul(words(&times)))?;
            self.0.add_term(constant, coefficient * &times);
        }
        work.spend(words(&linear.number).saturating_mul(words(&times)))?;
        self.0.number += linear.number * times;
        Ok(())
    }

    /// True if the sum is positive for all values of its constants.
    pub(crate) fn is_positive(&self) -> bool {
        let cannot_lower = |(constant, by): (&&Constant, &BigInt)| constant.is_natural() && by.is_positive();
        self.0.number.is_positive() && self.0.terms.iter().all(cannot_lower)
    }
}
