//! Covering goals as vectors: the minimal markings that satisfy a formula without negative weights.

use model::{Formula, Node};
use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};
use std::collections::HashMap;

/// Token counts by place: ascending, no zeros.
pub type Cube = Vec<(u32, u64)>;

/// The minimal markings of an upward-closed formula, each once, in lexicographic order; `None` if the formula has a
/// negative weight, a number beyond 32 bits, or more than `limit` of them (or on the way to them).
#[must_use]
pub fn minimal(formula: &Formula, limit: usize) -> Option<Vec<Cube>> {
    if !formula.is_upward_closed() {
        return None;
    }
    let mut of: Vec<Vec<Cube>> = Vec::with_capacity(formula.nodes().len());
    for node in formula.nodes() {
        let mut cubes: Vec<Cube> = match node {
            Node::All(parts) => {
                let mut product = vec![Cube::new()];
                for part in parts {
                    let right = &of[part.index()];
                    if product.len().checked_mul(right.len()).is_none_or(|n| n > limit.saturating_mul(8)) {
                        return None;
                    }
                    product = product.iter().flat_map(|a| right.iter().map(|b| join(a, b))).collect();
                    product = least(product, limit)?;
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
        cubes = least(cubes, limit)?;
        of.push(cubes);
    }
    of.pop()
}

fn small(n: &BigInt) -> Option<u64> {
    if *n < BigInt::zero() { Some(0) } else { n.to_u32().map(u64::from) }
}

/// The minimal ways to reach a weighted sum.
fn ways(weights: &[(u32, u64)], at_least: u64, limit: usize) -> Option<Vec<Cube>> {
    // What is still lacking, by the place looked at next.
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
            if next.len() > limit.saturating_mul(4) {
                return None;
            }
        }
        open = next;
    }
    done.extend(open.into_iter().filter(|(_, lacking)| *lacking == 0).map(|(cube, _)| cube));
    Some(done)
}

/// The least cube above both.
fn join(a: &[(u32, u64)], b: &[(u32, u64)]) -> Cube {
    let mut joined: Cube = a.iter().chain(b).copied().collect();
    joined.sort_unstable();
    // Of two entries of a place the second, greater one stays.
    let mut cube = Cube::with_capacity(joined.len());
    for (place, count) in joined {
        match cube.last_mut() {
            Some(last) if last.0 == place => last.1 = count,
            _ => cube.push((place, count)),
        }
    }
    cube
}

/// Is every marking above `large` above `small`?
#[must_use]
pub fn covers(large: &[(u32, u64)], small: &[(u32, u64)]) -> bool {
    let mut rest = large.iter();
    small.iter().all(|(p, n)| rest.by_ref().find(|(q, _)| q >= p).is_some_and(|(q, m)| q == p && m >= n))
}

/// The minimal ones, sorted; `None` if more than `limit` are left. Quadratic only in those that begin with the same
/// place.
fn least(mut cubes: Vec<Cube>, limit: usize) -> Option<Vec<Cube>> {
    cubes.sort_by_key(|c| (c.len(), c.iter().map(|(_, n)| *n).sum::<u64>()));
    if cubes.first().is_some_and(Vec::is_empty) {
        cubes.truncate(1);
    }
    let mut kept: Vec<Cube> = Vec::new();
    // What a cube covers begins with one of its places.
    let mut beginning: HashMap<u32, Vec<usize>> = HashMap::new();
    for cube in cubes {
        let mut known = cube.iter().filter_map(|(p, _)| beginning.get(p)).flatten();
        if !known.any(|&k| covers(&cube, &kept[k])) {
            if let Some((first, _)) = cube.first() {
                beginning.entry(*first).or_default().push(kept.len());
            }
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

    #[test]
    fn covering_looks_at_every_place() {
        assert!(covers(&[(1, 2), (4, 1)], &[(4, 1)]));
        assert!(!covers(&[(1, 2), (4, 1)], &[(2, 1)]));
        assert!(!covers(&[(1, 2)], &[(1, 3)]));
        assert!(covers(&[(0, 1), (2, 1), (3, 1)], &[(2, 1), (3, 1)]));
    }
}
