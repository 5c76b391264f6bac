//! Tests of the arithmetic against trying all numbers.

use super::brute::Rng;
use crate::arith::{Cover, Normal, clash, normal};
use crate::clocks::Clock;
use kernel::Work;
use model::{Constant, IntAtom, IntTerm, Stop};
use proptest::prelude::*;

fn atom() -> impl Strategy<Value = Normal> {
    prop_oneof![
        (1..=12u64)
            .prop_flat_map(|m| (Just(m), 0..m))
            .prop_map(|(modulus, residue)| Normal::Congruent { modulus, residue }),
        (0..30u64).prop_map(Normal::Equals),
        (0..40u64).prop_map(Normal::AtLeast),
        (0..40u64).prop_map(Normal::AtMost),
    ]
}

fn holds(atom: Normal, t: i64) -> bool {
    match atom {
        Normal::Congruent { modulus, residue } => t.rem_euclid(modulus as i64) == residue as i64,
        Normal::Equals(v) => t == v as i64,
        Normal::AtLeast(v) => t >= v as i64,
        Normal::AtMost(v) => t <= v as i64,
    }
}

proptest! {
    /// Any three congruences with moduli below 13 repeat together after a divisor of 12 * 11 * 7 * .. = 27720.
    #[test]
    fn clashes_are_exact(atoms in prop::collection::vec(atom(), 0..4), named: bool) {
        let constant = if named { Constant::Named("x".into()) } else { Constant::RunLength };
        let stop = Stop::default();
        let got = clash(&constant, &atoms, &mut Work::new(u64::MAX, &stop)).unwrap();
        let low = if named { -28_000 } else { 0 };
        prop_assert_eq!(got, !(low..28_000).any(|t| atoms.iter().all(|&a| holds(a, t))));
    }

    /// An accepted cover really covers. A cover by values and single congruences, with moduli that divide the
    /// period, is accepted.
    #[test]
    fn covers_are_sound(atoms in prop::collection::vec(atom(), 0..8), seed: u64) {
        let mut rng = Rng(seed);
        let states = 1 + rng.below(6) as u32;
        let prefix = rng.below(states as usize + 1);
        let members = rng.next();
        let shift = rng.below(4) as u64;
        let clock = Clock::for_test((0..states).collect(), prefix);
        let set = clock.times(shift, |s| members >> s & 1 == 1);
        let stop = Stop::default();
        let got = Cover::new(&atoms).covers(&set, &mut Work::new(u64::MAX, &stop)).unwrap();
        let state_at = |u: i64| {
            let (n, p) = (i64::from(states), prefix as i64);
            if u < n { Some(u) } else if p == n { None } else { Some(p + (u - p) % (n - p)) }
        };
        let member = |t: i64| t >= shift as i64 && state_at(t - shift as i64).is_some_and(|s| members >> s & 1 == 1);
        let covered = (0..2000).all(|t| !member(t) || atoms.iter().any(|&a| holds(a, t)));
        prop_assert!(!got || covered);
        let period = u64::from(states) - prefix as u64;
        let divides = |a: &Normal| !matches!(a, Normal::Congruent { modulus, .. } if !period.is_multiple_of(*modulus));
        let simple = atoms.iter().all(divides);
        prop_assert!(got || !covered || !simple);
    }
}

#[test]
fn only_normal_forms_are_understood() {
    let t = || Constant::RunLength;
    let term = || IntTerm::Constant(t());
    assert_eq!(normal(&IntAtom::congruent(t(), 2, 5)), Some((&t(), Normal::Congruent { modulus: 5, residue: 2 })));
    assert_eq!(normal(&IntAtom::equals(t(), 4)), Some((&t(), Normal::Equals(4))));
    assert_eq!(normal(&IntAtom::at_least(t(), 4)), Some((&t(), Normal::AtLeast(4))));
    assert_eq!(normal(&IntAtom::at_most(t(), 4)), Some((&t(), Normal::AtMost(4))));
    let residue = |n: i64| IntAtom::Eq(IntTerm::residue(t(), 3), IntTerm::number(n));
    let strange = [
        residue(3),
        residue(-1),
        IntAtom::Eq(IntTerm::residue(t(), 0), IntTerm::number(0)),
        IntAtom::Eq(term(), term()),
        IntAtom::Le(term(), IntTerm::number(-1)),
        IntAtom::Eq(term(), IntTerm::Number(num_bigint::BigInt::from(u64::MAX) + 1)),
        IntAtom::Le(IntTerm::Sum(vec![term(), IntTerm::number(1)]), IntTerm::number(3)),
        IntAtom::Eq(IntTerm::Mod(Box::new(IntTerm::Scaled(2.into(), Box::new(term()))), 4), IntTerm::number(1)),
    ];
    strange.iter().for_each(|atom| assert_eq!(normal(atom), None, "{atom:?}"));
}

#[test]
fn large_numbers_do_not_overflow() {
    let stop = Stop::default();
    let mut work = Work::new(u64::MAX, &stop);
    let of = |modulus, residue| Normal::Congruent { modulus, residue };
    let max = u64::MAX;
    let atoms = [of(max, max - 1), of(max - 1, 5), of(max - 2, 6), Normal::AtMost(max)];
    assert!(clash(&Constant::RunLength, &atoms, &mut work).unwrap(), "the only solutions are far beyond 2^64");
    assert!(!clash(&Constant::RunLength, &atoms[..3], &mut work).unwrap());
    let cover = Cover::new(&[Normal::AtMost(max), of(max, 0)]);
    let ever = Clock::for_test(vec![0], 0).times(max, |_| true);
    assert!(!cover.covers(&ever, &mut work).unwrap());
    let stops = Clock::for_test(vec![0], 1).times(max, |_| true);
    assert!(cover.covers(&stops, &mut work).unwrap());
}
