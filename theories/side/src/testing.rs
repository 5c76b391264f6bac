//! Generators for the tests of this crate: atoms in the forms that patterns use, and arbitrary atoms.

use model::{Constant, IntAtom, IntTerm, Values};
use num_bigint::BigInt;
use proptest::prelude::*;

/// Generates one of the constants that generated atoms contain.
pub(crate) fn constants() -> impl Strategy<Value = Constant> {
    prop_oneof![3 => Just(Constant::RunLength), 1 => Just(Constant::Named("c".into()))]
}

/// Generates values for all [`constants`].
pub(crate) fn values() -> impl Strategy<Value = Values> {
    (0..60_i32, -60..60_i32).prop_map(|(t, c)| {
        Values::from([(Constant::RunLength, BigInt::from(t)), (Constant::Named("c".into()), BigInt::from(c))])
    })
}

/// Generates statements about one constant, in the forms of [`crate::normal`]. Their numbers are below `small`.
/// The smaller `small` is, the more often the statements contradict each other.
pub(crate) fn plain_atoms(constant: impl Strategy<Value = Constant>, small: u64) -> impl Strategy<Value = IntAtom> {
    (constant, 0..10_u8, 0..small, 1..small).prop_map(|(constant, form, number, modulus)| match form {
        0 => IntAtom::equals(constant, number),
        1 | 2 => IntAtom::at_least(constant, number),
        3..=5 => IntAtom::at_most(constant, 2 * number),
        _ => IntAtom::congruent(constant, number % modulus, modulus),
    })
}

/// Generates atoms over small terms of all kinds.
pub(crate) fn atoms() -> impl Strategy<Value = IntAtom> {
    (any::<bool>(), terms(), terms())
        .prop_map(|(equal, a, b)| if equal { IntAtom::Eq(a, b) } else { IntAtom::Le(a, b) })
}

fn terms() -> impl Strategy<Value = IntTerm> {
    let leaf = prop_oneof![(-9..30_i64).prop_map(IntTerm::number), constants().prop_map(IntTerm::Constant)];
    leaf.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..3).prop_map(IntTerm::Sum),
            (-4..5_i32, inner.clone()).prop_map(|(by, t)| IntTerm::Scaled(by.into(), Box::new(t))),
            (inner, 1..9_u64).prop_map(|(t, modulus)| IntTerm::Mod(Box::new(t), modulus)),
        ]
    })
}
