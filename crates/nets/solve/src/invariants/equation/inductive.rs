//! Checks whether a weighted sum of tokens is inductive: no transition increases it. The check computes in
//! exact integers and does not depend on where the weights come from.
//!
//! The new sum minus the old sum of a firing is linear in the old marking. For each place, the largest
//! contribution within the guard counts. A place with a negative coefficient contributes most at the least
//! count that the guard allows. A place with a positive coefficient contributes most at the greatest count;
//! without a greatest count, the sum is not inductive.

use crate::rules::Rules;
use num_bigint::BigInt;
use num_traits::{Signed, Zero};
use std::collections::BTreeMap;

/// Weights of places, keyed by place.
pub type Weights = BTreeMap<u32, BigInt>;

/// Returns true if no transition increases the sum. This includes the transitions outside the net, which only
/// take tokens from places that are not `whole`. The numbers of the net must be [`Rules::small`].
#[must_use]
pub fn is_inductive(rules: &Rules, whole: &[bool], weights: &Weights) -> bool {
    let mut of_place: Vec<Option<&BigInt>> = vec![None; rules.places()];
    weights.iter().for_each(|(p, weight)| of_place[*p as usize] = Some(weight));
    weights.iter().all(|(p, w)| whole[*p as usize] || !w.is_negative())
        && (0..rules.transitions()).all(|t| does_not_increase(rules, t, &of_place))
}

fn does_not_increase(rules: &Rules, t: usize, weights: &[Option<&BigInt>]) -> bool {
    let mut constant = BigInt::zero();
    let mut by_place = Weights::new();
    for change in rules.changes.row(t) {
        if let Some(weight) = weights[change.place as usize] {
            constant += weight * change.add;
            if let Some((from, to)) = change.sources {
                *by_place.entry(change.place).or_default() -= weight;
                for source in &rules.sources[from as usize..to as usize] {
                    *by_place.entry(*source).or_default() += weight;
                }
            }
        }
    }
    for (place, weight) in by_place.iter().filter(|(_, w)| !w.is_zero()) {
        let guard = rules.guards.row(t).iter().find(|g| g.place == *place);
        let (least, most) = guard.map_or((0, u64::MAX), |g| (g.least, g.most));
        match weight.is_negative() {
            true => constant += weight * least,
            false if most == u64::MAX => return false,
            false => constant += weight * most,
        }
    }
    !constant.is_positive()
}

/// Returns the greatest value of the sum over all initial markings, or `None` if it is unbounded.
#[must_use]
pub fn greatest_at_start(rules: &Rules, weights: &Weights) -> Option<BigInt> {
    let mut sum = BigInt::zero();
    for (place, weight) in weights {
        let count = if weight.is_negative() { &rules.initial } else { &rules.initial_most }[*place as usize];
        if count == u64::MAX {
            return None;
        }
        sum += weight * count;
    }
    Some(sum)
}
