//! What tokens are counted in: big numbers, or machine words where a test stays within them.

use model::{PlaceId, Range};
use num_bigint::{BigInt, BigUint};
use num_traits::{Signed, ToPrimitive};
use std::fmt::Debug;

/// A count of tokens. Results are exact; a word that is too small for one is a mistake of the test, and panics.
pub trait Count: Clone + Ord + Debug {
    /// The count of this value.
    fn of(n: &BigUint) -> Self;
    /// Its value.
    fn big(&self) -> BigUint;
    /// Is it one of the range?
    fn is_in(&self, range: &Range) -> bool;
    /// The sum of the counts and `add`, which is not negative.
    fn sum<'a>(counts: impl Iterator<Item = &'a Self>, add: &BigInt) -> Self
    where
        Self: 'a;
    /// Is the weighted sum of the places' counts at least this?
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

/// Words take part in sums as 128 bits.
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

            // An end that is no word is beyond every count.
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
