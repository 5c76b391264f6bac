//! Walks against a slow stepper on random nets, and at the edges.

use crate::goals::Goals;
use crate::rng::Rng;
use crate::state::State;
use crate::{Options, Walk};
use model::{
    Budget, Claim, Effect, Engine, Formula, FormulaBuilder, FormulaId, Goal, Guard, Net, NetTask, Node, Place, PlaceId,
    Range, Stop, Trace, Transition, Turn,
};
use num_bigint::{BigInt, BigUint};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use reduce::rules::{LIMIT, Rules};
use reduce::shorten::{Found, Shortener};
use std::sync::Arc;

type Marking = Vec<BigUint>;

fn fire(net: &Net, t: usize, marking: &Marking) -> Option<Marking> {
    let transition = &net.transitions()[t];
    if !transition.guards.iter().all(|g| g.range.contains(&marking[g.place.index()])) {
        return None;
    }
    let mut next = marking.clone();
    for e in &transition.effects {
        let sum: BigInt = e.sources.iter().map(|s| BigInt::from(marking[s.index()].clone())).sum::<BigInt>() + &e.add;
        next[e.place.index()] = sum.to_biguint().expect("guards ensure that it is not negative");
    }
    Some(next)
}

fn holds(formula: &Formula, marking: &Marking) -> bool {
    let mut values: Vec<bool> = Vec::new();
    for node in formula.nodes() {
        values.push(match node {
            Node::All(parts) => parts.iter().all(|p| values[p.index()]),
            Node::Any(parts) => parts.iter().any(|p| values[p.index()]),
            Node::AtLeast(sum) => {
                let total: BigInt = sum.terms.iter().map(|(p, c)| c * BigInt::from(marking[p.index()].clone())).sum();
                total >= sum.at_least
            }
        });
    }
    values[values.len() - 1]
}

fn is_goal(task: &NetTask, goal: Goal, marking: &Marking) -> bool {
    match task.formula(goal) {
        Some(formula) => holds(formula, marking),
        None => (0..task.net.transitions().len()).all(|t| fire(&task.net, t, marking).is_none()),
    }
}

fn replay(net: &Net, trace: &Trace) -> Marking {
    let mut marking: Marking = net.places().iter().map(|p| p.initial.at_least.clone()).collect();
    let open = net.open_places();
    assert_eq!(open.len(), trace.start.len());
    for (p, extra) in open.iter().zip(&trace.start) {
        marking[p.index()] += *extra;
        assert!(net.place(*p).initial.contains(&marking[p.index()]));
    }
    for run in trace.runs() {
        for step in (0..run.times).flat_map(|_| &run.word) {
            marking = fire(net, step.event.index(), &marking).expect("every step of the trace is enabled");
        }
    }
    marking
}

fn ranges(zero: bool) -> impl Strategy<Value = Range> {
    let least = u8::from(!zero);
    prop_oneof![
        6 => (least..3).prop_map(if zero { Range::exactly } else { Range::from }),
        1 => (least..2).prop_map(Range::from),
        2 => (0u8..2, 0u8..3).prop_map(|(a, n)| Range { at_least: a.into(), at_most: Some((a + n).into()) }),
    ]
}

type Parts = (Vec<(usize, Range)>, Vec<(usize, (Option<Vec<usize>>, i32))>);

fn transition(places: usize) -> impl Strategy<Value = Parts> {
    let sources = prop_oneof![3 => Just(None), 1 => vec(0..places, 0..3).prop_map(Some)];
    let guards = btree_map(0..places, ranges(false), 0..3).prop_map(|m| m.into_iter().collect());
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

fn nets() -> impl Strategy<Value = Net> {
    (1usize..6).prop_flat_map(|n| (vec(ranges(true), n), vec(transition(n), 1..7))).prop_map(
        |(initial, transitions)| {
            let places = initial.into_iter().enumerate().map(|(i, initial)| Place { name: format!("p{i}"), initial });
            let transitions = transitions.into_iter().enumerate().map(|(i, t)| assemble(format!("t{i}"), t));
            Net::new(places.collect(), transitions.collect()).expect("guards ensure what effects take")
        },
    )
}

type Recipe = (Vec<(Vec<(usize, i32)>, i32)>, Vec<bool>);

/// A formula in which nodes have several parents.
fn formula(places: usize, (sums, joins): &Recipe) -> Formula {
    let mut builder = FormulaBuilder::default();
    let mut nodes = Vec::new();
    for (terms, least) in sums {
        let terms = terms.iter().map(|(p, c)| (PlaceId::new(p % places), BigInt::from(*c)));
        nodes.push(builder.at_least(terms, BigInt::from(*least)));
    }
    for all in joins {
        let parts = vec![nodes[nodes.len() - 1], nodes[nodes.len() / 2], nodes[0]];
        nodes.push(if *all { builder.all(parts) } else { builder.any(parts) });
    }
    builder.finish(nodes[nodes.len() - 1])
}

fn recipes() -> impl Strategy<Value = Recipe> {
    let weights = prop_oneof![2 => 1..3i32, 1 => -2..3i32];
    (vec((vec((0usize..6, weights), 1..3), -1..5i32), 1..4), vec(any::<bool>(), 0..4))
}

fn task(net: Net, formulas: Vec<Formula>, deadlock: bool) -> NetTask {
    let mut goals: Vec<Goal> = (0..formulas.len()).map(|i| Goal::Formula(FormulaId::new(i))).collect();
    goals.extend(deadlock.then_some(Goal::Deadlock));
    NetTask::plain(Arc::new(net), formulas.into_iter().map(Arc::new).collect(), goals)
}

/// Claims within so many work units.
fn claims(task: &NetTask, seed: u64, work: u64) -> Vec<(Goal, Trace)> {
    let mut walk = Walk::new(task.clone(), Options { seed });
    let mut found = Vec::new();
    let mut budget = Budget::new(work, Arc::new(Stop::default()));
    while let Turn::Claims(claim) = walk.run(&mut budget) {
        let Claim::Unsafe { goal, trace, candidate: false } = claim else { panic!("{claim:?}") };
        found.push((goal, trace));
        budget.work = work;
    }
    found
}

fn to_big(tokens: &[u64]) -> Marking {
    tokens.iter().map(|n| BigUint::from(*n)).collect()
}

proptest! {
    #![proptest_config(testkit::config(1000))]

    #[test]
    fn claims_replay_and_repeat(net in nets(), recipes in vec(recipes(), 1..3), deadlock: bool, seed: u64) {
        let formulas = recipes.iter().map(|r| formula(net.places().len(), r)).collect();
        let task = task(net, formulas, deadlock);
        let found = claims(&task, seed, 2000);
        for (goal, trace) in &found {
            prop_assert!(is_goal(&task, *goal, &replay(&task.net, trace)));
        }
        prop_assert_eq!(&found, &claims(&task, seed, 2000));
        // Initial markings are not missed.
        let least: Marking = task.net.places().iter().map(|p| p.initial.at_least.clone()).collect();
        for goal in task.goals.iter().filter(|g| is_goal(&task, **g, &least)) {
            prop_assert!(found.iter().any(|(g, _)| g == goal));
        }
    }

    #[test]
    fn what_is_kept_up_to_date_is_up_to_date(net in nets(), recipes in vec(recipes(), 1..3), seed: u64) {
        let formulas: Vec<Formula> = recipes.iter().map(|r| formula(net.places().len(), r)).collect();
        let task = task(net, formulas, false);
        let compiled = Rules::new(&task.net).unwrap();
        let (mut goals, mut state, mut rng) = (Goals::new(&task), State::new(&compiled), Rng(seed));
        for round in 0..3u32 {
            let extra: Vec<u32> = compiled.open.iter().map(|(_, most)| round.min(*most)).collect();
            state.restart(&compiled, &mut goals, &extra);
            let mut held = vec![false; task.goals.len()];
            for _ in 0..20 {
                let marking = to_big(&state.tokens);
                let enabled: Vec<u32> = {
                    let mut sorted = state.enabled.clone();
                    sorted.sort_unstable();
                    sorted
                };
                let expected: Vec<u32> =
                    (0u32..).take(compiled.transitions()).filter(|t| fire(&task.net, *t as usize, &marking).is_some()).collect();
                prop_assert_eq!(&enabled, &expected);
                let mut risen = Vec::new();
                while let Some(goal) = goals.hit(|_| true) {
                    risen.push(goal);
                }
                for (goal, held) in task.goals.iter().zip(&mut held) {
                    let holds = is_goal(&task, *goal, &marking);
                    prop_assert!(holds || !risen.contains(goal), "a goal that does not hold");
                    prop_assert!(!holds || *held || risen.contains(goal), "a goal that is missed");
                    *held = holds;
                }
                if enabled.is_empty() {
                    break;
                }
                let t = state.enabled[rng.below(state.enabled.len())];
                prop_assert!(state.fire(&compiled, &mut goals, t).is_ok());
                prop_assert_eq!(to_big(&state.tokens), fire(&task.net, t as usize, &marking).unwrap());
            }
        }
    }

    #[test]
    fn shortened_runs_are_runs(net in nets(), recipe in recipes(), seed: u64) {
        let goal = formula(net.places().len(), &recipe);
        let task = task(net, vec![goal.clone()], false);
        let compiled = Rules::new(&task.net).unwrap();
        let (mut goals, mut state, mut rng) = (Goals::new(&task), State::new(&compiled), Rng(seed));
        let extra: Vec<u32> = compiled.open.iter().map(|(_, most)| 3.min(*most)).collect();
        state.restart(&compiled, &mut goals, &extra);
        let mut steps = Vec::new();
        while steps.len() < 40 && !state.enabled.is_empty() && !holds(&goal, &to_big(&state.tokens)) {
            let t = state.enabled[rng.below(state.enabled.len())];
            prop_assert!(state.fire(&compiled, &mut goals, t).is_ok());
            steps.push(t);
        }
        if holds(&goal, &to_big(&state.tokens)) {
            let long = Found { extra, steps };
            let short = Shortener { net: &compiled, goal: Some(&goal), work: 10_000 }.shorten(long.clone());
            prop_assert!(short.steps.len() <= long.steps.len());
            prop_assert!(short.extra.iter().zip(&long.extra).all(|(s, l)| s <= l));
            let mut trace = Trace::new(short.extra.into_boxed_slice());
            short.steps.iter().for_each(|t| trace.push(model::EventId(*t), None));
            prop_assert!(holds(&goal, &replay(&task.net, &trace)));
        }
    }
}

fn place(name: &str, initial: Range) -> Place {
    Place { name: name.into(), initial }
}

fn arcs(name: &str, pre: &[(u32, u64)], post: &[(u32, u64)]) -> Transition {
    let big = |arcs: &[(u32, u64)]| arcs.iter().map(|(p, n)| (PlaceId(*p), BigUint::from(*n))).collect::<Vec<_>>();
    Transition::from_arcs(name.into(), &big(pre), &big(post))
}

fn cover(place: u32, n: impl Into<BigUint>) -> Formula {
    Formula::cover(&[(PlaceId(place), n.into())])
}

#[test]
fn a_detour_is_cut_and_the_start_gets_no_more_than_it_needs() {
    let places =
        vec![place("idle", Range::from(1u8)), place("busy", Range::exactly(0u8)), place("noise", Range::exactly(0u8))];
    let transitions = vec![
        arcs("go", &[(0, 1)], &[(1, 1)]),
        arcs("back", &[(1, 1)], &[(0, 1)]),
        arcs("noise", &[], &[(2, 1)]),
        arcs("quiet", &[(2, 1)], &[]),
    ];
    let task = task(Net::new(places, transitions).unwrap(), vec![cover(1, 5u8)], false);
    let found = claims(&task, 1, 100_000);
    assert_eq!(found[0].1.len(), Some(5));
    assert_eq!(*found[0].1.start, [4]);
}

#[test]
fn markings_beyond_measure_end_the_walk_and_nothing_else() {
    let double = Transition {
        name: "double".into(),
        guards: Vec::new(),
        effects: vec![Effect { place: PlaceId(0), sources: vec![PlaceId(0); 2].into(), add: BigInt::from(0) }],
    };
    let places = vec![place("p", Range::exactly(1u8))];
    let huge = BigUint::from(1u8) << 200u32;
    let net = Net::new(places, vec![double]).unwrap();
    let task = task(net, vec![cover(0, huge.clone()), cover(0, LIMIT / 2)], false);
    let found = claims(&task, 1, 100_000);
    assert_eq!(found.len(), 1, "60 doublings are a walk, 200 are not");
    assert_eq!(found[0].1.len(), Some(59));
    let nowhere = NetTask::plain(
        Arc::new(Net::new(vec![place("p", Range::from(huge))], Vec::new()).unwrap()),
        vec![Arc::new(cover(0, 1u8))],
        vec![Goal::Formula(FormulaId(0))],
    );
    assert!(claims(&nowhere, 1, 1000).is_empty());
}

#[test]
fn a_net_without_steps_is_soon_done() {
    let net = Net::new(vec![place("p", Range::exactly(0u8))], vec![arcs("t", &[(0, 1)], &[])]).unwrap();
    let mut walk = Walk::new(task(net, vec![cover(0, 1u8)], true), Options::default());
    let mut budget = Budget::new(1000, Arc::new(Stop::default()));
    let Turn::Claims(Claim::Unsafe { goal: Goal::Deadlock, trace, .. }) = walk.run(&mut budget) else {
        panic!("it is dead from the start")
    };
    assert!(trace.is_empty());
    assert!(matches!(walk.run(&mut budget), Turn::Done));
}
