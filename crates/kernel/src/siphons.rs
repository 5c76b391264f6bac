//! Siphons: sets of places that stay empty once they are empty. They show that subformulas are false, or true, for ever
//! after a marking ([`crate::branching`]).
//!
//! 1. If the places of a siphon are empty in a marking, they are empty in each next marking. Proof: a transition that
//!    can fire has no guard that requires a token on one of them. Each effect on one of them adds nothing to a sum of
//!    places of the siphon, which are empty, and no thread picks one of them as its target ([`check`] rejects the
//!    others).
//! 2. So a formula over places that has one truth in all markings in which these places are empty
//!    ([`model::Formula::truth_without`]) has this truth in the marking and in all that are reachable from it, and
//!    [`model::Ctl::lasting`] gives the truth of formulas of computation tree logic there.

use crate::net::Rules;
use crate::work::Work;
use crate::{Check, reject};
use model::PlaceId;
use num_bigint::{BigUint, Sign};

/// Checks that these places are a siphon. Returns for each place whether it is one of them.
///
/// # Errors
/// If they are not, or if a resource limit is exceeded.
pub fn check(rules: &Rules<'_>, places: &[PlaceId], work: &mut Work<'_>) -> Check<Vec<bool>> {
    if places.is_empty() {
        return reject("a siphon has no places");
    }
    let count = rules.initial.len();
    work.grow(count)?;
    let mut inside = vec![false; count];
    for place in places {
        match inside.get_mut(place.index()) {
            Some(inside) => *inside = true,
            None => return reject("a siphon names a place that does not exist"),
        }
    }
    for (number, transition) in rules.transitions.iter().enumerate() {
        work.spend(1 + transition.guards.len() as u64 + transition.effects.len() as u64)?;
        let needs = |guard: &model::Guard| inside[guard.place.index()] && guard.range.at_least > BigUint::ZERO;
        if transition.guards.iter().any(needs) {
            continue;
        }
        let gives = |effect: &model::Effect| {
            let is_fed = effect.sources.iter().any(|source| !inside[source.index()]);
            inside[effect.place.index()] && (is_fed || effect.add.sign() == Sign::Plus)
        };
        let scatters = |scatter: &crate::net::Scatter| {
            !inside[scatter.source.index()] && scatter.targets.iter().any(|place| inside[place.index()])
        };
        if transition.effects.iter().any(gives) || rules.scatters_of(number).iter().any(scatters) {
            return reject("a transition may put a token on an empty siphon");
        }
    }
    Ok(inside)
}
