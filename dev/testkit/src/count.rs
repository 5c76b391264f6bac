//! Number types for token counts: big numbers, or machine words for tests with counts that fit into them.

use model::{PlaceId, Range};
use num_bigint::{BigInt, BigUint};
use num_traits::{Signed, ToPrimitive};
use std::fmt::Debug;

/// A number type for token counts. Results are exact. If a count does not fit into a word, the test is wrong,
/// and the method panics.
pub trait Count: Clone + Ord + Debug {
    /// Converts `n` to this type.
    fn of(n: &BigUint) -> Self;
    /// Converts the count to a big number.
    fn big(&self) -> BigUint;
    /// True if the count lies in the range.
    fn is_in(&self, range: &Range) -> bool;
    /// Returns the sum of the counts and `add`. The sum must not be negative.
    fn sum<'a>(counts: impl Iterator<Item = &'a Self>, add: &BigInt) -> Self
    where
        Self: 'a;
    /// True if the weighted sum of the places' counts is at least `at_least`.
    fn reaches(marking: &[Self], terms: &[(PlaceId, BigInt)], at_least: &BigInt) -> bool;
}

impl Count for BigUint {
    fn of(n: &BigUint) -> Self {
        n.clone()
    }

    fn big(&self) -> BigUint {
        self.clone()
    }

    fn is_in(&self, range: &Range) -> bool {
        *self >= range.at_least && range.at_most.as_ref().is_none_or(|most| self <= most)
    }

    fn sum<'a>(counts: impl Iterator<Item = &'a Self>, add: &BigInt) -> Self {
        let sum = BigInt::from(counts.sum::<BigUint>()) + add;
        assert!(!sum.is_negative(), "guards keep counts from going below zero");
        sum.magnitude().clone()
    }

    fn reaches(marking: &[Self], terms: &[(PlaceId, BigInt)], at_least: &BigInt) -> bool {
        terms.iter().map(|(p, c)| c * BigInt::from(marking[p.index()].clone())).sum::<BigInt>() >= *at_least
    }
}

/// Converts a word to 128 bits, in which sums are computed.
fn wide(n: impl TryInto<i128>) -> i128 {
    n.try_into().ok().expect("a test counts within its word")
}

macro_rules! words {
    ($($word:ty),*) => {$(
        impl Count for $word {
            fn of(n: &BigUint) -> Self {
                n.try_into().expect("a test counts within its word")
            }

            fn big(&self) -> BigUint {
                BigUint::try_from(*self).expect("a count is not negative")
            }

            // An upper end that does not fit into 128 bits is greater than every count.
            fn is_in(&self, range: &Range) -> bool {
                let n = wide(*self);
                let most = range.at_most.as_ref().and_then(ToPrimitive::to_i128);
                range.at_least.to_i128().is_some_and(|least| least <= n) && most.is_none_or(|most| n <= most)
            }

            fn sum<'a>(counts: impl Iterator<Item = &'a Self>, add: &BigInt) -> Self {
                let counts = counts.map(|n| wide(*n)).try_fold(wide(add), i128::checked_add);
                let sum = counts.expect("a test counts within its word");
                assert!(sum >= 0, "guards keep counts from going below zero");
                sum.try_into().expect("a test counts within its word")
            }

            fn reaches(marking: &[Self], terms: &[(PlaceId, BigInt)], at_least: &BigInt) -> bool {
                let small = |(p, c): &(PlaceId, BigInt)| c.to_i128()?.checked_mul(wide(marking[p.index()]));
                let sum = terms.iter().map(small).try_fold(0, |sum: i128, term| sum.checked_add(term?));
                match (sum, at_least.to_i128()) {
                    (Some(sum), Some(at_least)) => sum >= at_least,
                    _ => {
                        let sum = terms.iter().map(|(p, c)| c * BigInt::from(marking[p.index()])).sum::<BigInt>();
                        sum >= *at_least
                    }
                }
            }
        }
    )*};
}

words!(u32, u64, usize, i64, i128);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_count_as_big_numbers_do() {
        let huge = || BigUint::from(1u8) << 130;
        for n in [0u64, 1, 5, u64::MAX] {
            for (at_least, at_most) in [(0u8.into(), None), (5u8.into(), Some(huge())), (huge(), None)] {
                let range = Range { at_least, at_most };
                assert_eq!(n.is_in(&range), n.big().is_in(&range), "{n} in {range:?}");
            }
            for weight in [BigInt::from(3), BigInt::from(-2), BigInt::from(huge())] {
                for at_least in [BigInt::from(1), BigInt::from(-10), BigInt::from(huge())] {
                    let terms = [(PlaceId(0), weight.clone())];
                    let big = BigUint::reaches(&[n.big()], &terms, &at_least);
                    assert_eq!(u64::reaches(&[n], &terms, &at_least), big, "{weight} * {n} >= {at_least}");
                }
            }
        }
        assert_eq!(u32::sum([3, 4].iter(), &BigInt::from(-7)), 0);
    }
}
