//! Covering goals as vectors: computes the minimal markings that satisfy a formula without negative weights.

use model::{Formula, Node};
use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};
use std::collections::HashMap;

/// Comparisons of markings for each marking that may be returned.
const COMPARED: usize = 8;

/// Comparisons that are always made.
const LEAST: usize = 10_000;

/// Number of pairs of markings that is always tried for a conjunction.
const MANY: usize = 1_000;

/// Token counts as pairs of place and count: ascending by place, no zeros.
pub type Cube = Vec<(u32, u64)>;

/// Returns the minimal markings of an upward-closed formula, without duplicates, in lexicographic order.
/// Returns `None` if the formula has a negative weight or a number beyond 32 bits, if there are more than
/// `limit` minimal markings, also in intermediate results, or if finding them takes more than about [`COMPARED`] times
/// `limit` comparisons.
#[must_use]
pub fn minimal(formula: &Formula, limit: usize) -> Option<Vec<Cube>> {
    if !formula.is_upward_closed() {
        return None;
    }
    let mut of: Vec<Vec<Cube>> = Vec::with_capacity(formula.nodes().len());
    let mut left = limit.saturating_mul(COMPARED).max(LEAST);
    for node in formula.nodes() {
        let mut cubes: Vec<Cube> = match node {
            Node::All(parts) => {
                let mut product = vec![Cube::new()];
                for part in parts {
                    let right = &of[part.index()];
                    if product
                        .len()
                        .checked_mul(right.len())
                        .is_none_or(|n| n > limit.saturating_mul(8).min(limit.max(MANY)))
                    {
                        return None;
                    }
                    left = left.checked_sub(product.len() * right.len())?;
                    product = product.iter().flat_map(|a| right.iter().map(|b| join(a, b))).collect();
                    product = least(product, limit, &mut left)?;
                }
                product
            }
            Node::Any(parts) => parts.iter().flat_map(|p| of[p.index()].iter().cloned()).collect(),
            Node::AtLeast(sum) => {
                let weights: Option<Vec<(u32, u64)>> =
                    sum.terms.iter().map(|(p, c)| Some((p.0, c.to_u32()?.into()))).collect();
                ways(&weights?, small(&sum.at_least)?, limit)?
            }
        };
        cubes = least(cubes, limit, &mut left)?;
        of.push(cubes);
    }
    of.pop()
}

fn small(n: &BigInt) -> Option<u64> {
    if *n < BigInt::zero() { Some(0) } else { n.to_u32().map(u64::from) }
}

/// Returns the minimal ways to reach a weighted sum. Returns `None` if there are too many.
fn ways(weights: &[(u32, u64)], at_least: u64, limit: usize) -> Option<Vec<Cube>> {
    if weights.iter().all(|(_, weight)| *weight == 1) && !is_few(weights.len() as u64, at_least, limit as u64) {
        return None;
    }
    // Partial cubes, each with the amount that the sum still lacks.
    let mut open: Vec<(Cube, u64)> = vec![(Cube::new(), at_least)];
    let mut done: Vec<Cube> = Vec::new();
    for &(place, weight) in weights {
        let mut next = Vec::new();
        for (cube, lacking) in open {
            if lacking == 0 {
                done.push(cube);
                continue;
            }
            let most = lacking.div_ceil(weight);
            if most > limit as u64 {
                return None;
            }
            for count in 0..=most {
                let mut more = cube.clone();
                if count > 0 {
                    more.push((place, count));
                }
                next.push((more, lacking.saturating_sub(count * weight)));
            }
            if next.len() > limit.saturating_mul(4).min(limit.max(MANY)) {
                return None;
            }
        }
        open = next;
    }
    done.extend(open.into_iter().filter(|(_, lacking)| *lacking == 0).map(|(cube, _)| cube));
    Some(done)
}

/// Returns true if there are at most `limit` ways to spread `tokens` over `places`.
fn is_few(places: u64, tokens: u64, limit: u64) -> bool {
    // The binomial coefficient of places + tokens - 1 over the smaller one of tokens and places - 1.
    let Some(all) = places.checked_add(tokens).and_then(|n| n.checked_sub(1)) else { return false };
    let picked = tokens.min(places.saturating_sub(1));
    let mut ways: u128 = 1;
    for i in 0..u128::from(picked) {
        ways = ways * (u128::from(all) - i) / (i + 1);
        if ways > u128::from(limit) {
            return false;
        }
    }
    true
}

/// Returns the least cube that covers both.
fn join(a: &[(u32, u64)], b: &[(u32, u64)]) -> Cube {
    let mut joined: Cube = a.iter().chain(b).copied().collect();
    joined.sort_unstable();
    // For two entries of one place, the second and greater one stays.
    let mut cube = Cube::with_capacity(joined.len());
    for (place, count) in joined {
        match cube.last_mut() {
            Some(last) if last.0 == place => last.1 = count,
            _ => cube.push((place, count)),
        }
    }
    cube
}

/// Returns true if `large` has at least the tokens of `small` on every place.
#[must_use]
pub fn covers(large: &[(u32, u64)], small: &[(u32, u64)]) -> bool {
    let mut rest = large.iter();
    small.iter().all(|(p, n)| rest.by_ref().find(|(q, _)| q >= p).is_some_and(|(q, m)| q == p && m >= n))
}

/// Returns the minimal cubes, sorted, or `None` if there are more than `limit`, or if nothing is left of the work.
///
/// A cube covers another one of the same size only if they are equal, so each cube is compared with smaller ones only.
/// It has all places of a cube that it covers, so it is compared with those of which it has the rarest place.
fn least(mut cubes: Vec<Cube>, limit: usize, left: &mut usize) -> Option<Vec<Cube>> {
    let size = |cube: &Cube| (cube.len(), cube.iter().map(|(_, n)| *n).sum::<u64>());
    cubes.sort_by(|a, b| size(a).cmp(&size(b)).then_with(|| a.cmp(b)));
    cubes.dedup();
    if cubes.first().is_some_and(Vec::is_empty) {
        cubes.truncate(1);
    }
    let mut frequency: HashMap<u32, usize> = HashMap::new();
    cubes.iter().flatten().for_each(|(place, _)| *frequency.entry(*place).or_default() += 1);
    let mut kept: Vec<Cube> = Vec::new();
    // The cubes that are smaller than the current one, by their rarest place.
    let mut smaller: HashMap<u32, Vec<usize>> = HashMap::new();
    let mut indexed = 0;
    for cube in cubes {
        for (number, other) in kept.iter().enumerate().skip(indexed).take_while(|(_, other)| size(other) < size(&cube))
        {
            let rarest = other.iter().map(|(place, _)| *place).min_by_key(|place| (frequency[place], *place));
            rarest.into_iter().for_each(|place| smaller.entry(place).or_default().push(number));
            indexed = number + 1;
        }
        let (mut known, mut compared) = (cube.iter().filter_map(|(p, _)| smaller.get(p)).flatten(), 0);
        let is_covered = known.any(|&k| {
            compared += 1;
            covers(&cube, &kept[k])
        });
        *left = left.checked_sub(1 + compared)?;
        if !is_covered {
            kept.push(cube);
            if kept.len() > limit {
                return None;
            }
        }
    }
    kept.sort();
    Some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{FormulaBuilder, PlaceId};
    use num_bigint::BigInt;

    #[test]
    fn sums_and_conjunctions_become_minimal_vectors() {
        let mut b = FormulaBuilder::default();
        let (p, q) = (PlaceId(0), PlaceId(1));
        let sum = b.at_least([(p, BigInt::from(1)), (q, BigInt::from(2))], BigInt::from(3));
        let two = b.place_at_least(p, &2u8.into());
        let both = b.all(vec![sum, two]);
        let formula = b.finish(both);
        assert_eq!(minimal(&formula, 10), Some(vec![vec![(0, 2), (1, 1)], vec![(0, 3)]]));
        assert_eq!(minimal(&formula, 1), None);
    }

    /// All of these vectors have the same place, and two of 130 others. So many must not use up the work.
    #[test]
    fn many_vectors_with_a_common_place_are_minimal() {
        let mut b = FormulaBuilder::default();
        let one = |b: &mut FormulaBuilder, place: u32| b.place_at_least(PlaceId(place), &1u8.into());
        let mut cubes = Vec::new();
        for first in 1..=130 {
            for second in first + 1..=130 {
                let parts = [0, first, second].map(|place| one(&mut b, place));
                cubes.push(b.all(parts.to_vec()));
            }
        }
        let (shared, two) = (one(&mut b, 0), b.place_at_least(PlaceId(7), &2u8.into()));
        cubes.push(b.all(vec![shared, two]));
        let count = cubes.len();
        let any = b.any(cubes);
        let formula = b.finish(any);
        assert_eq!(minimal(&formula, 20_000).map(|cubes| cubes.len()), Some(count));
    }

    #[test]
    fn covering_looks_at_every_place() {
        assert!(covers(&[(1, 2), (4, 1)], &[(4, 1)]));
        assert!(!covers(&[(1, 2), (4, 1)], &[(2, 1)]));
        assert!(!covers(&[(1, 2)], &[(1, 3)]));
        assert!(covers(&[(0, 1), (2, 1), (3, 1)], &[(2, 1), (3, 1)]));
    }
}
