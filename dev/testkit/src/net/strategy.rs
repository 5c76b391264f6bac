//! Random small nets for proptest. They have all features of nets: weights, read arcs, transfers, resets,
//! assignments, upper ends of guards, and open initial markings.

use crate::net::place;
use model::{Effect, Guard, Net, PlaceId, Range, Transition};
use num_bigint::{BigInt, BigUint};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::ops::Range as Numbers;

fn between() -> impl Strategy<Value = Range> {
    (0u8..3, 0u8..3).prop_map(|(a, n)| Range { at_least: a.into(), at_most: Some((a + n).into()) })
}

fn initial() -> impl Strategy<Value = Range> {
    prop_oneof![
        3 => Just(Range::exactly(0u8)),
        4 => (0u8..3).prop_map(Range::exactly),
        1 => (0u8..2).prop_map(Range::from),
        1 => between(),
    ]
}

fn guard(monotone: bool) -> impl Strategy<Value = Range> {
    let tests = u32::from(!monotone);
    prop_oneof![7 => (1u8..3).prop_map(Range::from), tests => Just(Range::exactly(0u8)), tests => between()]
}

/// The sources of an effect and its constant. `None` as sources means the place itself. `assemble` limits
/// negative constants to what the guards ensure.
type Sum = (Option<Vec<usize>>, i32);

type Parts = (BTreeMap<usize, Range>, BTreeMap<usize, Sum>);

fn parts(places: usize, monotone: bool) -> impl Strategy<Value = Parts> {
    let sources = prop_oneof![3 => Just(None), 1 => vec(0..places, 0..3).prop_map(Some)];
    (btree_map(0..places, guard(monotone), 0..3), btree_map(0..places, (sources, -2..3i32), 0..4))
}

/// Returns a transition with guards that ensure that no effect makes a place negative.
fn assemble(name: String, (guards, effects): Parts) -> Transition {
    let ensured =
        |sources: &[usize]| -> BigUint { sources.iter().filter_map(|s| guards.get(s)).map(|r| &r.at_least).sum() };
    let effect = |(p, (sources, add)): (usize, Sum)| {
        let mut sources = sources.unwrap_or(vec![p]);
        sources.sort_unstable();
        let add = BigInt::from(add).max(-BigInt::from(ensured(&sources)));
        Effect { place: PlaceId::new(p), sources: sources.into_iter().map(PlaceId::new).collect(), add }
    };
    let effects = effects.into_iter().map(effect).collect();
    let guards = guards.into_iter().map(|(p, range)| Guard { place: PlaceId::new(p), range }).collect();
    Transition { name, guards, effects }
}

/// A strategy for nets with these numbers of places and transitions. With `monotone` set no guard has an upper
/// end.
pub fn nets(places: Numbers<usize>, transitions: Numbers<usize>, monotone: bool) -> impl Strategy<Value = Net> {
    let lists = move |n| (vec(initial(), n), vec(parts(n, monotone), transitions.clone()));
    places.prop_flat_map(lists).prop_map(|(initial, transitions)| {
        let places = initial.into_iter().enumerate().map(|(i, initial)| place(format!("p{i}"), initial));
        let transitions = transitions.into_iter().enumerate().map(|(i, t)| assemble(format!("t{i}"), t));
        Net::new(places.collect(), transitions.collect()).expect("guards ensure what effects take")
    })
}
