//! Linear bounds: `sum of w(p) * m(p) <= b` in all reachable markings.
//!
//! At the start each place is taken at its greatest count if its weight is positive, else at its least. For a
//! transition t that leads from m to m', the new sum is linear in the old counts: a place s counts as often as it is
//! a source of changed places, times their weights, and constants add up. Threads of s that pick a target arrive, at
//! worst, all at the one with the greatest weight (the active thread, if it is one of them, does not pick). The old
//! counts are within t's guards and within what is known of single places, so each coefficient takes the end of its
//! range that makes the sum greatest. The bound is kept if, at this greatest, either the new sum minus the old is at
//! most 0, or the new sum is at most b.

use super::Known;
use crate::work::Work;
use crate::{Check, reject};
use model::{AtMost, PlaceId, Range};
use num_bigint::BigInt;
use num_traits::{Signed, Zero};
use std::collections::BTreeMap;

/// A bound without negative weights (on places that can be marked).
#[derive(Debug)]
pub(super) struct Bound<'a> {
    pub(super) fact: &'a AtMost,
}

impl Bound<'_> {
    fn weight(&self, place: u32) -> Option<&BigInt> {
        let terms = &self.fact.terms;
        terms.binary_search_by_key(&place, |(p, _)| p.0).ok().map(|at| &terms[at].1)
    }

    /// Is every marking with at least these tokens beyond it?
    pub(super) fn excludes(&self, vector: &[(u32, u64)], work: &mut Work<'_>) -> Check<bool> {
        work.spend(vector.len() as u64)?;
        let mut sum = BigInt::ZERO;
        for (place, count) in vector {
            if let Some(weight) = self.weight(*place) {
                sum += weight * count;
            }
        }
        Ok(sum > self.fact.at_most)
    }

    /// Is no marking within it that satisfies `sum of weight * place >= at_least` (weights positive)? By the ratio of
    /// weights: if c <= r * w on all places, then `sum of c * p <= r * b`.
    pub(super) fn contradicts(&self, known: &Known<'_>, terms: &[(PlaceId, BigInt)], at_least: &BigInt) -> bool {
        let below = |(place, c): &(PlaceId, BigInt)| {
            !known.markable[place.index()]
                || self.weight(place.0).is_some_and(|w| w.is_positive() && c * &self.fact.at_most < at_least * w)
        };
        at_least.is_positive() && terms.iter().all(below)
    }
}

/// Adds the bound to what is known.
pub(super) fn check<'a>(known: &mut Known<'a>, fact: &'a AtMost, work: &mut Work<'_>) -> Check<()> {
    let weights = Weights::new(known, fact, work)?;
    let mut start = BigInt::ZERO;
    for (place, weight) in &fact.terms {
        work.spend(1)?;
        let range = &known.rules.initial[place.index()];
        match (weight.is_positive(), &range.at_most) {
            (false, _) => start += weight * BigInt::from(range.at_least.clone()),
            (true, Some(most)) => start += weight * BigInt::from(most.clone()),
            (true, None) => return reject(format!("`{}` has no bound at the start", known.system.name(place.index()))),
        }
    }
    if start > fact.at_most {
        return reject("a bound does not hold at the start");
    }
    for &t in weights.touching.iter().filter(|t| known.can_fire[**t]) {
        if !weights.keeps(t, work)? {
            return reject(format!("transition number {} may break a bound", t + 1));
        }
    }
    let negative = |(p, weight): &(PlaceId, BigInt)| weight.is_negative() && known.markable[p.index()];
    if !fact.terms.iter().any(negative) {
        for (place, weight) in fact.terms.iter().filter(|(_, weight)| weight.is_positive()) {
            debug_assert!(!fact.at_most.is_negative(), "a negative bound does not hold at the start");
            let most = (&fact.at_most / weight).to_biguint().unwrap_or_default();
            known.at_most(place.index(), most);
            known.bounds_of[place.index()].push(known.bounds.len() as u32);
        }
        known.bounds.push(Bound { fact });
    }
    Ok(())
}

/// The weights of a bound, by place.
struct Weights<'k, 'a> {
    known: &'k Known<'a>,
    fact: &'a AtMost,
    /// Transitions that change a place with a weight, ascending.
    touching: Vec<usize>,
}

/// A linear function of the old marking.
#[derive(Clone, Default)]
struct Sum {
    weights: BTreeMap<PlaceId, BigInt>,
    constant: BigInt,
}

impl<'k, 'a> Weights<'k, 'a> {
    fn new(known: &'k Known<'a>, fact: &'a AtMost, work: &mut Work<'_>) -> Check<Self> {
        let places = known.rules.initial.len();
        work.spend(1 + fact.terms.len() as u64)?;
        let mut touching = Vec::new();
        let mut next = 0;
        for (place, w) in &fact.terms {
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
        Ok(Self { known, fact, touching })
    }

    fn weight(&self, place: PlaceId) -> Option<&BigInt> {
        let at = self.fact.terms.binary_search_by_key(&place, |term| term.0);
        at.ok().map(|at| &self.fact.terms[at].1)
    }

    /// Does the bound hold after `t` if it holds before?
    fn keeps(&self, t: usize, work: &mut Work<'_>) -> Check<bool> {
        debug_assert!(self.known.can_fire[t], "others break nothing");
        let mut sum = self.difference(t, work)?;
        let zero = BigInt::ZERO;
        if self.greatest(t, &sum).is_some_and(|greatest| greatest <= zero) {
            return Ok(true);
        }
        work.spend(self.fact.terms.len() as u64)?;
        for (place, weight) in &self.fact.terms {
            *sum.weights.entry(*place).or_default() += weight;
        }
        Ok(self.greatest(t, &sum).is_some_and(|greatest| greatest <= self.fact.at_most))
    }

    /// The most that the sum grows by.
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

    /// The greatest value where `t` is enabled, if there is one.
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
