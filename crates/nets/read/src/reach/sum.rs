//! Sums of token counts and of products of token counts, and their comparisons with 0.
//!
//! A product is decided by linear statements (1), so nothing after the readers knows products.
//!
//! 1. Let P be a polynomial over numbers of tokens with positive factors, without constant, and n > 0. Let x be a
//!    place, and P(k) the polynomial with k in the place of x. Then P >= n iff x >= k and P(k) >= n for some k in
//!    0..=n. Proof: P does not decrease if x grows, so x >= k and P(k) >= n imply P >= n. Conversely, let P >= n, with
//!    x tokens on the place. If x <= n, choose k = x. Otherwise choose k = 0 if all monomials with x are 0. If one of
//!    them is not, then its value at x = n is n or more, so choose k = n.

use model::PlaceId;
use num_bigint::BigInt;
use num_traits::Zero;
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
    pub(super) fn monomials(self) -> BTreeMap<Vec<PlaceId>, BigInt> {
        let mut all: BTreeMap<Vec<PlaceId>, BigInt> = BTreeMap::new();
        let terms = self.terms.into_iter().map(|(place, factor)| (vec![place], factor));
        for (places, factor) in self.products.into_iter().chain(terms).chain([(Vec::new(), self.constant)]) {
            *all.entry(places).or_default() += factor;
        }
        all.retain(|_, factor| !factor.is_zero());
        all
    }

    pub(super) fn of_monomials(monomials: impl IntoIterator<Item = Product>) -> Self {
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
    pub(super) fn with(&self, place: PlaceId, number: &BigInt) -> Self {
        let of = |(mut places, mut factor): Product| {
            while let Some(at) = places.iter().position(|p| *p == place) {
                places.remove(at);
                factor *= number;
            }
            (places, factor)
        };
        Self::of_monomials(Self::of_monomials(self.clone().monomials().into_iter().map(of)).monomials())
    }

    pub(super) fn negated(self) -> Self {
        Self::default().plus(self, true)
    }
}
