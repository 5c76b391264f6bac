//! Linear bounds as invariants: `sum of w(p) * m(p) <= b` in all reachable markings.
//!
//! 1. The bound holds in every initial marking if it holds when each place with a positive weight has its
//!    greatest initial count and each other place its least. Proof: this is the greatest initial value of the
//!    sum.
//! 2. Let t lead from m to m'. The new sum is at most a linear function of the old counts. In this function the
//!    coefficient of a place s is the sum of the weights of the places of which s is a source, where a place
//!    without effect is its own source. The constants of the effects are multiplied by the weights and added.
//!    If threads in s pick targets, the function counts all of them at the target with the greatest weight,
//!    which is the worst case (the active thread, if it is in s, does not pick). Proof: by the definition of
//!    firing.
//! 3. A linear function has its greatest value where each old count is at the end of its range that the sign of
//!    the coefficient requires. The bound is preserved by t if the greatest value for the new sum minus the old
//!    sum is at most 0, or the greatest value for the new sum is at most b. Proof: the old counts are within
//!    the guards of t and within the limits known for single places. Places that are empty when t fires, as far as the
//!    invariants before show, count nothing.
//! 4. A transition that needs tokens that the bound excludes never fires. Proof: no marking that satisfies the bound
//!    has these tokens.

use super::CheckedInvariants;
use crate::work::Work;
use crate::{Check, reject};
use model::{AtMost, PlaceId, Range};
use num_bigint::BigInt;
use num_traits::{Signed, Zero};
use std::collections::BTreeMap;

/// Checks the bound and adds it to the invariants.
pub(super) fn check<'a>(known: &mut CheckedInvariants<'a>, invariant: &'a AtMost, work: &mut Work<'_>) -> Check<()> {
    let weights = Weights::new(known, invariant, work)?;
    let mut start = BigInt::ZERO;
    for (place, weight) in &invariant.terms {
        work.spend(1)?;
        let range = &known.rules.initial[place.index()];
        match (weight.is_positive(), &range.at_most) {
            (false, _) => start += weight * BigInt::from(range.at_least.clone()),
            (true, Some(most)) => start += weight * BigInt::from(most.clone()),
            (true, None) => return reject(format!("`{}` has no bound at the start", known.system.name(place.index()))),
        }
    }
    if start > invariant.at_most {
        return reject("a bound does not hold at the start");
    }
    for &t in weights.touching.iter().filter(|t| known.can_fire[**t]) {
        if !weights.keeps(t, work)? {
            return reject(format!("transition number {} may break a bound", t + 1));
        }
    }
    let negative = |(p, weight): &(PlaceId, BigInt)| weight.is_negative() && known.potentially_marked[p.index()];
    if !invariant.terms.iter().any(negative) {
        for (place, weight) in invariant.terms.iter().filter(|(_, weight)| weight.is_positive()) {
            debug_assert!(!invariant.at_most.is_negative(), "a negative bound does not hold at the start");
            let most = (&invariant.at_most / weight).to_biguint().unwrap_or_default();
            known.at_most(place.index(), most);
        }
        known.add_bound(invariant, work)?;
    }
    Ok(())
}

/// The weights of a bound, with lookup by place.
struct Weights<'k, 'a> {
    known: &'k CheckedInvariants<'a>,
    invariant: &'a AtMost,
    /// The transitions that change a place with a weight, in ascending order.
    touching: Vec<usize>,
}

/// A linear function of the old marking.
#[derive(Clone, Default)]
struct Sum {
    weights: BTreeMap<PlaceId, BigInt>,
    constant: BigInt,
}

impl<'k, 'a> Weights<'k, 'a> {
    fn new(known: &'k CheckedInvariants<'a>, invariant: &'a AtMost, work: &mut Work<'_>) -> Check<Self> {
        let places = known.rules.initial.len();
        work.spend(1 + invariant.terms.len() as u64)?;
        let mut touching = Vec::new();
        let mut next = 0;
        for (place, w) in &invariant.terms {
            if place.index() < next || place.index() >= places {
                return reject("the places of a bound must be known and ascending");
            }
            if w.is_zero() {
                return reject("a bound has a weight of zero");
            }
            next = place.index() + 1;
            let changers = &known.changers[place.index()];
            work.spend(changers.len() as u64)?;
            touching.extend(changers.iter().map(|t| *t as usize));
        }
        touching.sort_unstable();
        touching.dedup();
        Ok(Self { known, invariant, touching })
    }

    fn weight(&self, place: PlaceId) -> Option<&BigInt> {
        let at = self.invariant.terms.binary_search_by_key(&place, |term| term.0);
        at.ok().map(|at| &self.invariant.terms[at].1)
    }

    /// Returns true if the bound holds after `t` whenever it holds before.
    fn keeps(&self, t: usize, work: &mut Work<'_>) -> Check<bool> {
        debug_assert!(self.known.can_fire[t], "others break nothing");
        let mut sum = self.difference(t, work)?;
        let zero = BigInt::ZERO;
        if self.greatest(t, &sum).is_some_and(|greatest| greatest <= zero) {
            return Ok(true);
        }
        work.spend(self.invariant.terms.len() as u64)?;
        let mut whole = sum.clone();
        for (place, weight) in &self.invariant.terms {
            *whole.weights.entry(*place).or_default() += weight;
        }
        if self.greatest(t, &whole).is_some_and(|greatest| greatest <= self.invariant.at_most) {
            return Ok(true);
        }
        for (place, weight) in &mut sum.weights {
            if weight.is_positive() && self.known.is_empty_at(t, place.0, work)? {
                weight.set_zero();
            }
        }
        Ok(self.greatest(t, &sum).is_some_and(|greatest| greatest <= zero))
    }

    /// Returns a linear function that is at least the new sum minus the old sum.
    fn difference(&self, t: usize, work: &mut Work<'_>) -> Check<Sum> {
        let mut sum = Sum::default();
        for effect in &self.known.rules.transitions[t].effects {
            work.spend(1 + effect.sources.len() as u64)?;
            let Some(weight) = self.weight(effect.place) else { continue };
            sum.constant += weight * &effect.add;
            *sum.weights.entry(effect.place).or_default() -= weight;
            for source in &effect.sources {
                *sum.weights.entry(*source).or_default() += weight;
            }
        }
        let zero = BigInt::ZERO;
        for scatter in self.known.rules.scatters_of(t) {
            work.spend(scatter.targets.len() as u64)?;
            let weight = |target: &PlaceId| self.weight(*target).unwrap_or(&zero);
            let Some(worst) = scatter.targets.iter().map(weight).max() else { continue };
            *sum.weights.entry(scatter.source).or_default() += worst;
            if scatter.but_one {
                sum.constant -= worst;
            }
        }
        Ok(sum)
    }

    /// Returns the greatest value of `sum` in markings that enable `t`, or `None` if there is no limit.
    fn greatest(&self, t: usize, sum: &Sum) -> Option<BigInt> {
        let everything = Range::from(0u8);
        let mut total = sum.constant.clone();
        for (place, weight) in &sum.weights {
            let range = self.known.rules.transitions[t].guard(*place).unwrap_or(&everything);
            if weight.is_positive() {
                let most = [&range.at_most, &self.known.most[place.index()]].into_iter().flatten().min()?;
                total += weight * BigInt::from(most.clone());
            } else {
                total += weight * BigInt::from(range.at_least.clone());
            }
        }
        Some(total)
    }
}
