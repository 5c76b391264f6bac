//! Covering goals, excluded one minimal marking at a time.
//!
//! A formula without negative weights holds in m iff m covers one of its minimal markings, and these come bottom up:
//! those of a sum are the least ways to reach it, a disjunction has those of all parts, a conjunction the least
//! markings above one of each part. A marking that the facts exclude excludes all above it, so it is dropped wherever
//! it turns up, and the formula is excluded if nothing is left at its root. Markings that are not minimal do no harm
//! and are kept if few.
//!
//! Terms with a negative weight never help a sum, and places that cannot be marked add nothing: without them a
//! formula asks for less, so what excludes the rest excludes it, whatever its form.
//!
//! Numbers beyond 64 bits become the greatest there are: smaller than meant, which asks more of the facts.

use super::Known;
use crate::work::Work;
use crate::{Check, Refusal, reject};
use model::{Formula, Linear, Node, PlaceId};
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};

/// Tokens by place: ascending, no zeros.
type Cube = Vec<(u32, u64)>;

/// Most markings in hand at a time; more of them are too dear.
const MOST: usize = 1 << 22;

/// Do the facts exclude all markings that satisfy the formula?
pub(super) fn check(known: &Known<'_>, formula: &Formula, work: &mut Work<'_>) -> Check<()> {
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
        Some(cube) => reject(format!("the facts do not exclude the goal: {}", known.described(cube))),
    }
}

fn room(cubes: usize, work: &Work<'_>) -> Check<()> {
    if cubes > MOST { Err(Refusal::TooDear) } else { work.grow(cubes * 64) }
}

fn distinct(mut cubes: Vec<Cube>) -> Vec<Cube> {
    cubes.sort_unstable();
    cubes.dedup();
    cubes
}

/// The least markings above one of each side that the facts do not exclude.
fn above_both(known: &Known<'_>, left: &[Cube], right: &[Cube], work: &mut Work<'_>) -> Check<Vec<Cube>> {
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

/// The least marking above both.
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

/// The terms that can make the sum greater.
pub(super) fn helping<'s>(known: &Known<'_>, sum: &'s Linear) -> impl Iterator<Item = &'s (PlaceId, BigInt)> {
    sum.terms.iter().filter(|(place, weight)| weight.is_positive() && known.markable[place.index()])
}

/// How often `weight` must be taken to have `n`, both of which are positive.
pub(super) fn least_times(n: &BigInt, weight: &BigInt) -> BigInt {
    debug_assert!(n.is_positive() && weight.is_positive(), "something is asked for, and it helps");
    (n + weight - 1) / weight
}

/// The least ways to reach a sum that the facts do not exclude.
fn ways(known: &Known<'_>, sum: &Linear, work: &mut Work<'_>) -> Check<Vec<Cube>> {
    work.spend(1 + sum.terms.len() as u64)?;
    let terms: Vec<(PlaceId, BigInt)> = helping(known, sum).cloned().collect();
    // A bound that contradicts the sum has weights on all of its places.
    for bound in terms.first().into_iter().flat_map(|(place, _)| known.bounds_of(place.index())) {
        work.spend(terms.len() as u64)?;
        if bound.contradicts(known, &terms, &sum.at_least) {
            return Ok(Vec::new());
        }
    }
    let mut done = Vec::new();
    // What is lacking, and the next place to look at.
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
        // More and more tokens here, until the facts exclude them.
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
