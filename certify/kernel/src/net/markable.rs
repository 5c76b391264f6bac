//! Markable places: a set that contains every place that can ever hold a token.
//!
//! The set is *closed* if it contains the places that may be marked at the start and, with the places that a
//! transition's guards ask tokens of, those that the transition may put tokens on. By induction over a run only places
//! in it are marked: a transition that fires has tokens where its guards ask for some, so it is one of those that
//! count, and an effect on a place outside leaves nothing there: the sum of its sources is at most what their guards
//! allow (0 for those outside the set, which are empty), and with the constant that is not positive. So a goal that
//! cannot hold while all places outside are empty is unreachable.
//!
//! Says nothing about deadlocks: that a place *may* be marked enables nothing.

use super::Marked;
use super::formula::{Ceiling, may_hold, size};
use super::rules::Rules;
use crate::work::Work;
use crate::{Check, reject};
use model::{Effect, Formula, Transition};
use num_bigint::{BigInt, Sign};
use num_traits::Zero;

/// Is the set closed? Returns which transitions can fire as far as it goes.
///
/// # Errors
/// If it is not; beyond the limits.
pub fn check(system: Marked<'_>, rules: &Rules<'_>, places: &[bool], work: &mut Work<'_>) -> Check<Vec<bool>> {
    check_among(system, rules, places, &vec![true; rules.transitions.len()], work)
}

/// As [`check`], where it is known that only some transitions can fire.
///
/// # Errors
/// If it is not; beyond the limits.
pub fn check_among(
    system: Marked<'_>,
    rules: &Rules<'_>,
    places: &[bool],
    known: &[bool],
    work: &mut Work<'_>,
) -> Check<Vec<bool>> {
    let count = rules.initial.len();
    if places.len() != count {
        return reject(format!("{} places are said to be markable or not, of {count}", places.len()));
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
        let fires = known[number] && t.guards.iter().all(|g| g.range.at_least.is_zero() || places[g.place.index()]);
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
    reject(format!("transition number {} may put tokens on `{place}`, said never to be marked", transition + 1))
}

/// May the effect leave tokens, if places that are not markable are empty?
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

/// Are all goals impossible while places that are not markable are empty?
///
/// # Errors
/// If one is not; beyond the limits.
pub fn excludes(places: &[bool], goals: &[&Formula], work: &mut Work<'_>) -> Check<()> {
    for formula in goals {
        work.spend(size(formula))?;
        if may_hold(formula, |p| if places[p.index()] { Ceiling::Unbounded } else { Ceiling::AtMost(0) }) {
            return reject("the markable places do not exclude the goal");
        }
    }
    Ok(())
}
