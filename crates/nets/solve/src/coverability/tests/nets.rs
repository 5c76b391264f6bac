//! Random nets, and helpers for writing nets.

use model::{Effect, Formula, Guard, Net, PlaceId, Range, Transition};
use num_bigint::{BigInt, BigUint};
use proptest::collection::vec;
use proptest::prelude::*;

/// A transition with guards and without effects.
pub(crate) fn transition(name: &str, least: &[(u32, u64)]) -> Transition {
    let guards = least.iter().map(|(p, n)| Guard { place: PlaceId(*p), range: Range::from(*n) }).collect();
    Transition { name: name.into(), guards, effects: Vec::new() }
}

pub(crate) fn effect(place: u32, sources: &[u32], add: i32) -> Effect {
    let sources = sources.iter().map(|s| PlaceId(*s)).collect();
    Effect { place: PlaceId(place), sources, add: BigInt::from(add) }
}

pub(crate) fn cover(places: usize, wanted: &[(usize, u8)]) -> Formula {
    let mut vector: Vec<(PlaceId, BigUint)> = Vec::new();
    for (p, n) in wanted {
        let place = PlaceId::new(p % places);
        if !vector.iter().any(|(q, _)| *q == place) {
            vector.push((place, BigUint::from(*n)));
        }
    }
    Formula::cover(&vector)
}

/// The markings to cover, for several goals.
pub(crate) fn targets() -> impl Strategy<Value = Vec<Vec<(usize, u8)>>> {
    vec(vec((0usize..6, 1u8..4), 1..4), 1..4)
}

/// Nets with weights, read arcs, transfers, resets and assignments. Guards have upper limits unless `monotone`.
pub(crate) fn nets(monotone: bool) -> impl Strategy<Value = Net> {
    testkit::net::nets(1..6, 1..7, monotone)
}
