//! Random nets, and hand-made ones in few words.

use model::{Effect, Formula, Guard, Net, Place, PlaceId, Range, Transition};
use num_bigint::{BigInt, BigUint};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

pub(crate) fn place(name: &str, initial: Range) -> Place {
    Place { name: name.into(), initial }
}

pub(crate) fn plain(name: &str, pre: &[(u32, u64)], post: &[(u32, u64)]) -> Transition {
    let big = |arcs: &[(u32, u64)]| arcs.iter().map(|(p, n)| (PlaceId(*p), BigUint::from(*n))).collect::<Vec<_>>();
    Transition::from_arcs(name.into(), &big(pre), &big(post))
}

/// Guards only.
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

/// What to cover, for some goals.
pub(crate) fn targets() -> impl Strategy<Value = Vec<Vec<(usize, u8)>>> {
    vec(vec((0usize..6, 1u8..4), 1..4), 1..4)
}

type Parts = (Vec<(usize, Range)>, Vec<(usize, (Option<Vec<usize>>, i32))>);

fn guards(monotone: bool) -> impl Strategy<Value = Range> {
    let tests = u32::from(!monotone);
    prop_oneof![
        6 => (1u8..3).prop_map(Range::from),
        tests => (0u8..2, 0u8..2).prop_map(|(a, n)| Range { at_least: a.into(), at_most: Some((a + n).into()) }),
    ]
}

fn initial() -> impl Strategy<Value = Range> {
    prop_oneof![
        6 => (0u8..3).prop_map(Range::exactly),
        2 => (0u8..2).prop_map(Range::from),
        1 => (0u8..2, 0u8..3).prop_map(|(a, n)| Range { at_least: a.into(), at_most: Some((a + n).into()) }),
    ]
}

fn parts(places: usize, monotone: bool) -> impl Strategy<Value = Parts> {
    let sources = prop_oneof![5 => Just(None), 1 => vec(0..places, 0..3).prop_map(Some)];
    let guards = btree_map(0..places, guards(monotone), 0..3).prop_map(|m| m.into_iter().collect());
    let effects = btree_map(0..places, (sources, -2..3i32), 1..4).prop_map(|m| m.into_iter().collect());
    (guards, effects)
}

fn assemble(name: String, (guards, effects): Parts) -> Transition {
    let guards: Vec<Guard> = (guards.into_iter()).map(|(p, range)| Guard { place: PlaceId::new(p), range }).collect();
    let effect = |(p, (sources, add)): (usize, (Option<Vec<usize>>, i32))| {
        let mut sources: Vec<PlaceId> = sources.unwrap_or(vec![p]).into_iter().map(PlaceId::new).collect();
        sources.sort_unstable();
        let least = |s: &PlaceId| guards.iter().find(|g| g.place == *s).map(|g| g.range.at_least.clone());
        let ensured: BigUint = sources.iter().filter_map(least).sum();
        Effect { place: PlaceId::new(p), sources: sources.into(), add: BigInt::from(add).max(-BigInt::from(ensured)) }
    };
    let effects = effects.into_iter().map(effect).collect();
    Transition { name, guards, effects }
}

/// Nets with weights, read arcs, transfers, resets and assignments; with upper ends of guards unless `monotone`.
pub(crate) fn nets(monotone: bool) -> impl Strategy<Value = Net> {
    (1usize..6).prop_flat_map(move |n| (vec(initial(), n), vec(parts(n, monotone), 1..7))).prop_map(
        |(initial, transitions)| {
            let places = initial.into_iter().enumerate().map(|(i, initial)| place(&format!("p{i}"), initial));
            let transitions = transitions.into_iter().enumerate().map(|(i, t)| assemble(format!("t{i}"), t));
            Net::new(places.collect(), transitions.collect()).expect("guards ensure what effects take")
        },
    )
}
