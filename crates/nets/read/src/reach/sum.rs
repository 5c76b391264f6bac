//! Sums of token counts and of products of token counts, and their comparisons with 0.
//!
//! A product is decided by linear statements (1), so nothing after the readers knows products.
//!
//! 1. Let P be a polynomial over numbers of tokens with positive factors, without constant, and n > 0. Let x be a
//!    place, and P(k) the polynomial with k in the place of x. Then P >= n iff x >= k and P(k) >= n for some k in
//!    0..=n. Proof: P does not decrease if x grows, so x >= k and P(k) >= n imply P >= n. Conversely, let P >= n, with
//!    x tokens on the place. If x <= n, choose k = x. Otherwise choose k = 0 if all monomials with x are 0. If one of
//!    them is not, then its value at x = n is n or more, so choose k = n.

use super::{Compare, Op, OperandId, Phi};
use model::PlaceId;
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};
use std::collections::BTreeMap;

/// A product of token counts, with its places in order. A place may occur several times.
pub(crate) type Product = (Vec<PlaceId>, BigInt);

/// A sum of token counts, products of them and a constant.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Sum {
    pub(crate) terms: Vec<(PlaceId, BigInt)>,
    /// The products of two or more token counts.
    pub(crate) products: Vec<Product>,
    pub(crate) constant: BigInt,
}

/// Largest number of terms of a product, of token counts in a term, of bits of a factor (some 20,000 decimal digits),
/// of places in products, and of cases that decide a product.
const TERMS: usize = 4_096;
const DEGREE: usize = 64;
const BITS: u64 = 1 << 16;
const PLACES: usize = 16;
const CASES: usize = 100_000;

/// Why a comparison of products is not supported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unsupported {
    /// The products would have too many terms or cases.
    TooLarge,
    /// Terms are added and others are subtracted.
    Mixed,
}

impl Unsupported {
    /// Returns the message and a hint.
    pub(crate) fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::TooLarge => ("a product with too many cases", "it is split into linear cases; use smaller numbers"),
            Self::Mixed => (
                "a product of places that is compared with other places",
                "products of places are compared with numbers, as in `a * b >= 4`",
            ),
        }
    }
}

impl Sum {
    pub(crate) fn constant(constant: BigInt) -> Self {
        Self { constant, ..Self::default() }
    }

    pub(crate) fn of_places(places: &[PlaceId]) -> Self {
        Self { terms: places.iter().map(|place| (*place, 1.into())).collect(), ..Self::default() }
    }

    /// Returns the sum of both, or their difference if `minus`.
    pub(crate) fn plus(mut self, other: Self, minus: bool) -> Self {
        let sign = |n: BigInt| if minus { -n } else { n };
        self.terms.extend(other.terms.into_iter().map(|(place, factor)| (place, sign(factor))));
        self.products.extend(other.products.into_iter().map(|(places, factor)| (places, sign(factor))));
        self.constant += sign(other.constant);
        self
    }

    /// Returns the product. Most products are by a number, and stay linear.
    pub(crate) fn times(self, other: Self) -> Result<Self, Unsupported> {
        let (left, right) = (self.monomials(), other.monomials());
        if left.len().saturating_mul(right.len()) > TERMS.max(left.len() + right.len()) {
            return Err(Unsupported::TooLarge);
        }
        let degree = |all: &BTreeMap<Vec<PlaceId>, BigInt>| all.keys().map(Vec::len).max().unwrap_or(0);
        let bits = |all: &BTreeMap<Vec<PlaceId>, BigInt>| all.values().map(BigInt::bits).max().unwrap_or(0);
        if degree(&left) + degree(&right) > DEGREE || bits(&left) + bits(&right) > BITS {
            return Err(Unsupported::TooLarge);
        }
        let mut product: BTreeMap<Vec<PlaceId>, BigInt> = BTreeMap::new();
        for (places, factor) in &left {
            for (others, other) in &right {
                let mut all = [&places[..], others].concat();
                all.sort_unstable();
                *product.entry(all).or_default() += factor * other;
            }
        }
        Ok(Self::of_monomials(product))
    }

    /// Returns the monomials, with the constant as the product of no places.
    fn monomials(self) -> BTreeMap<Vec<PlaceId>, BigInt> {
        let mut all: BTreeMap<Vec<PlaceId>, BigInt> = BTreeMap::new();
        let terms = self.terms.into_iter().map(|(place, factor)| (vec![place], factor));
        for (places, factor) in self.products.into_iter().chain(terms).chain([(Vec::new(), self.constant)]) {
            *all.entry(places).or_default() += factor;
        }
        all.retain(|_, factor| !factor.is_zero());
        all
    }

    fn of_monomials(monomials: impl IntoIterator<Item = Product>) -> Self {
        let mut sum = Self::default();
        for (places, factor) in monomials {
            match places[..] {
                _ if factor.is_zero() => {}
                [] => sum.constant += factor,
                [place] => sum.terms.push((place, factor)),
                _ => sum.products.push((places, factor)),
            }
        }
        sum
    }

    /// Returns the sum with a number in the place of a token count.
    fn with(&self, place: PlaceId, number: &BigInt) -> Self {
        let of = |(mut places, mut factor): Product| {
            while let Some(at) = places.iter().position(|p| *p == place) {
                places.remove(at);
                factor *= number;
            }
            (places, factor)
        };
        Self::of_monomials(Self::of_monomials(self.clone().monomials().into_iter().map(of)).monomials())
    }

    fn negated(self) -> Self {
        Self::default().plus(self, true)
    }
}

impl Phi {
    /// Adds the comparison of a sum with 0.
    pub(crate) fn compare(&mut self, sum: Sum, compare: Compare) -> Result<OperandId, Unsupported> {
        if sum.products.is_empty() {
            return Ok(self.push(Op::Compare(Box::new(sum), compare)));
        }
        let mut sum = Sum::of_monomials(sum.monomials());
        let factors =
            || sum.terms.iter().map(|(_, factor)| factor).chain(sum.products.iter().map(|(_, factor)| factor));
        let flips = factors().all(Signed::is_negative);
        if sum.products.is_empty() || !(flips || factors().all(Signed::is_positive)) {
            return if sum.products.is_empty() { self.compare(sum, compare) } else { Err(Unsupported::Mixed) };
        }
        if flips {
            sum = sum.negated();
        }
        let (exact, least) = (-std::mem::take(&mut sum.constant), BigInt::from(1));
        let next = &exact + &least;
        let (compare, mut cases) = (if flips { compare.flipped() } else { compare }, CASES);
        let mut at_least = |this: &mut Self, n: &BigInt| this.at_least(&sum, n, PLACES, &mut cases);
        Ok(match compare {
            Compare::AtLeast => at_least(self, &exact)?,
            Compare::Greater => at_least(self, &next)?,
            Compare::Less | Compare::AtMost => {
                let part = at_least(self, if compare == Compare::Less { &exact } else { &next })?;
                self.push(Op::Not(part))
            }
            Compare::Equal | Compare::NotEqual => {
                let (low, high) = (at_least(self, &exact)?, at_least(self, &next)?);
                let not_high = self.push(Op::Not(high));
                let equal = self.push(Op::All(vec![low, not_high]));
                if compare == Compare::Equal { equal } else { self.push(Op::Not(equal)) }
            }
        })
    }

    /// Adds `sum >= n`. The sum has positive factors and no constant. At most `places` places are replaced by numbers.
    fn at_least(&mut self, sum: &Sum, n: &BigInt, places: usize, cases: &mut usize) -> Result<OperandId, Unsupported> {
        *cases = cases.checked_sub(1).ok_or(Unsupported::TooLarge)?;
        if !n.is_positive() {
            return Ok(self.push(Op::Constant(true)));
        }
        if sum.products.is_empty() {
            return Ok(self.push_at_least(sum.clone(), n));
        }
        let (place, most) = (most_frequent(&sum.products), n.to_usize().filter(|n| *n <= CASES));
        let (most, places) = most.zip(places.checked_sub(1)).ok_or(Unsupported::TooLarge)?;
        let (mut parts, mut before) = (Vec::new(), None);
        for k in 0..=most {
            let mut rest = sum.with(place, &k.into());
            let left = n - std::mem::take(&mut rest.constant);
            // A greater k with the same rest adds nothing.
            let lacking = match &rest.terms[..] {
                [(_, factor)] if rest.products.is_empty() && left.is_positive() => Some((&left + factor - 1) / factor),
                _ => None,
            };
            let is_known = lacking.is_some() && before == lacking;
            before = lacking;
            if is_known || (left.is_positive() && rest == Sum::default()) {
                continue;
            }
            let enough = self.push_at_least(Sum::of_places(&[place]), &k.into());
            let part = self.at_least(&rest, &left, places, cases)?;
            parts.push(self.push(Op::All(vec![enough, part])));
            if !left.is_positive() {
                break;
            }
        }
        Ok(self.push(Op::Any(parts)))
    }

    fn push_at_least(&mut self, mut sum: Sum, n: &BigInt) -> OperandId {
        sum.constant = -n;
        self.push(Op::Compare(Box::new(sum), Compare::AtLeast))
    }
}

/// Returns the place that occurs in most products.
fn most_frequent(products: &[Product]) -> PlaceId {
    let mut counts: BTreeMap<PlaceId, usize> = BTreeMap::new();
    for place in products.iter().flat_map(|(places, _)| places) {
        *counts.entry(*place).or_default() += 1;
    }
    let most = counts.into_iter().max_by_key(|(place, count)| (*count, std::cmp::Reverse(*place)));
    most.map_or(PlaceId(0), |(place, _)| place)
}

impl Compare {
    /// Returns the comparison of the negative sum.
    fn flipped(self) -> Self {
        match self {
            Compare::Less => Compare::Greater,
            Compare::AtMost => Compare::AtLeast,
            Compare::Equal | Compare::NotEqual => self,
            Compare::AtLeast => Compare::AtMost,
            Compare::Greater => Compare::Less,
        }
    }
}
