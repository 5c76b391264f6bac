//! Sums of tokens, compared with constants: totalizers (Bailleux, Boufkhad 2003) over the thresholds.
//!
//! Let l, r and n be natural numbers.
//! 1. `l + r >= n` iff `l >= i` and `r >= n - i` for some i from 0 to n. Proof: take the smaller of l and n as
//!    i.
//! 2. `l + r >= n` iff `l >= i` or `r >= n + 1 - i` for each i from 1 to n. Proof: if neither holds for some i,
//!    then l + r <= i - 1 + n - i < n. If l + r < n, then neither holds for i = l + 1.
//!
//! So both directions of `l + r >= n` are clauses. A content that is counted c times is at least i iff the
//! content is at least i / c, rounded up. Lists of addends are split in halves, so that the depth is
//! logarithmic.

use super::marking::Marking;
use super::paper::Leaf;
use super::paper::Paper;
use crate::Check;
use kernel::Work;
use model::PlaceId;
use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive, Zero};

/// Largest constant for which a sum is compared exactly.
const LARGE: u64 = 1 << 8;

/// Differences are compared only for values of the subtracted sum up to this number.
const LARGE_DIFFERENCE: u64 = 64;

/// If the parts of a sum take more values than this, its upper bound is left out.
const VALUES: usize = 256;

impl Marking {
    /// Returns the literal that the sum of contents, each times its factor, is at least `least`. If `least` is
    /// small, the literal is true iff this holds. If `least` is large, the literal is true if one addend alone
    /// reaches `least`. It is false if no addend reaches its share, which is `least` divided by the number of
    /// addends.
    pub(super) fn sum(
        &mut self,
        addends: &[(Leaf, u64)],
        least: &BigInt,
        paper: &mut Paper<'_, '_>,
        work: &mut Work<'_>,
    ) -> Check<i32> {
        work.spend(1 + addends.len() as u64)?;
        if !least.is_positive() {
            return paper.writer.truth(work);
        }
        let least = least.magnitude();
        match addends {
            [] => Ok(-paper.writer.truth(work)?),
            [(leaf, times)] => self.literal(*leaf, &least.div_ceil(&BigUint::from(*times)), paper, work),
            _ => match least.to_u64() {
                Some(least) if least <= LARGE => self.small(addends, least, paper, work),
                _ => self.large(addends, least, paper, work),
            },
        }
    }

    fn large(
        &mut self,
        addends: &[(Leaf, u64)],
        least: &BigUint,
        paper: &mut Paper<'_, '_>,
        work: &mut Work<'_>,
    ) -> Check<i32> {
        let sum = paper.writer.variable(work)?;
        let mut shares = vec![-sum];
        for (leaf, times) in addends {
            let alone = self.literal(*leaf, &least.div_ceil(&BigUint::from(*times)), paper, work)?;
            paper.writer.add([-alone, sum], work)?;
            let share = least.div_ceil(&(BigUint::from(*times) * addends.len()));
            shares.push(self.literal(*leaf, &share, paper, work)?);
        }
        paper.writer.add(shares, work)?;
        Ok(sum)
    }

    fn small(
        &mut self,
        addends: &[(Leaf, u64)],
        least: u64,
        paper: &mut Paper<'_, '_>,
        work: &mut Work<'_>,
    ) -> Check<i32> {
        if let ([_], _) | (_, 0) = (addends, least) {
            return self.sum(addends, &BigInt::from(least), paper, work);
        }
        let key = (addends.to_vec(), least);
        work.spend(1 + addends.len() as u64)?;
        if let Some(known) = self.sums.get(&key) {
            return Ok(*known);
        }
        work.grow(64 + size_of_val(addends))?;
        let sum = paper.writer.variable(work)?;
        self.sums.insert(key, sum);
        let (left, right) = addends.split_at(addends.len() / 2);
        let mut parts = Vec::new();
        for i in 0..=least {
            parts.push((self.small(left, i, paper, work)?, self.small(right, i, paper, work)?));
        }
        let least = parts.len() - 1;
        for i in 0..=least {
            paper.writer.add([-parts[i].0, -parts[least - i].1, sum], work)?;
        }
        for i in 1..=least {
            paper.writer.add([-sum, parts[i].0, parts[least + 1 - i].1], work)?;
        }
        Ok(sum)
    }

    /// Adds that `condition` implies that the weighted sum is at least `least`. Let p be the sum of the terms
    /// with positive weight, and n the sum of the terms with negative weight, taken positively. Then `n >= j`
    /// implies `p >= least + j`, for all j up to a limit. If a weight is too large, nothing is added.
    pub(super) fn at_least(
        &mut self,
        condition: i32,
        terms: &[(PlaceId, BigInt)],
        least: &BigInt,
        paper: &mut Paper<'_, '_>,
        work: &mut Work<'_>,
    ) -> Check<()> {
        work.spend(1 + terms.len() as u64)?;
        if let [(place, weight)] = terms {
            return self.single(condition, (*place, weight), least, paper, work);
        }
        let (mut plus, mut minus) = (Vec::new(), Vec::new());
        for (place, weight) in terms {
            let Some(times) = weight.magnitude().to_u64() else { return Ok(()) };
            if !paper.most(Leaf::Place(place.0)).is_some_and(|most| most.is_zero()) {
                (if weight.is_positive() { &mut plus } else { &mut minus }).push((Leaf::Place(place.0), times));
            }
        }
        // Without negative terms, j = 0 suffices. Without positive terms, the least j that leads to a
        // contradiction says everything.
        let (first, last) = match (plus.is_empty(), minus.is_empty()) {
            (_, true) => (0, 0),
            (true, false) => match (BigInt::from(1) - least).to_u64() {
                Some(j) if least <= &BigInt::ZERO => (j, j),
                Some(_) | None if least.is_positive() => (0, 0),
                _ => return Ok(()),
            },
            (false, false) => (0, self.reach(&minus, paper)),
        };
        for j in first..=last {
            let more = least + BigInt::from(j);
            if more.is_positive() {
                let (minus, plus) =
                    (self.sum(&minus, &BigInt::from(j), paper, work)?, self.sum(&plus, &more, paper, work)?);
                paper.writer.add([-condition, -minus, plus], work)?;
            }
        }
        Ok(())
    }

    /// Adds that `condition` implies `weight * tokens >= least`.
    fn single(
        &mut self,
        condition: i32,
        (place, weight): (PlaceId, &BigInt),
        least: &BigInt,
        paper: &mut Paper<'_, '_>,
        work: &mut Work<'_>,
    ) -> Check<()> {
        let leaf = Leaf::Place(place.0);
        if weight.is_positive() {
            // Tokens >= least / weight, rounded up.
            let tokens = least.div_ceil(weight).to_biguint().unwrap_or_default();
            let literal = self.literal(leaf, &tokens, paper, work)?;
            return paper.writer.add([-condition, literal], work);
        }
        // Tokens <= -least / -weight, rounded down. If this is negative, no number of tokens satisfies it.
        match (-least).div_floor(&-weight).to_biguint() {
            None => paper.writer.add([-condition], work),
            Some(most) => {
                let literal = self.literal(leaf, &(most + 1u8), paper, work)?;
                paper.writer.add([-condition, -literal], work)
            }
        }
    }

    /// Returns the largest number with which it is useful to compare this sum: the sum with the largest
    /// possible content of each leaf. If a leaf has no known bound, its largest existing threshold is taken
    /// instead. At most [`LARGE_DIFFERENCE`].
    fn reach(&self, addends: &[(Leaf, u64)], paper: &Paper<'_, '_>) -> u64 {
        let of = |(leaf, times): &(Leaf, u64)| {
            let most = paper.most(*leaf).or_else(|| self.of(*leaf).next_back().map(|(tokens, _)| tokens.clone()));
            most.unwrap_or_default().to_u64().unwrap_or(u64::MAX).max(1).saturating_mul(*times)
        };
        addends.iter().map(of).fold(0, u64::saturating_add).min(LARGE_DIFFERENCE)
    }

    /// Adds that the sum of weighted contents (weights positive) is at most `bound`, for the existing
    /// thresholds. This is a generalised totalizer (Joshi, Martins, Manquinho 2015). It has a literal for each
    /// value that a part may reach, and clauses only in the direction from contents to sums.
    pub(super) fn at_most(
        &self,
        terms: &[(u32, BigUint)],
        bound: &BigUint,
        paper: &mut Paper<'_, '_>,
        work: &mut Work<'_>,
    ) -> Check<()> {
        // For each part: its values, each with a literal that is true if the part is at least this value.
        let mut layer: Vec<Vec<(BigUint, i32)>> = Vec::new();
        for (place, weight) in terms {
            let values: Vec<_> = self.of(Leaf::Place(*place)).map(|(tokens, l)| (tokens * weight, l)).collect();
            work.spend(1 + values.len() as u64)?;
            for (_, literal) in values.iter().filter(|(value, _)| value > bound) {
                paper.writer.add([-literal], work)?;
            }
            let values: Vec<_> = values.into_iter().filter(|(value, _)| value <= bound).collect();
            if !values.is_empty() {
                layer.push(values);
            }
        }
        while layer.len() > 1 {
            let mut next = Vec::with_capacity(layer.len().div_ceil(2));
            let mut parts = layer.into_iter();
            while let Some(left) = parts.next() {
                next.push(match parts.next() {
                    None => left,
                    Some(right) => {
                        if (left.len() + 1).saturating_mul(right.len() + 1) > VALUES * VALUES {
                            return Ok(());
                        }
                        match joined(&left, &right, bound, paper, work)? {
                            Some(values) => values,
                            None => return Ok(()),
                        }
                    }
                });
            }
            layer = next;
        }
        Ok(())
    }
}

/// Returns the values that both parts together may reach, with their literals. `None` if there are too many
/// values.
fn joined(
    left: &[(BigUint, i32)],
    right: &[(BigUint, i32)],
    bound: &BigUint,
    paper: &mut Paper<'_, '_>,
    work: &mut Work<'_>,
) -> Check<Option<Vec<(BigUint, i32)>>> {
    let mut values = std::collections::BTreeMap::new();
    for (value, literal) in left.iter().chain(right) {
        values.entry(value.clone()).or_insert(Vec::new()).push(vec![-literal]);
    }
    for (a, l) in left {
        for (b, r) in right {
            work.spend(2)?;
            let value = a + b;
            if value > *bound {
                paper.writer.add([-l, -r], work)?;
            } else {
                values.entry(value).or_default().push(vec![-l, -r]);
            }
        }
    }
    if values.len() > VALUES {
        return Ok(None);
    }
    let mut joined = Vec::with_capacity(values.len());
    for (value, reasons) in values {
        let literal = paper.writer.variable(work)?;
        for reason in reasons {
            paper.writer.add(reason.into_iter().chain([literal]), work)?;
        }
        joined.push((value, literal));
    }
    Ok(Some(joined))
}
