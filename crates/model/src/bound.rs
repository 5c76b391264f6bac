//! Questions for the largest value of a sum of token counts in a reachable marking ([`crate::Goal::Bound`]).
//!
//! The answer is a number, and its evidence has two parts: a run to a marking in which the sum is at least this number,
//! and a certificate that no reachable marking has a greater sum.

use crate::formula::{Formula, FormulaBuilder};
use crate::problem::Sum;
use num_bigint::{BigInt, BigUint};

/// Returns the formula that holds in a marking iff the sum is greater than `value`.
#[must_use]
pub fn exceeds(sum: &Sum, value: &BigUint) -> Formula {
    at_least(sum, &(value + 1u8))
}

/// Returns the formula that holds in a marking iff the sum is at least `value`.
#[must_use]
pub fn at_least(sum: &Sum, value: &BigUint) -> Formula {
    let mut builder = FormulaBuilder::default();
    let terms = sum.iter().map(|(place, factor)| (*place, BigInt::from(factor.clone())));
    let root = builder.at_least(terms, BigInt::from(value.clone()));
    builder.finish(root)
}
