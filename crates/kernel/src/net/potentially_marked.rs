//! Potentially marked places as evidence: a set that contains every place that ever holds a token.
//!
//! The set is *closed* if it contains
//!
//! * the places that may be marked initially, and
//! * the places that a transition may put tokens on, if all places on which its guards need tokens are in the
//!   set, and no guard has an empty range. Such a transition *counts*.
//!
//! 1. Every place that is marked in a reachable marking is in the set. Proof: by induction over the run. A
//!    transition that fires has tokens on the places where its guards need tokens, so these places are in the
//!    set, and the transition counts: an empty range contains no number of tokens. Consider its effect on a place
//!    outside the set. Each source of the effect holds at most what its guard allows, and sources outside the set
//!    are empty. The sum of these limits and the constant is not positive, because the set is closed. So the effect
//!    leaves no token on the place.
//!    A thread that picks its target (a scatter) leaves a source that holds tokens, so the source is in the set,
//!    and then the set contains all its targets.
//! 2. A goal that cannot hold while all places outside the set are empty is unreachable. Proof: by claim 1
//!    these places are empty in every reachable marking.
//!
//! The set shows nothing about deadlocks: that a place *may* be marked enables no transition.

use super::Marked;
use super::rules::Rules;
use crate::work::Work;
use crate::{Check, reject};
use model::{Effect, Guard, Range, Transition};
use num_bigint::{BigInt, Sign};
use num_traits::Zero;

/// Checks that the set is closed. Returns, for each transition, true if it can fire as far as the set shows.
///
/// # Errors
/// If the set is not closed, or if a resource limit is exceeded.
pub fn check(system: Marked<'_>, rules: &Rules<'_>, places: &[bool], work: &mut Work<'_>) -> Check<Vec<bool>> {
    check_among(system, rules, places, &vec![true; rules.transitions.len()], work)
}

/// Checks the same as [`check`], given that only the transitions in `known` can fire.
///
/// # Errors
/// If the set is not closed, or if a resource limit is exceeded.
pub fn check_among(
    system: Marked<'_>,
    rules: &Rules<'_>,
    places: &[bool],
    known: &[bool],
    work: &mut Work<'_>,
) -> Check<Vec<bool>> {
    let count = rules.initial.len();
    if places.len() != count {
        return reject(format!("the evidence is about {} places, and the net has {count}", places.len()));
    }
    for (place, range) in rules.initial.iter().enumerate() {
        work.spend(1)?;
        if !places[place] && !range.at_most.as_ref().is_some_and(Zero::is_zero) {
            return reject(format!("`{}` may be marked at the start", system.name(place)));
        }
    }
    assert_eq!(known.len(), rules.transitions.len(), "it is known of each transition");
    let mut can_fire = Vec::with_capacity(rules.transitions.len());
    for (number, t) in rules.transitions.iter().enumerate() {
        work.spend(1 + (t.guards.len() + t.effects.len()) as u64)?;
        let needs = |range: &Range| !range.at_least.is_zero();
        let holds = |g: &Guard| !g.range.is_empty() && (!needs(&g.range) || places[g.place.index()]);
        let fires = known[number] && t.guards.iter().all(holds);
        can_fire.push(fires);
        let put = t.effects.iter().find(|e| fires && !places[e.place.index()] && may_mark(t, e, places));
        if let Some(effect) = put {
            return not_closed(system, number, effect.place.index());
        }
    }
    for scatter in rules.scatters.iter().filter(|s| can_fire[s.transition] && places[s.source.index()]) {
        work.spend(scatter.targets.len() as u64)?;
        if let Some(target) = scatter.targets.iter().find(|p| !places[p.index()]) {
            return not_closed(system, scatter.transition, target.index());
        }
    }
    debug_assert!(can_fire.iter().zip(known).all(|(now, before)| *before || !*now), "only fewer can fire");
    Ok(can_fire)
}

fn not_closed<T>(system: Marked<'_>, transition: usize, place: usize) -> Check<T> {
    let place = system.name(place);
    reject(format!("transition number {} may put tokens on `{place}`, listed as never marked", transition + 1))
}

/// Returns true if the effect may leave tokens on its place while all places outside the set are empty.
fn may_mark(t: &Transition, effect: &Effect, places: &[bool]) -> bool {
    let mut most = effect.add.clone();
    for source in effect.sources.iter().filter(|p| places[p.index()]) {
        match t.guard(*source).and_then(|range| range.at_most.clone()) {
            Some(tokens) => most += BigInt::from(tokens),
            None => return true,
        }
    }
    most.sign() == Sign::Plus
}
