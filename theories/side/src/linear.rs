//! Conjunctions of linear atoms about several constants, decided over the rationals by the exact simplex method
//! ([`linear`]). A contradiction comes with the multipliers that the checker needs
//! (`model::Axiom::LinearConflict`).
//!
//! Atoms with remainders are left out, so values that satisfy all others are only a proposal.

use crate::normal::{Inequality, inequality};
use linear::Rational;
use linear::rational::common_denominator;
use linear::simplex::{Check, Simplex, Var};
use model::{Constant, IntAtom, Values};
use num_bigint::BigInt;
use num_traits::Signed;
use std::collections::BTreeMap;

/// Limit on the work of the simplex method, in its units (about microseconds).
const WORK: u64 = 500_000;

/// What the simplex method found.
pub(crate) enum Answer {
    /// The atoms at these positions, with these multipliers, contradict each other.
    Contradiction(Vec<(usize, BigInt)>),
    /// Values that satisfy all inequalities, if they are integers.
    Values(Option<Values>),
    /// The limit on work was reached.
    GaveUp,
}

/// Returns multipliers of the atoms at these positions with which they contradict each other, as
/// `model::Axiom::LinearConflict` defines it. `None` if there are none, or if they are too hard to find.
#[must_use]
pub fn contradiction<'a>(atoms: impl IntoIterator<Item = &'a IntAtom>) -> Option<Vec<(usize, BigInt)>> {
    match solve(atoms) {
        Answer::Contradiction(multipliers) => Some(multipliers),
        Answer::Values(_) | Answer::GaveUp => None,
    }
}

/// A row of the simplex method: the atom and its inequality, which is the second one of an equation if `is_second`.
struct Origin {
    position: usize,
    is_second: bool,
}

pub(crate) fn solve<'a>(atoms: impl IntoIterator<Item = &'a IntAtom>) -> Answer {
    let mut simplex = Simplex::default();
    let mut columns: BTreeMap<Constant, Var> = BTreeMap::new();
    let mut rows: BTreeMap<Var, Origin> = BTreeMap::new();
    for (position, atom) in atoms.into_iter().enumerate() {
        for is_second in [false, true] {
            if is_second && matches!(atom, IntAtom::Le(..)) {
                continue;
            }
            let Some(Inequality { terms, number }) = inequality(atom, is_second) else { continue };
            if terms.is_empty() {
                if number.is_positive() {
                    return Answer::Contradiction(vec![(position, signed(1.into(), is_second))]);
                }
                continue;
            }
            let mut sum: Vec<(Var, Rational)> = Vec::with_capacity(terms.len());
            for (constant, factor) in &terms {
                let column = columns.entry(constant.clone()).or_insert_with(|| match constant.is_natural() {
                    true => simplex.column(Rational::ZERO, None),
                    false => simplex.free_column(),
                });
                sum.push((*column, Rational::from(factor)));
            }
            sum.sort_by_key(|(column, _)| *column);
            let row = simplex.row(&sum);
            simplex.set_upper(row, Some(Rational::from(&number).negated()));
            rows.insert(row, Origin { position, is_second });
        }
    }
    match simplex.check(WORK) {
        Check::More => Answer::GaveUp,
        Check::Feasible => {
            let value = |column: &Var| Some(simplex.value(*column)).filter(|value| value.is_integer());
            let value = |(constant, column): (&Constant, &Var)| Some((constant.clone(), value(column)?.numerator()));
            Answer::Values(columns.iter().map(value).collect())
        }
        Check::Conflict(blames) => {
            let scale = Rational::from(&common_denominator(blames.iter().map(|blame| &blame.multiplier)));
            // Lower bounds of columns, which say that constants are never negative, are no atoms.
            let of_atoms = blames.iter().filter_map(|blame| rows.get(&blame.var).map(|origin| (origin, blame)));
            let whole = |m: &Rational| m.times(&scale).numerator();
            Answer::Contradiction(
                of_atoms.map(|(from, b)| (from.position, signed(whole(&b.multiplier), from.is_second))).collect(),
            )
        }
    }
}

fn signed(multiplier: BigInt, is_second: bool) -> BigInt {
    if is_second { -multiplier } else { multiplier }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{EventId, IntTerm};
    use num_traits::Zero;
    use proptest::prelude::*;

    fn count(event: u32) -> IntTerm {
        IntTerm::Constant(Constant::Count(EventId(event)))
    }

    #[test]
    fn differences_contradict_a_sum() {
        let difference = |a: u32, b: u32| IntTerm::counts(&[(EventId(a), 1), (EventId(b), -1)]);
        let most = |d: IntTerm, n: i64| IntAtom::Le(d, IntTerm::number(n));
        let sum = IntTerm::Sum(vec![difference(0, 1), difference(2, 3)]);
        let atoms = [most(difference(0, 1), 4), most(difference(2, 3), 4), IntAtom::Le(IntTerm::number(9), sum)];
        let found = contradiction(&atoms).expect("4 + 4 < 9");
        assert_eq!(found.into_iter().collect::<BTreeMap<_, _>>(), [0, 1, 2].map(|p| (p, BigInt::from(1))).into());
        assert_eq!(contradiction(&atoms[..2]), None);
        // Counts are never negative, and named constants may be.
        let negative = |term: IntTerm| IntAtom::Le(IntTerm::Sum(vec![term.clone(), count(0)]), IntTerm::number(-1));
        assert!(contradiction(&[negative(count(1))]).is_some());
        assert!(contradiction(&[negative(IntTerm::Constant(Constant::Named("x".into())))]).is_none());
        // 2 a - 2 b <= 1 and 2 a - 2 b >= 1 hold for fractions only.
        let double = || IntTerm::Scaled(2.into(), Box::new(difference(0, 1)));
        assert!(contradiction(&[most(double(), 1), IntAtom::Le(IntTerm::number(1), double())]).is_some());
        assert!(contradiction(&[IntAtom::Eq(double(), IntTerm::number(1))]).is_some());
    }

    proptest! {
        #![proptest_config(testkit::config(2000))]

        /// Either small values satisfy all atoms, or multiples add up to a contradiction, or neither was found.
        #[test]
        fn contradictions_add_up(
            rows in prop::collection::vec((prop::collection::vec(-3_i64..=3, 3), -6_i64..=6, prop::bool::ANY), 1..6),
        ) {
            let atom = |(factors, number, is_equation): &(Vec<i64>, i64, bool)| {
                let weights: Vec<_> = (0..).zip(factors).map(|(e, f)| (EventId(e), *f)).collect();
                let (left, right) = (IntTerm::counts(&weights), IntTerm::number(*number));
                if *is_equation { IntAtom::Eq(left, right) } else { IntAtom::Le(left, right) }
            };
            let atoms: Vec<IntAtom> = rows.iter().map(atom).collect();
            let digit = |n: i64, e: u32| (Constant::Count(EventId(e)), (n / 8_i64.pow(e) % 8).into());
            let values = |n: i64| (0..3).map(|e| digit(n, e)).collect();
            let satisfiable = (0..512).any(|n| atoms.iter().all(|a| a.eval(&values(n)) == Some(true)));
            match solve(&atoms) {
                Answer::Contradiction(multipliers) => {
                    prop_assert!(!satisfiable);
                    let mut sum: BTreeMap<Constant, BigInt> = BTreeMap::new();
                    let mut number = BigInt::zero();
                    for (position, multiplier) in multipliers {
                        let row = inequality(&atoms[position], multiplier.is_negative()).expect("no remainders");
                        prop_assert!(!multiplier.is_negative() || matches!(atoms[position], IntAtom::Eq(..)));
                        number += row.number * multiplier.abs();
                        for (constant, factor) in row.terms {
                            *sum.entry(constant).or_default() += factor * multiplier.abs();
                        }
                    }
                    prop_assert!(number.is_positive() && sum.values().all(|factor| !factor.is_negative()));
                }
                Answer::Values(Some(found)) => {
                    let none = (0..3).map(|e| (Constant::Count(EventId(e)), BigInt::zero()));
                    let all: Values = none.chain(found).collect();
                    prop_assert!(atoms.iter().all(|a| a.eval(&all) == Some(true)));
                }
                Answer::Values(None) => {}
                Answer::GaveUp => prop_assert!(false, "small numbers take little work"),
            }
        }
    }
}
