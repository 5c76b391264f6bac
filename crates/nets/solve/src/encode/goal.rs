//! Encodes formulas over markings as signals.
//!
//! A linear inequality becomes a decision diagram over its places (Abio et al., "BDDs for pseudo-Boolean
//! constraints", 2012). A node means "places from the i-th on contribute r or more". Each node is built once,
//! and nodes that always or never hold are not built, so small thresholds give small diagrams whatever the
//! bounds are. Nodes are monotone in r, so branches need no exact counts. The signals `[x >= v]` suffice, and a
//! thermometer has them without gates. For n places with bound B and weights 1 there are up to n * n * B nodes
//! with B gates each.

use super::number::Number;
use super::unary;
use circuits::encode::CannotEncode;
use model::circuit::{CircuitBuilder, Signal};
use model::{Formula, Linear, Node};
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};
use std::collections::{BTreeMap, BTreeSet};

/// Returns the signal that the formula holds. Place p is `numbers[p]`.
pub(crate) fn formula(
    b: &mut CircuitBuilder,
    numbers: &[Number],
    formula: &Formula,
    limit: usize,
) -> Result<Signal, CannotEncode> {
    let mut signals: Vec<Signal> = Vec::with_capacity(formula.nodes().len());
    for node in formula.nodes() {
        let of = |parts: &[model::NodeId]| -> Vec<Signal> { parts.iter().map(|p| signals[p.index()]).collect() };
        let signal = match node {
            Node::All(parts) => b.all(&of(parts)),
            Node::Any(parts) => b.any(&of(parts)),
            Node::AtLeast(sum) => {
                let (terms, least) = machine(sum)?;
                linear(b, numbers, &terms, least, limit)?
            }
        };
        signals.push(signal);
        unary::within(b, limit)?;
    }
    Ok(signals.last().copied().expect("a formula has a root"))
}

/// The sums of weights times numbers are between -`FAR` and `FAR`.
const FAR: i64 = 1 << 62;

fn is_small(n: i64) -> bool {
    -FAR < n && n < FAR
}

/// Returns the weights of an inequality and the value that its sum must reach. No sum is as far from 0 as
/// [`FAR`], so [`FAR`] represents all greater values, and -[`FAR`] all smaller ones.
fn machine(sum: &Linear) -> Result<(Vec<(usize, i64)>, i64), CannotEncode> {
    let small = |n: &BigInt| n.to_i64().filter(|&n| is_small(n)).ok_or(CannotEncode::TooLarge);
    let terms = sum.terms.iter().map(|(p, c)| Ok((p.index(), small(c)?))).collect::<Result<_, _>>()?;
    let beyond = if sum.at_least.is_negative() { -FAR } else { FAR };
    Ok((terms, sum.at_least.to_i64().filter(|&n| is_small(n)).unwrap_or(beyond)))
}

/// Returns the signal that the sum of weights times numbers is at least `least`.
pub(crate) fn linear(
    b: &mut CircuitBuilder,
    numbers: &[Number],
    terms: &[(usize, i64)],
    least: i64,
    limit: usize,
) -> Result<Signal, CannotEncode> {
    let rest = rests(numbers, terms)?;
    let levels = levels(numbers, terms, &rest, least, limit)?;
    let mut below: BTreeMap<i64, Signal> = BTreeMap::new();
    for (i, level) in levels.iter().enumerate().rev() {
        let (number, weight) = (&numbers[terms[i].0], terms[i].1);
        let mut here = BTreeMap::new();
        for &r in level {
            let mut parts = Vec::new();
            for (v, left) in branches(number.bound, weight, r, rest[i + 1]) {
                let then = known(left, rest[i + 1]).unwrap_or_else(|| below[&left]);
                let branch = if weight > 0 { number.at_least(b, v) } else { !number.at_least(b, v + 1) };
                parts.push(b.and(branch, then));
            }
            here.insert(r, b.any(&parts));
            unary::within(b, limit)?;
        }
        below = here;
    }
    Ok(known(least, rest[0]).unwrap_or_else(|| below[&least]))
}

/// Returns for each position the least and the greatest sum of the terms from there on.
fn rests(numbers: &[Number], terms: &[(usize, i64)]) -> Result<Vec<(i64, i64)>, CannotEncode> {
    let mut rests = vec![(0i64, 0i64)];
    for &(var, weight) in terms.iter().rev() {
        let (least, most) = rests[rests.len() - 1];
        let bound = i64::try_from(numbers[var].bound).map_err(|_| CannotEncode::TooLarge)?;
        let all = weight.checked_mul(bound).filter(|&all| is_small(all)).ok_or(CannotEncode::TooLarge)?;
        let (least, most) = (least + all.min(0), most + all.max(0));
        if !is_small(least) || !is_small(most) {
            return Err(CannotEncode::TooLarge);
        }
        rests.push((least, most));
    }
    rests.reverse();
    Ok(rests)
}

/// Returns the constant signal for "the rest has a sum of `r` or more" if this statement has the same truth
/// value for all counts, otherwise `None`.
fn known(r: i64, rest: (i64, i64)) -> Option<Signal> {
    (r <= rest.0 || r > rest.1).then(|| Signal::constant(r <= rest.0))
}

/// Returns the branches that matter for a number, each with the sum that the following terms must reach. They
/// range from the first count for which this sum is possible to the first for which it is certain. With a
/// positive weight a branch means "this count or more", with a negative weight "this count or less".
fn branches(bound: u64, weight: i64, r: i64, rest: (i64, i64)) -> Vec<(u64, i64)> {
    let mut branches = Vec::new();
    // More tokens help with a positive weight, fewer with a negative one. The loop goes from the count that
    // helps least to the count that helps most.
    let mut step = 0;
    while step <= bound {
        let v = if weight > 0 { step } else { bound - step };
        // `rests` has checked the products of weights and bounds.
        let left = r - weight * v as i64;
        if left <= rest.1 {
            branches.push((v, left));
            if left <= rest.0 {
                break;
            }
        } else {
            // Skips counts for which the rest is not possible yet.
            let far = (left - rest.1).unsigned_abs().div_ceil(weight.unsigned_abs());
            step = step.saturating_add(far);
            continue;
        }
        step += 1;
    }
    branches
}

/// Returns for each position the values r for which its node is needed.
fn levels(
    numbers: &[Number],
    terms: &[(usize, i64)],
    rest: &[(i64, i64)],
    least: i64,
    limit: usize,
) -> Result<Vec<BTreeSet<i64>>, CannotEncode> {
    let mut levels: Vec<BTreeSet<i64>> = Vec::with_capacity(terms.len());
    let open = |r: i64, i: usize| known(r, rest[i]).is_none();
    let mut here: BTreeSet<i64> = std::iter::once(least).filter(|&r| open(r, 0)).collect();
    let mut work = 0usize;
    for (i, &(var, weight)) in terms.iter().enumerate() {
        let mut next = BTreeSet::new();
        for &r in &here {
            // A term that can change the result has one branch for each count.
            let width =
                numbers[var].bound.min((rest[i + 1].1 - rest[i + 1].0).unsigned_abs() / weight.unsigned_abs() + 1);
            work = work.saturating_add(usize::try_from(width).unwrap_or(usize::MAX));
            if work > limit {
                return Err(CannotEncode::TooLarge);
            }
            next.extend(
                branches(numbers[var].bound, weight, r, rest[i + 1])
                    .into_iter()
                    .map(|b| b.1)
                    .filter(|&left| open(left, i + 1)),
            );
        }
        levels.push(std::mem::replace(&mut here, next));
    }
    Ok(levels)
}
