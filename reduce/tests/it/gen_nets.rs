//! Random small nets with all that a net can have, and goals for them.

use model::{Effect, Formula, FormulaBuilder, Guard, Net, NodeId, Place, PlaceId, Range, Transition};
use num_bigint::{BigInt, BigUint};
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::BTreeMap;

fn initial() -> impl Strategy<Value = Range> {
    prop_oneof![
        5 => Just(Range::exactly(0u8)),
        4 => (0u8..3).prop_map(Range::exactly),
        1 => (0u8..2).prop_map(Range::from),
        1 => (0u8..2, 0u8..3).prop_map(|(a, n)| Range { at_least: a.into(), at_most: Some((a + n).into()) }),
    ]
}

fn guard() -> impl Strategy<Value = Range> {
    prop_oneof![
        8 => (1u8..3).prop_map(Range::from),
        1 => Just(Range::exactly(0u8)),
        1 => (0u8..3, 0u8..2).prop_map(|(a, n)| Range { at_least: a.into(), at_most: Some((a + n).into()) }),
    ]
}

/// Sources (by parts) and constant of an effect; negative constants are limited by what guards ensure.
fn effect(places: usize) -> impl Strategy<Value = (Vec<usize>, i32, bool)> {
    let sources = prop_oneof![3 => Just(None), 2 => vec(0..places, 0..3).prop_map(Some)];
    (sources, -2i32..3).prop_map(|(sources, add)| match sources {
        None => (Vec::new(), add, true),
        Some(sources) => (sources, add, false),
    })
}

type Parts = (Vec<(usize, Range)>, Vec<(usize, (Vec<usize>, i32, bool))>);

fn transition(places: usize) -> impl Strategy<Value = Parts> {
    (vec((0..places, guard()), 0..3), vec((0..places, effect(places)), 0..4))
}

fn assemble(name: String, (guards, effects): Parts) -> Transition {
    let guards: BTreeMap<usize, Range> = guards.into_iter().collect();
    let effects: BTreeMap<usize, (Vec<usize>, i32, bool)> = effects.into_iter().collect();
    let ensured =
        |sources: &[usize]| -> BigUint { sources.iter().filter_map(|s| guards.get(s)).map(|r| &r.at_least).sum() };
    let effects = effects.into_iter().map(|(p, (mut sources, add, plain))| {
        if plain {
            sources = vec![p];
        }
        sources.sort_unstable();
        let add = BigInt::from(add).max(-BigInt::from(ensured(&sources)));
        Effect { place: PlaceId::new(p), sources: sources.into_iter().map(PlaceId::new).collect(), add }
    });
    let effects = effects.collect();
    let guards = guards.into_iter().map(|(p, range)| Guard { place: PlaceId::new(p), range }).collect();
    Transition { name, guards, effects }
}

pub(crate) fn nets() -> impl Strategy<Value = Net> {
    (1usize..7).prop_flat_map(|n| (vec(initial(), n), vec(transition(n), 0..7))).prop_map(|(initial, transitions)| {
        let places = initial.into_iter().enumerate().map(|(i, initial)| Place { name: format!("p{i}"), initial });
        let transitions = transitions.into_iter().enumerate().map(|(i, t)| assemble(format!("t{i}"), t));
        Net::new(places.collect(), transitions.collect()).unwrap()
    })
}

/// What a formula is made of: sums, and how pairs of parts are joined.
#[derive(Clone, Debug)]
pub(crate) struct Recipe {
    sums: Vec<(Vec<(usize, i32)>, i32)>,
    joins: Vec<bool>,
}

impl Recipe {
    pub(crate) fn over(&self, places: usize) -> Formula {
        let mut builder = FormulaBuilder::default();
        let mut nodes: Vec<NodeId> = Vec::new();
        for (terms, least) in &self.sums {
            let terms = terms.iter().map(|(p, c)| (PlaceId::new(p % places), BigInt::from(*c)));
            nodes.push(builder.at_least(terms, BigInt::from(*least)));
        }
        for all in &self.joins {
            if nodes.len() > 1 {
                let parts = nodes.split_off(nodes.len() - 2);
                nodes.push(if *all { builder.all(parts) } else { builder.any(parts) });
            }
        }
        let root = builder.all(nodes);
        builder.finish(root)
    }
}

/// Formulas; `upward` ones have no negative weight.
pub(crate) fn formulas(upward: bool) -> impl Strategy<Value = Recipe> {
    let weight = if upward { 1..3 } else { -2..3 };
    let sums = vec((vec((0usize..6, weight), 1..3), -1i32..4), 1..4);
    (sums, vec(any::<bool>(), 0..3)).prop_map(|(sums, joins)| Recipe { sums, joins })
}

pub(crate) fn any_formulas() -> impl Strategy<Value = Recipe> {
    prop_oneof![2 => formulas(true), 1 => formulas(false)]
}
