//! What writers of Petri nets check before they write, and the arcs of a plain transition.

use formats::error::{WriteError, printable};
use model::{Net, PlaceId, Problem, ThreadTransitionSystem, Transition};
use num_bigint::{BigInt, BigUint};
use num_traits::Zero;
use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

/// Returns the net to write in the format called `format`, which supports no other systems.
pub(crate) fn net_for<'p>(format: &str, problem: &'p Problem) -> Result<&'p Arc<Net>, WriteError> {
    let other = || WriteError::feature(format, problem.system().noun()).hint("the format is for nets");
    problem.system().as_net().ok_or_else(other)
}

/// Returns the thread-transition system to write in the format called `format`, which supports no other systems.
pub(crate) fn threads_for<'p>(
    format: &str,
    problem: &'p Problem,
) -> Result<&'p Arc<ThreadTransitionSystem>, WriteError> {
    let other =
        || WriteError::feature(format, problem.system().noun()).hint("the format is for thread-transition systems");
    problem.system().as_threads().ok_or_else(other)
}

/// Checks that each place has a fixed number of tokens at the start.
///
/// # Errors
/// The first place for which this is not so, as a feature that `format` cannot express.
pub(crate) fn fixed_start(format: &str, net: &Net) -> Result<(), WriteError> {
    match net.places().iter().find(|place| !place.initial.is_single()) {
        None => Ok(()),
        Some(place) => {
            let what = format!("place `{}` has no fixed number of tokens at the start", printable(&place.name));
            Err(WriteError::feature(format, what).hint("fix it with --init"))
        }
    }
}

/// Checks that the net does not say in which markings it is meant to end.
///
/// # Errors
/// Final markings, as a feature that `format` cannot express.
pub(crate) fn no_ends(format: &str, net: &Net) -> Result<(), WriteError> {
    if net.finals().is_empty() && net.ends().is_none() {
        return Ok(());
    }
    Err(WriteError::feature(format, "final markings")
        .hint("the format `pnml` can express them, and `--without-finals` leaves them out"))
}

/// Checks that no guard of the transition has an upper bound.
///
/// # Errors
/// The first guard with one, as a feature that `format` cannot express.
pub(crate) fn no_upper_bounds(format: &str, net: &Net, transition: &Transition) -> Result<(), WriteError> {
    let name = printable(&transition.name);
    for guard in &transition.guards {
        let place = printable(&net.place(guard.place).name);
        let what = match &guard.range.at_most {
            Some(most) if most.is_zero() => format!("transition `{name}` tests `{place}` for zero"),
            Some(_) => format!("transition `{name}` has an upper bound on `{place}`"),
            None => continue,
        };
        return Err(WriteError::feature(format, what));
    }
    Ok(())
}

/// Checks that the transition only takes and puts fixed numbers of tokens.
///
/// # Errors
/// The first effect of another kind, as a feature that `format` cannot express.
pub(crate) fn fixed_effects(format: &str, net: &Net, transition: &Transition) -> Result<(), WriteError> {
    let name = printable(&transition.name);
    let Some(effect) = transition.effects.iter().find(|effect| effect.delta().is_none()) else { return Ok(()) };
    let place = printable(&net.place(effect.place).name);
    let what = match (effect.sources.is_empty(), effect.add.is_zero()) {
        (true, true) => format!("transition `{name}` resets `{place}`"),
        (true, false) => format!("transition `{name}` assigns a constant to `{place}`"),
        (false, _) => format!("transition `{name}` transfers tokens to `{place}`"),
    };
    Err(WriteError::feature(format, what))
}

/// The arcs of a place and a transition.
pub(crate) struct Arcs {
    pub(crate) place: PlaceId,
    /// The number of tokens that the transition takes.
    pub(crate) takes: BigUint,
    /// The number of tokens that it puts.
    pub(crate) puts: BigUint,
}

/// Returns the arcs of a transition with fixed effects. An arc takes what a guard requires, and an arc back
/// returns this number plus the effect.
pub(crate) fn arcs(transition: &Transition) -> impl Iterator<Item = Arcs> {
    let guarded = transition.guards.iter().map(|guard| {
        let takes = guard.range.at_least.clone();
        let change = transition.effect(guard.place).and_then(|e| e.delta()).cloned().unwrap_or_default();
        let puts = (BigInt::from(takes.clone()) + change).to_biguint().unwrap_or_default();
        Arcs { place: guard.place, takes, puts }
    });
    let others = transition.effects.iter().filter(|e| transition.guard(e.place).is_none());
    guarded.chain(others.map(|e| Arcs {
        place: e.place,
        takes: BigUint::zero(),
        puts: e.add.to_biguint().unwrap_or_default(),
    }))
}

/// Returns names for the transitions of a net that differ from the names of all places. In a net, a transition
/// may have the name of a place; then it gets underscores at the end.
pub(crate) fn apart(net: &Net) -> Vec<Cow<'_, str>> {
    let mut taken: HashSet<Cow<'_, str>> = net.places().iter().map(|p| Cow::Borrowed(p.name.as_str())).collect();
    let all: HashSet<&str> = net.transitions().iter().map(|t| t.name.as_str()).collect();
    let mut names = Vec::with_capacity(net.transitions().len());
    for transition in net.transitions() {
        let mut name = Cow::Borrowed(transition.name.as_str());
        while taken.contains(&name) || (matches!(name, Cow::Owned(_)) && all.contains(name.as_ref())) {
            name.to_mut().push('_');
        }
        taken.insert(name.clone());
        names.push(name);
    }
    names
}
