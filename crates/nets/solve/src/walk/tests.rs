//! Compares walks with a slow stepper on random nets, and tests edge cases.

use crate::reduce::shorten::{FiringRun, Shortener};
use crate::rules::{LIMIT, Rules};
use crate::walk::Walk;
use crate::walk::goals::Goals;
use crate::walk::state::WalkState;
use model::{
    Budget, Claim, Effect, Engine, Formula, FormulaId, Goal, Net, NetTask, PlaceId, Range, Stop, Trace, Transition,
    Turn,
};
use num_bigint::{BigInt, BigUint};
use proptest::collection::vec;
use proptest::prelude::*;
use search::rng::Rng;
use std::sync::Arc;
use testkit::formula::{any_formulas, holds};
use testkit::net::{Marking, arcs, fire, is_goal_of, least, nets, place, replay, task};

/// True if the trace is a run into the goal.
fn leads_to(task: &NetTask, goal: Goal, trace: &Trace) -> bool {
    replay::<BigUint>(&task.net, trace).is_some_and(|end| is_goal_of(task, goal, &end))
}

/// Claims, each within a number of work units.
fn claims(task: &NetTask, seed: u64, work: u64) -> Vec<(Goal, Trace)> {
    let mut walk = Walk::new(task.clone(), seed);
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
    fn claims_replay_and_repeat(
        net in nets(1..6, 1..7, false),
        recipes in vec(any_formulas(), 1..3),
        deadlock: bool,
        seed: u64,
    ) {
        let formulas = recipes.iter().map(|r| r.over(net.places().len())).collect();
        let task = task(net, formulas, deadlock);
        let found = claims(&task, seed, 2000);
        for (goal, trace) in &found {
            prop_assert!(leads_to(&task, *goal, trace));
        }
        prop_assert_eq!(&found, &claims(&task, seed, 2000));
        // Goals that hold in the least initial marking are always found.
        let least: Marking = least(&task.net);
        for goal in task.goals.iter().filter(|g| is_goal_of(&task, **g, &least)) {
            prop_assert!(found.iter().any(|(g, _)| g == goal));
        }
    }

    #[test]
    fn what_is_kept_up_to_date_is_up_to_date(
        net in nets(1..6, 1..7, false),
        recipes in vec(any_formulas(), 1..3),
        seed: u64,
    ) {
        let formulas: Vec<Formula> = recipes.iter().map(|r| r.over(net.places().len())).collect();
        let task = task(net, formulas, false);
        let compiled = Rules::new(&task.net).unwrap();
        let (mut goals, mut state, mut rng) = (Goals::new(&task), WalkState::new(&compiled), Rng(seed));
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
                let is_enabled = |t: &u32| fire(&task.net.transitions()[*t as usize], &marking).is_some();
                let expected: Vec<u32> = (0u32..).take(compiled.transitions()).filter(is_enabled).collect();
                prop_assert_eq!(&enabled, &expected);
                let mut risen = Vec::new();
                while let Some(goal) = goals.hit(|_| true) {
                    risen.push(goal);
                }
                for (goal, held) in task.goals.iter().zip(&mut held) {
                    let holds = is_goal_of(&task, *goal, &marking);
                    prop_assert!(holds || !risen.contains(goal), "a goal that does not hold");
                    prop_assert!(!holds || *held || risen.contains(goal), "a goal that is missed");
                    *held = holds;
                }
                if enabled.is_empty() {
                    break;
                }
                let t = state.enabled[rng.below(state.enabled.len())];
                prop_assert!(state.fire(&compiled, &mut goals, t).is_ok());
                prop_assert_eq!(to_big(&state.tokens), fire(&task.net.transitions()[t as usize], &marking).unwrap());
            }
        }
    }

    #[test]
    fn shortened_runs_are_runs(net in nets(1..6, 1..7, false), recipe in any_formulas(), seed: u64) {
        let goal = recipe.over(net.places().len());
        let task = task(net, vec![goal.clone()], false);
        let compiled = Rules::new(&task.net).unwrap();
        let (mut goals, mut state, mut rng) = (Goals::new(&task), WalkState::new(&compiled), Rng(seed));
        let extra: Vec<u32> = compiled.open.iter().map(|(_, most)| 3.min(*most)).collect();
        state.restart(&compiled, &mut goals, &extra);
        let mut steps = Vec::new();
        while steps.len() < 40 && !state.enabled.is_empty() && !holds(&goal, &to_big(&state.tokens)) {
            let t = state.enabled[rng.below(state.enabled.len())];
            prop_assert!(state.fire(&compiled, &mut goals, t).is_ok());
            steps.push(t);
        }
        if holds(&goal, &to_big(&state.tokens)) {
            let long = FiringRun { extra, steps };
            let short = Shortener { net: &compiled, goal: Some(&goal), work: 10_000 }.shorten(long.clone());
            prop_assert!(short.steps.len() <= long.steps.len());
            prop_assert!(short.extra.iter().zip(&long.extra).all(|(s, l)| s <= l));
            let mut trace = Trace::new(short.extra.into_boxed_slice());
            short.steps.iter().for_each(|t| trace.push(model::EventId(*t), None));
            prop_assert!(leads_to(&task, task.goals[0], &trace));
        }
    }
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
    let mut walk = Walk::new(task(net, vec![cover(0, 1u8)], true), 0);
    let mut budget = Budget::new(1000, Arc::new(Stop::default()));
    let Turn::Claims(Claim::Unsafe { goal: Goal::Deadlock, trace, .. }) = walk.run(&mut budget) else {
        panic!("it is dead from the start")
    };
    assert!(trace.is_empty());
    assert!(matches!(walk.run(&mut budget), Turn::Done));
}
