//! The transitions that are needed for the reachable markings. The others make no step that these do not make.
//!
//! Tests of places that no transition changes are decided. Of transitions with the same effects, those are left out
//! that test at least what another one tests.

use model::{Guard, Net, PlaceId, Range, Transition};
use num_bigint::BigInt;
use std::collections::HashMap;

/// An effect: the place, its sources, and what is added.
type Sum = (PlaceId, Vec<PlaceId>, BigInt);

/// Transitions that a transition is compared with, at most.
const COMPARED: usize = 256;

/// Returns transitions that make the same steps as all of them.
pub(crate) fn steps_of(net: &Net) -> Vec<Transition> {
    let mut is_constant: Vec<bool> = net.places().iter().map(|p| p.initial.is_single()).collect();
    net.transitions().iter().flat_map(|t| &t.effects).for_each(|e| is_constant[e.place.index()] = false);
    let holds = |guard: &Guard| guard.range.contains(&net.place(guard.place).initial.at_least);
    let mut transitions: Vec<Transition> = Vec::new();
    for transition in net.transitions().iter().filter(|t| !t.effects.is_empty()) {
        if transition.guards.iter().all(|g| !is_constant[g.place.index()] || holds(g)) {
            let mut transition = transition.clone();
            transition.guards.retain(|g| !is_constant[g.place.index()]);
            transitions.push(transition);
        }
    }
    // A transition that tests less comes first.
    transitions.sort_by_key(|t| t.guards.len());
    let mut kept: Vec<Transition> = Vec::new();
    let mut same: HashMap<Vec<Sum>, Vec<usize>> = HashMap::new();
    for transition in transitions {
        let effects = transition.effects.iter().map(|e| (e.place, e.sources.to_vec(), e.add.clone()));
        let same = same.entry(effects.collect()).or_default();
        if !same.iter().take(COMPARED).any(|other| is_implied(&kept[*other], &transition)) {
            same.push(kept.len());
            kept.push(transition);
        }
    }
    kept
}

/// True if `a` is enabled wherever `b` is.
fn is_implied(a: &Transition, b: &Transition) -> bool {
    a.guards.iter().all(|guard| b.guard(guard.place).is_some_and(|range| is_within(range, &guard.range)))
}

fn is_within(inner: &Range, outer: &Range) -> bool {
    let is_below = match (&inner.at_most, &outer.at_most) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(inner), Some(outer)) => inner <= outer,
    };
    outer.at_least <= inner.at_least && is_below
}
