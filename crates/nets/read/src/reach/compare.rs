//! Comparisons of sums with 0 as formulas. Products of token counts are replaced by cases.

use super::sum::{Product, Sum, Unsupported};
use super::{Compare, Op, OperandId, Phi};
use model::PlaceId;
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};
use std::collections::BTreeMap;

const PLACES: usize = 16;
const CASES: usize = 100_000;

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
