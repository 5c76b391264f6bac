//! Excludes goals one minimal marking at a time.
//!
//! 1. A formula without negative weights holds in m iff m covers one of its minimal markings. These markings
//!    are computed bottom-up. The minimal markings of an inequality are the least markings in which the
//!    weighted sum reaches the bound. A disjunction has the minimal markings of all its parts. A conjunction
//!    has the least markings above one minimal marking of each part. Proof: such a formula is monotone.
//! 2. A marking that the invariants exclude can be dropped wherever it occurs. Proof: the invariants exclude
//!    every marking above it too. So the formula is excluded if no marking is left at its root. Markings that
//!    are not minimal do no harm, and are kept if they are few.
//!
//! 3. Terms with a negative weight and places that are not potentially marked can be dropped from sums,
//!    whatever the formula is. Proof: such terms never increase a sum in a reachable marking. So every
//!    reachable marking that satisfies the formula also satisfies the formula without these terms. If the
//!    formula without them is excluded, the formula is excluded too.
//!
//! 4. Numbers above 64 bits can be replaced by the greatest 64-bit number. Proof: the markings become smaller,
//!    so the invariants must exclude more.

use super::CheckedInvariants;
use crate::work::Work;
use crate::{Check, Refusal, reject};
use model::{Formula, Linear, Node, PlaceId};
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};

/// Tokens on places, as pairs of a place and its count: places ascending, no zeros.
type Cube = Vec<(u32, u64)>;

/// Greatest number of markings held at a time; a check that needs more ends with a resource limit.
const MOST: usize = 1 << 22;

/// Checks that the invariants exclude all markings that satisfy the formula.
pub(super) fn check(known: &CheckedInvariants<'_>, formula: &Formula, work: &mut Work<'_>) -> Check<()> {
    let mut of: Vec<Vec<Cube>> = Vec::with_capacity(formula.nodes().len());
    for node in formula.nodes() {
        let cubes = match node {
            Node::AtLeast(sum) => ways(known, sum, work)?,
            Node::Any(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    let cubes = &of[part.index()];
                    work.spend(cubes.iter().map(|c| 1 + c.len() as u64).sum())?;
                    room(all.len() + cubes.len(), work)?;
                    all.extend(cubes.iter().cloned());
                }
                distinct(all)
            }
            Node::All(parts) => {
                let mut factors: Vec<&[Cube]> = parts.iter().map(|p| &of[p.index()][..]).collect();
                factors.sort_by_key(|cubes| cubes.len());
                let mut product = vec![Cube::new()];
                for factor in factors {
                    product = above_both(known, &product, factor, work)?;
                }
                product
            }
        };
        of.push(cubes);
    }
    debug_assert_eq!(of.len(), formula.nodes().len(), "each node has its markings");
    match of.last().and_then(|cubes| cubes.first()) {
        None => Ok(()),
        Some(cube) => reject(format!("the invariants do not exclude the goal: {}", known.described(cube))),
    }
}

fn room(cubes: usize, work: &Work<'_>) -> Check<()> {
    if cubes > MOST { Err(Refusal::ResourceLimit) } else { work.grow(cubes * 64) }
}

fn distinct(mut cubes: Vec<Cube>) -> Vec<Cube> {
    cubes.sort_unstable();
    cubes.dedup();
    cubes
}

/// Returns the least markings above one marking of each side, except those that the invariants exclude.
fn above_both(known: &CheckedInvariants<'_>, left: &[Cube], right: &[Cube], work: &mut Work<'_>) -> Check<Vec<Cube>> {
    let mut all = Vec::new();
    for a in left {
        for b in right {
            let joined = join(a, b);
            if !known.excludes(&joined, work)? {
                room(all.len(), work)?;
                all.push(joined);
            }
        }
    }
    Ok(distinct(all))
}

/// Returns the least marking above both.
fn join(a: &[(u32, u64)], b: &[(u32, u64)]) -> Cube {
    let mut joined = Cube::with_capacity(a.len() + b.len());
    let (mut a, mut b) = (a.iter().copied().peekable(), b.iter().copied().peekable());
    while let (Some(&x), Some(&y)) = (a.peek(), b.peek()) {
        joined.push(match x.0.cmp(&y.0) {
            std::cmp::Ordering::Equal => (x.0, x.1.max(y.1)),
            std::cmp::Ordering::Less => x,
            std::cmp::Ordering::Greater => y,
        });
        if x.0 <= y.0 {
            a.next();
        }
        if y.0 <= x.0 {
            b.next();
        }
    }
    joined.extend(a);
    joined.extend(b);
    debug_assert!(joined.is_sorted_by(|a, b| a.0 < b.0), "places ascend, each once");
    joined
}

/// Returns the terms that can increase the sum.
pub(super) fn helping<'s>(
    known: &CheckedInvariants<'_>,
    sum: &'s Linear,
) -> impl Iterator<Item = &'s (PlaceId, BigInt)> {
    sum.terms.iter().filter(|(place, weight)| weight.is_positive() && known.potentially_marked[place.index()])
}

/// Returns the least number by which `weight` must be multiplied to reach `n`. Both are positive.
pub(super) fn least_times(n: &BigInt, weight: &BigInt) -> BigInt {
    debug_assert!(n.is_positive() && weight.is_positive(), "something is asked for, and it helps");
    (n + weight - 1) / weight
}

/// Returns the least ways to reach a sum, except those that the invariants exclude.
fn ways(known: &CheckedInvariants<'_>, sum: &Linear, work: &mut Work<'_>) -> Check<Vec<Cube>> {
    work.spend(1 + sum.terms.len() as u64)?;
    let terms: Vec<(PlaceId, BigInt)> = helping(known, sum).cloned().collect();
    // A bound that contradicts the sum has positive weights on all of the sum's places, so the bounds of one
    // place suffice.
    for bound in terms.first().into_iter().flat_map(|(place, _)| known.bounds_of(place.index())) {
        work.spend(terms.len() as u64)?;
        if bound.contradicts(&known.potentially_marked, &terms, &sum.at_least) {
            return Ok(Vec::new());
        }
    }
    let mut done = Vec::new();
    // Each partial way, with the amount that the sum still lacks and the index of the next term.
    let mut open: Vec<(Cube, BigInt, usize)> = vec![(Cube::new(), sum.at_least.clone(), 0)];
    while let Some((cube, lacking, next)) = open.pop() {
        if !lacking.is_positive() {
            room(done.len(), work)?;
            done.push(cube);
            continue;
        }
        let Some((place, weight)) = terms.get(next) else { continue };
        let most = least_times(&lacking, weight).to_u64().unwrap_or(u64::MAX);
        let last = next + 1 == terms.len();
        // Tries increasing numbers of tokens on this place, until the invariants exclude them.
        for count in if last { most } else { 0 }..=most {
            work.spend(1 + cube.len() as u64)?;
            let mut more = cube.clone();
            if count > 0 {
                more.push((place.0, count));
                if known.excludes(&more, work)? {
                    break;
                }
            }
            if count == most {
                room(done.len(), work)?;
                done.push(more);
            } else {
                room(open.len(), work)?;
                open.push((more, &lacking - weight * count, next + 1));
            }
        }
    }
    Ok(distinct(done))
}
