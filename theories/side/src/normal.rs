//! Reads an atom as a statement about one constant where possible: a congruence, a bound or a value.
//!
//! Nearly all atoms that patterns emit have these forms, and conjunctions of them need no solver (see
//! [`crate::clash`]).

use model::{Constant, IntAtom, IntTerm};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};
use std::collections::BTreeMap;

/// The meaning of an atom.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Reading {
    /// The atom holds for all values of the constants.
    True,
    /// The atom fails for all values of the constants.
    False,
    /// A statement about one constant.
    About(Constant, Statement),
    /// The atom has several constants or remainders.
    Other,
}

/// A statement about one constant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Statement {
    /// The constant equals `residue` modulo `modulus`, with `0 <= residue < modulus` and `modulus >= 2`.
    Congruent { residue: BigInt, modulus: BigInt },
    /// The constant is at least this number.
    AtLeast(BigInt),
    /// The constant is at most this number.
    AtMost(BigInt),
    /// The constant equals this number.
    Equals(BigInt),
}

/// A sum of multiples of constants, multiples of remainders, and a number. No coefficient is zero.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
struct Linear {
    constants: BTreeMap<Constant, BigInt>,
    remainders: BTreeMap<(Linear, u64), BigInt>,
    number: BigInt,
}

/// Returns the meaning of `atom`.
pub(crate) fn read(atom: &IntAtom) -> Reading {
    let (IntAtom::Eq(left, right) | IntAtom::Le(left, right)) = atom;
    let mut difference = Linear::default();
    difference.add(left, &BigInt::one());
    difference.add(right, &-BigInt::one());
    let is_equation = matches!(atom, IntAtom::Eq(..));
    let n = &difference.number;
    match (one(&difference.constants), one(&difference.remainders)) {
        (Count::None, Count::None) => truth(if is_equation { n.is_zero() } else { !n.is_positive() }),
        (Count::One(constant, c), Count::None) if is_equation => equation(constant, c, n),
        (Count::One(constant, c), Count::None) => bound(constant, c, n),
        (Count::None, Count::One((inner, modulus), c)) => remainder(inner, &BigInt::from(*modulus), c, n, is_equation),
        _ => Reading::Other,
    }
}

/// The inequality `sum of terms + number <= 0`, divided by the greatest common divisor of its coefficients, with its
/// number rounded up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Inequality {
    pub(crate) terms: BTreeMap<Constant, BigInt>,
    pub(crate) number: BigInt,
}

/// Returns the inequality `left - right <= 0`, or `right - left <= 0` with `is_second`. `None` if there are remainders.
pub(crate) fn inequality(atom: &IntAtom, is_second: bool) -> Option<Inequality> {
    let (IntAtom::Eq(left, right) | IntAtom::Le(left, right)) = atom;
    let one = if is_second { -BigInt::one() } else { BigInt::one() };
    let mut difference = Linear::default();
    difference.add(left, &one);
    difference.add(right, &-one);
    let Linear { constants: mut terms, remainders, mut number } = difference;
    let divisor = terms.values().fold(BigInt::zero(), |divisor, factor| divisor.gcd(factor));
    if !divisor.is_zero() {
        terms.values_mut().for_each(|factor| *factor /= &divisor);
        number = Integer::div_ceil(&number, &divisor);
    }
    remainders.is_empty().then_some(Inequality { terms, number })
}

enum Count<'a, K> {
    None,
    One(&'a K, &'a BigInt),
    Many,
}

fn one<K>(map: &BTreeMap<K, BigInt>) -> Count<'_, K> {
    let mut entries = map.iter();
    match (entries.next(), entries.next()) {
        (None, _) => Count::None,
        (Some((key, coefficient)), None) => Count::One(key, coefficient),
        _ => Count::Many,
    }
}

fn truth(holds: bool) -> Reading {
    if holds { Reading::True } else { Reading::False }
}

/// Reads `c * constant + n = 0`.
fn equation(constant: &Constant, c: &BigInt, n: &BigInt) -> Reading {
    let (value, rest) = (-n).div_mod_floor(c);
    if rest.is_zero() { Reading::About(constant.clone(), Statement::Equals(value)) } else { Reading::False }
}

/// Reads `c * constant + n <= 0`.
fn bound(constant: &Constant, c: &BigInt, n: &BigInt) -> Reading {
    let statement =
        if c.is_positive() { Statement::AtMost((-n).div_floor(c)) } else { Statement::AtLeast(n.div_ceil(&-c)) };
    Reading::About(constant.clone(), statement)
}

/// Reads `c * (inner mod modulus) + n = 0`, or `c * (inner mod modulus) + n <= 0` if `is_equation` is false.
fn remainder(inner: &Linear, modulus: &BigInt, c: &BigInt, n: &BigInt, is_equation: bool) -> Reading {
    let last = modulus - 1;
    if is_equation {
        let (value, rest) = (-n).div_mod_floor(c);
        let possible = rest.is_zero() && !value.is_negative() && value <= last;
        return if possible { congruence(inner, modulus, &value) } else { Reading::False };
    }
    if c.is_positive() {
        match (-n).div_floor(c) {
            most if most.is_negative() => Reading::False,
            most if most >= last => Reading::True,
            most if most.is_zero() => congruence(inner, modulus, &most),
            _ => Reading::Other,
        }
    } else {
        match n.div_ceil(&-c) {
            least if !least.is_positive() => Reading::True,
            least if least > last => Reading::False,
            least if least == last => congruence(inner, modulus, &least),
            _ => Reading::Other,
        }
    }
}

/// Reads `inner = residue (mod modulus)`.
fn congruence(inner: &Linear, modulus: &BigInt, residue: &BigInt) -> Reading {
    let (Count::One(constant, c), true) = (one(&inner.constants), inner.remainders.is_empty()) else {
        return Reading::Other;
    };
    // c * constant = target (mod modulus) is solvable iff gcd(c, modulus) divides target. Then the equation is
    // divided by the gcd and c is inverted.
    let target = residue - &inner.number;
    let bezout = c.extended_gcd(modulus);
    let (quotient, rest) = target.div_mod_floor(&bezout.gcd);
    let modulus = modulus / &bezout.gcd;
    if !rest.is_zero() {
        return Reading::False;
    }
    if modulus.is_one() {
        return Reading::True;
    }
    let residue = (quotient * bezout.x).mod_floor(&modulus);
    Reading::About(constant.clone(), Statement::Congruent { residue, modulus })
}

impl Linear {
    /// Adds `factor * term`.
    fn add(&mut self, term: &IntTerm, factor: &BigInt) {
        match term {
            IntTerm::Number(n) => self.number += factor * n,
            IntTerm::Constant(constant) => add_multiple(&mut self.constants, constant.clone(), factor),
            IntTerm::Sum(terms) => terms.iter().for_each(|t| self.add(t, factor)),
            IntTerm::Scaled(by, t) => self.add(t, &(factor * by)),
            IntTerm::Mod(t, modulus) => {
                let mut inner = Linear::default();
                inner.add(t, &BigInt::one());
                inner.reduce(&BigInt::from(*modulus));
                if inner.constants.is_empty() && inner.remainders.is_empty() {
                    self.number += factor * inner.number;
                } else {
                    add_multiple(&mut self.remainders, (inner, *modulus), factor);
                }
            }
        }
    }

    /// Replaces each coefficient, and the constant summand, by its remainder modulo `modulus`.
    fn reduce(&mut self, modulus: &BigInt) {
        reduce_all(&mut self.constants, modulus);
        reduce_all(&mut self.remainders, modulus);
        self.number = self.number.mod_floor(modulus);
    }
}

fn add_multiple<K: Ord>(map: &mut BTreeMap<K, BigInt>, key: K, factor: &BigInt) {
    *map.entry(key).or_default() += factor;
    map.retain(|_, coefficient| !coefficient.is_zero());
}

fn reduce_all<K: Ord>(map: &mut BTreeMap<K, BigInt>, modulus: &BigInt) {
    map.values_mut().for_each(|coefficient| *coefficient = coefficient.mod_floor(modulus));
    map.retain(|_, coefficient| !coefficient.is_zero());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{atoms, values};
    use model::Values;
    use proptest::prelude::*;

    const T: Constant = Constant::RunLength;

    fn congruent(residue: u32, modulus: u32) -> Reading {
        Reading::About(T, Statement::Congruent { residue: residue.into(), modulus: modulus.into() })
    }

    fn scaled(factor: i32, term: IntTerm) -> IntTerm {
        IntTerm::Scaled(factor.into(), Box::new(term))
    }

    #[test]
    fn reads_what_patterns_write() {
        assert_eq!(read(&IntAtom::congruent(T, 2, 5)), congruent(2, 5));
        assert_eq!(read(&IntAtom::equals(T, 7)), Reading::About(T, Statement::Equals(7.into())));
        assert_eq!(read(&IntAtom::at_least(T, 7)), Reading::About(T, Statement::AtLeast(7.into())));
        assert_eq!(read(&IntAtom::at_most(T, 7)), Reading::About(T, Statement::AtMost(7.into())));
        assert_eq!(read(&IntAtom::congruent(T, 0, 1)), Reading::True);
    }

    #[test]
    fn solves_scaled_congruences() {
        // 4 T + 1 = 5 (mod 6) iff 2 T = 2 (mod 3) iff T = 1 (mod 3).
        let term = IntTerm::Sum(vec![scaled(4, IntTerm::Constant(T)), IntTerm::number(1)]);
        let atom = |r: u32| IntAtom::Eq(IntTerm::Mod(Box::new(term.clone()), 6), IntTerm::number(r));
        assert_eq!(read(&atom(5)), congruent(1, 3));
        assert_eq!(read(&atom(2)), Reading::False);
        // T - T vanishes, 6 T vanishes modulo 6.
        let zero = IntTerm::Sum(vec![IntTerm::Constant(T), scaled(-1, IntTerm::Constant(T))]);
        assert_eq!(read(&IntAtom::Le(zero, IntTerm::number(0))), Reading::True);
        let six = IntTerm::Mod(Box::new(scaled(6, IntTerm::Constant(T))), 6);
        assert_eq!(read(&IntAtom::Eq(six, IntTerm::number(1))), Reading::False);
    }

    proptest! {
        #![proptest_config(testkit::config(2000))]

        #[test]
        fn scaled_statements_mean_what_they_say(
            factor in -5..6_i32,
            offset in -9..10_i32,
            number in -20..20_i32,
            modulus in prop::option::of(1..9_u64),
            form in 0..3_u8,
        ) {
            let linear = IntTerm::Sum(vec![scaled(factor, IntTerm::Constant(T)), IntTerm::number(offset)]);
            let left = modulus.map_or_else(|| linear.clone(), |m| IntTerm::Mod(Box::new(linear.clone()), m));
            let right = IntTerm::number(number);
            let atom = match form {
                0 => IntAtom::Eq(left, right),
                1 => IntAtom::Le(left, right),
                _ => IntAtom::Le(right, left),
            };
            for value in -40..40 {
                agrees(&atom, &Values::from([(T, value.into())]))?;
            }
        }

        #[test]
        fn means_what_the_atom_means(atom in atoms(), values in values()) {
            agrees(&atom, &values)?;
        }
    }

    fn agrees(atom: &IntAtom, values: &Values) -> Result<(), TestCaseError> {
        let says = match read(atom) {
            Reading::True => true,
            Reading::False => false,
            Reading::Other => return Ok(()),
            Reading::About(constant, statement) => {
                let value = &values[&constant];
                match statement {
                    Statement::Congruent { residue, modulus } => {
                        prop_assert!(residue < modulus && !residue.is_negative() && modulus > BigInt::one());
                        value.mod_floor(&modulus) == residue
                    }
                    Statement::AtLeast(bound) => *value >= bound,
                    Statement::AtMost(bound) => *value <= bound,
                    Statement::Equals(number) => *value == number,
                }
            }
        };
        prop_assert_eq!(Some(says), atom.eval(values));
        Ok(())
    }
}
