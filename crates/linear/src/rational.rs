//! Exact fractions that are fast while they are small. A fraction is a pair of machine words, or of big
//! integers if these overflow.
//!
//! Nearly all numbers of a state equation are 0, 1 or -1, so sums and products of integers are handled first. A
//! chain of places that multiplies tokens leads to numbers of a thousand bits. They are slow, but exact.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::cmp::Ordering;

/// A fraction in lowest terms with a positive denominator. It is `Small` whenever both parts fit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rational {
    /// Numerator and denominator.
    Small(i64, i64),
    /// Numerator and denominator.
    Big(Box<(BigInt, BigInt)>),
}

impl Rational {
    /// The number 0.
    pub const ZERO: Self = Self::Small(0, 1);
    /// The number 1.
    pub const ONE: Self = Self::Small(1, 1);

    /// Builds a fraction of big integers. `denominator` is not zero.
    fn big(numerator: BigInt, denominator: BigInt) -> Self {
        let divisor = numerator.gcd(&denominator) * denominator.signum();
        let (n, d) = (numerator / &divisor, denominator / divisor);
        match (n.to_i64(), d.to_i64()) {
            (Some(n), Some(d)) if n != i64::MIN => Self::Small(n, d),
            _ => Self::Big(Box::new((n, d))),
        }
    }

    /// Builds a fraction of two numbers below 2^127. `denominator` is positive.
    fn wide(numerator: i128, denominator: i128) -> Self {
        debug_assert!(denominator > 0);
        let divisor = match (i64::try_from(numerator), i64::try_from(denominator)) {
            (Ok(n), Ok(d)) => i128::from(n.unsigned_abs().gcd(&d.unsigned_abs())),
            _ => numerator.gcd(&denominator),
        };
        let (n, d) = (numerator / divisor, denominator / divisor);
        match (i64::try_from(n), i64::try_from(d)) {
            (Ok(n), Ok(d)) if n != i64::MIN => Self::Small(n, d),
            _ => Self::Big(Box::new((n.into(), d.into()))),
        }
    }

    /// Returns numerator and denominator as big integers.
    fn parts(&self) -> (BigInt, BigInt) {
        match self {
            Self::Small(n, d) => ((*n).into(), (*d).into()),
            Self::Big(parts) => (**parts).clone(),
        }
    }

    /// Returns the numerator in lowest terms.
    #[must_use]
    pub fn numerator(&self) -> BigInt {
        self.parts().0
    }

    /// Returns the denominator in lowest terms, which is positive.
    #[must_use]
    pub fn denominator(&self) -> BigInt {
        self.parts().1
    }

    /// Returns true if the number is 0.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        matches!(self, Self::Small(0, _))
    }

    /// Returns true if the number is greater than 0.
    #[must_use]
    pub fn is_positive(&self) -> bool {
        match self {
            Self::Small(n, _) => *n > 0,
            Self::Big(parts) => parts.0.is_positive(),
        }
    }

    /// Returns true if the number is less than 0.
    #[must_use]
    pub fn is_negative(&self) -> bool {
        match self {
            Self::Small(n, _) => *n < 0,
            Self::Big(parts) => parts.0.is_negative(),
        }
    }

    /// Returns true if the denominator is 1.
    #[must_use]
    pub fn is_integer(&self) -> bool {
        match self {
            Self::Small(_, d) => *d == 1,
            Self::Big(parts) => parts.1.is_one(),
        }
    }

    /// Returns the greatest integer that is at most this number.
    #[must_use]
    pub fn floor(&self) -> BigInt {
        match self {
            Self::Small(n, d) => n.div_floor(d).into(),
            Self::Big(parts) => parts.0.div_floor(&parts.1),
        }
    }

    /// Returns the sum.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        if let (Self::Small(a, b), Self::Small(c, d)) = (self, other) {
            if *b == 1
                && *d == 1
                && let Some(sum) = a.checked_add(*c).filter(|n| *n != i64::MIN)
            {
                return Self::Small(sum, 1);
            }
            let (a, b, c, d) = (i128::from(*a), i128::from(*b), i128::from(*c), i128::from(*d));
            if b == d {
                return Self::wide(a + c, b);
            }
            // Each product is below 2^126.
            return Self::wide(a * d + c * b, b * d);
        }
        let ((a, b), (c, d)) = (self.parts(), other.parts());
        Self::big(a * &d + c * &b, b * d)
    }

    /// Returns the difference.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        self.plus(&other.negated())
    }

    /// Returns the product.
    #[must_use]
    pub fn times(&self, other: &Self) -> Self {
        if let (Self::Small(a, b), Self::Small(c, d)) = (self, other) {
            if *b == 1
                && *d == 1
                && let Some(product) = a.checked_mul(*c).filter(|n| *n != i64::MIN)
            {
                return Self::Small(product, 1);
            }
            return Self::wide(i128::from(*a) * i128::from(*c), i128::from(*b) * i128::from(*d));
        }
        let ((a, b), (c, d)) = (self.parts(), other.parts());
        Self::big(a * c, b * d)
    }

    /// Returns the quotient. `other` is not 0.
    #[must_use]
    pub fn over(&self, other: &Self) -> Self {
        self.times(&other.inverse())
    }

    /// Returns the reciprocal. The number is not 0.
    #[must_use]
    pub fn inverse(&self) -> Self {
        debug_assert!(!self.is_zero(), "nothing is divided by zero");
        match self {
            Self::Small(n, d) if *n > 0 => Self::Small(*d, *n),
            Self::Small(n, d) => Self::Small(-d, -n),
            Self::Big(parts) => Self::big(parts.1.clone(), parts.0.clone()),
        }
    }

    /// Returns the number with the opposite sign.
    #[must_use]
    pub fn negated(&self) -> Self {
        match self {
            Self::Small(n, d) => Self::Small(-n, *d),
            Self::Big(parts) => Self::big(-&parts.0, parts.1.clone()),
        }
    }

    /// Returns the absolute value.
    #[must_use]
    pub fn magnitude(&self) -> Self {
        if self.is_negative() { self.negated() } else { self.clone() }
    }
}

impl From<i64> for Rational {
    fn from(n: i64) -> Self {
        if n == i64::MIN { Self::Big(Box::new((n.into(), BigInt::one()))) } else { Self::Small(n, 1) }
    }
}

impl From<&BigInt> for Rational {
    fn from(n: &BigInt) -> Self {
        n.to_i64().map_or_else(|| Self::Big(Box::new((n.clone(), BigInt::one()))), Self::from)
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Small(a, b), Self::Small(c, d)) if b == d => a.cmp(c),
            (Self::Small(a, b), Self::Small(c, d)) => {
                (i128::from(*a) * i128::from(*d)).cmp(&(i128::from(*c) * i128::from(*b)))
            }
            _ => {
                let ((a, b), (c, d)) = (self.parts(), other.parts());
                (a * d).cmp(&(c * b))
            }
        }
    }
}

/// Returns the least common multiple of the denominators.
#[must_use]
pub fn common_denominator<'a>(numbers: impl IntoIterator<Item = &'a Rational>) -> BigInt {
    numbers.into_iter().fold(BigInt::one(), |lcm, n| if n.is_integer() { lcm } else { lcm.lcm(&n.denominator()) })
}

/// Returns the greatest common divisor of integers, or 0 if all of them are 0.
#[must_use]
pub fn common_divisor<'a>(numbers: impl IntoIterator<Item = &'a BigInt>) -> BigInt {
    numbers.into_iter().fold(BigInt::zero(), |gcd, n| if gcd.is_one() { gcd } else { gcd.gcd(n) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number() -> impl Strategy<Value = Rational> {
        let part = prop_oneof![-4i64..=4, any::<i64>(), Just(i64::MIN), Just(i64::MAX)];
        (part.clone(), part).prop_map(|(n, d)| Rational::big(n.into(), if d == 0 { 1.into() } else { d.into() }))
    }

    proptest! {
        #[test]
        fn fractions_are_those_of_big_integers(a in number(), b in number()) {
            let ((an, ad), (bn, bd)) = (a.parts(), b.parts());
            prop_assert_eq!(a.plus(&b), Rational::big(&an * &bd + &bn * &ad, &ad * &bd));
            prop_assert_eq!(a.minus(&b), Rational::big(&an * &bd - &bn * &ad, &ad * &bd));
            prop_assert_eq!(a.times(&b), Rational::big(&an * &bn, &ad * &bd));
            prop_assert_eq!(a.cmp(&b), (&an * &bd).cmp(&(&bn * &ad)));
            if !b.is_zero() {
                prop_assert_eq!(a.over(&b).times(&b), a.clone());
            }
            prop_assert_eq!(a.minus(&b).negated(), b.minus(&a));
            prop_assert!(Rational::from(&a.floor()) <= a);
        }
    }
}
