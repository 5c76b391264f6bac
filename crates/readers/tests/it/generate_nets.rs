//! Generators for random nets and thread-transition systems with every feature that text can express.

use model::{
    Act, Effect, Formula, FormulaBuilder, FormulaId, Goal, Guard, LocalId, Net, Place, PlaceId, Problem, Property,
    Questions, Range, SharedId, SystemModel, ThreadInit, ThreadTransition, ThreadTransitionSystem, Transition,
};
use num_bigint::{BigInt, BigUint};
use num_traits::{Signed, Zero};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Generates numbers, mostly small, sometimes larger than machine words.
fn number() -> impl Strategy<Value = BigUint> {
    prop_oneof![
        8 => (0u64..4).prop_map(BigUint::from),
        1 => any::<u64>().prop_map(BigUint::from),
        1 => (1u32..300, 0u64..3).prop_map(|(bits, more)| (BigUint::from(1u8) << bits) + more),
    ]
}

fn range() -> impl Strategy<Value = Range> {
    (number(), number(), 0..3).prop_map(|(a, b, kind)| match kind {
        0 => Range::from(a),
        1 => Range::exactly(a),
        _ => Range { at_most: Some(&a + b), at_least: a },
    })
}

/// Generates an effect on `place`. It may not fit the guards yet.
fn effect(place: usize, places: usize) -> impl Strategy<Value = Effect> {
    let plain = Just(vec![place]);
    let sources = prop_oneof![3 => plain, 1 => prop::collection::vec(0..places, 0..4)];
    (sources, number(), any::<bool>()).prop_map(move |(mut sources, add, minus)| {
        sources.sort_unstable();
        let sources = sources.into_iter().map(PlaceId::new).collect();
        let add = BigInt::from(add);
        Effect { place: PlaceId::new(place), sources, add: if minus { -add } else { add } }
    })
}

fn transition(places: usize) -> impl Strategy<Value = (Vec<Option<Range>>, Vec<Option<Effect>>)> {
    let guards = prop::collection::vec(prop::option::weighted(0.4, range()), places);
    let effects: Vec<_> = (0..places).map(|p| prop::option::weighted(0.4, effect(p, places))).collect();
    (guards, effects)
}

/// Makes a transition, and changes its effects so that they take no more than the guards ensure.
fn fit((guards, effects): (Vec<Option<Range>>, Vec<Option<Effect>>), name: String) -> Transition {
    let ensured = |effect: &Effect| -> BigUint {
        effect.sources.iter().filter_map(|p| guards[p.index()].as_ref()).map(|r| &r.at_least).sum()
    };
    let effects = effects.iter().flatten().map(|e| {
        let mut e = e.clone();
        if e.add.is_negative() {
            let least = -BigInt::from(ensured(&e));
            e.add = e.add.max(least);
        }
        e
    });
    let effects = effects.filter(|e| !e.is_identity()).collect();
    let guard = |(p, range): (usize, &Option<Range>)| Some(Guard { place: PlaceId::new(p), range: range.clone()? });
    let guards = guards.iter().enumerate().filter_map(guard).filter(|g| !g.range.is_everything()).collect();
    Transition { name, guards, effects }
}

/// Generates unions of conjunctions, in the form in which texts are read.
fn goal(places: usize) -> impl Strategy<Value = Formula> {
    let conjunction = prop::collection::btree_map(0..places, range(), 1..=places.min(3));
    prop::collection::vec(conjunction, 1..4).prop_map(|union| {
        let mut builder = FormulaBuilder::default();
        let mut conjunctions = Vec::new();
        for conjunction in &union {
            let mut parts = Vec::new();
            for (p, range) in conjunction {
                if !range.at_least.is_zero() {
                    parts.push(builder.place_at_least(PlaceId::new(*p), &range.at_least));
                }
                if let Some(most) = &range.at_most {
                    parts.push(builder.place_at_most(PlaceId::new(*p), most));
                }
            }
            conjunctions.push(builder.all(parts));
        }
        let root = builder.any(conjunctions);
        builder.finish(root)
    })
}

fn problem(system: SystemModel, formula: Option<Formula>) -> Problem {
    let formulas: Vec<_> = formula.into_iter().map(Arc::new).collect();
    let properties = formulas.iter().map(|_| Property::never("target", Goal::Formula(FormulaId(0)))).collect();
    Problem::new(system, Questions { formulas, properties, ..Questions::default() }).expect("it fits")
}

/// Generates a net with places and rules named as in texts, and an optional goal.
pub(crate) fn net() -> impl Strategy<Value = Problem> {
    (1usize..6).prop_flat_map(|places| {
        let transitions = prop::collection::vec(transition(places), 0..6);
        let initial = prop::collection::vec(range(), places);
        let goal = prop::option::weighted(0.9, goal(places));
        (initial, transitions, goal).prop_map(|(initial, transitions, goal)| {
            let place = |(p, initial): (usize, Range)| Place { name: format!("p{p}_"), initial };
            let places = initial.into_iter().enumerate().map(place).collect();
            let named = |(t, parts)| fit(parts, format!("r{}", t + 1));
            let transitions = transitions.into_iter().enumerate().map(named).collect();
            let net = Net::new(places, transitions).expect("a net by construction");
            problem(SystemModel::Net(Arc::new(net)), goal)
        })
    })
}

/// Names that most formats cannot write as plain words.
const ODD: [&str; 6] = ["", " b", "é", "-{\\}", "(1);", "'#*?"];

/// Generates a guard on a place, and the change of its tokens.
fn plain_guard(bounds: bool) -> impl Strategy<Value = (Range, BigInt)> {
    (range(), number(), any::<bool>()).prop_map(move |(range, add, minus)| {
        let at_most = range.at_most.filter(|_| bounds);
        let add = if minus { -BigInt::from(add.min(range.at_least.clone())) } else { BigInt::from(add) };
        (Range { at_most, at_least: range.at_least }, add)
    })
}

/// Generates Petri nets: a fixed start, normal arcs, and with `bounds` upper bounds of guards. No transition has the
/// name of a place.
pub(crate) fn plain_net(bounds: bool) -> impl Strategy<Value = Net> {
    let odd = || prop::sample::select(&ODD[..]);
    let places = prop::collection::vec((number(), odd()), 1..6);
    places.prop_flat_map(move |places| {
        let guards = prop::collection::vec(prop::option::weighted(0.5, plain_guard(bounds)), places.len());
        let transitions = prop::collection::vec((guards, odd()), 0..6);
        (Just(places), transitions).prop_map(|(places, transitions)| {
            let place = |(p, (tokens, odd)): (usize, (BigUint, &str))| Place {
                name: format!("p{p}{odd}"),
                initial: Range::exactly(tokens),
            };
            let places = places.into_iter().enumerate().map(place).collect();
            let transitions = transitions.into_iter().enumerate();
            let transitions =
                transitions.map(|(t, (parts, odd))| plain_transition(format!("t{t}{odd}"), parts)).collect();
            Net::new(places, transitions).expect("a net by construction")
        })
    })
}

/// Makes a transition from the guards on the places and the changes of their tokens.
fn plain_transition(name: String, parts: Vec<Option<(Range, BigInt)>>) -> Transition {
    let mut transition = Transition { name, guards: Vec::new(), effects: Vec::new() };
    for (p, part) in parts.into_iter().enumerate() {
        let (place, Some((range, add))) = (PlaceId::new(p), part) else { continue };
        transition.guards.push(Guard { place, range });
        transition.effects.push(Effect { place, sources: std::iter::once(place).collect(), add });
    }
    transition
}

fn thread_transition(shared: u32, locals: u32) -> impl Strategy<Value = ThreadTransition> {
    let pair = move || (0..shared, 0..locals).prop_map(|(s, l)| (SharedId(s), LocalId(l)));
    let targets = prop::collection::btree_set((0..locals).prop_map(LocalId), 1..3).prop_map(Vec::from_iter);
    let passive = prop::collection::btree_map((0..locals).prop_map(LocalId), targets, 0..3);
    let act = prop::sample::select(vec![Act::Move, Act::Move, Act::Spawn, Act::Transfer]);
    (pair(), pair(), act, passive).prop_map(|(from, to, act, passive)| {
        let passive = if act == Act::Move { passive } else { BTreeMap::new() };
        ThreadTransition { from, to, act, passive }
    })
}

/// Generates a thread-transition system that starts with arbitrarily many threads in local state 0, without
/// lines that change nothing.
pub(crate) fn threads() -> impl Strategy<Value = Problem> {
    (1u32..4, 1u32..5).prop_flat_map(|(shared, locals)| {
        let transitions = prop::collection::vec(thread_transition(shared, locals), 0..8);
        let target = prop::option::weighted(0.9, (0..shared, prop::collection::vec(0..locals, 0..4)));
        (transitions, target).prop_map(move |(mut transitions, target)| {
            transitions.retain(|t| t.from != t.to || t.act == Act::Spawn);
            let initial = ThreadInit { shared: SharedId(0), threads: BTreeMap::new(), any: vec![LocalId(0)] };
            let system =
                ThreadTransitionSystem::new(shared, locals, initial, transitions).expect("one by construction");
            let formula = target.map(|(s, list)| {
                let distinct: BTreeSet<u32> = list.iter().copied().collect();
                let count = |l: u32| BigUint::from(list.iter().filter(|m| **m == l).count());
                let place = |l: u32| (system.local_place(LocalId(l)), count(l));
                let shared = (system.shared_place(SharedId(s)), BigUint::from(1u8));
                Formula::cover(&std::iter::once(shared).chain(distinct.into_iter().map(place)).collect::<Vec<_>>())
            });
            problem(SystemModel::Threads(Arc::new(system)), formula)
        })
    })
}
