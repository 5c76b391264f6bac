//! Searches by stubborn sets against brute force.

use super::*;
use crate::net::tests::naive;
use model::{Stop, Trace};
use naive::{Features, Marking};
use num_bigint::BigUint;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use std::collections::{BTreeMap, BTreeSet};

const FINITE: Features = Features { upper: true, open: false, control: true };

#[derive(Debug, Default)]
struct Said {
    hits: BTreeMap<Goal, Trace>,
    safe: BTreeSet<Goal>,
    states: u64,
}

/// Runs in turns of `turn` units.
fn run(task: &NetTask, turn: u64) -> Said {
    run_engine(NetStubborn::new(task.clone()), turn)
}

fn run_engine(mut engine: NetStubborn, turn: u64) -> Said {
    let stop = Arc::new(Stop::default());
    let mut said = Said::default();
    loop {
        match engine.run(&mut Budget { work: turn, stop: stop.clone() }) {
            Turn::Claims(Claim::Unsafe { goal, trace, .. }) => assert!(said.hits.insert(goal, trace).is_none()),
            Turn::Claims(Claim::Safe { goals, certificate: Certificate::ReducedMarkings(_) }) => {
                said.safe.extend(goals)
            }
            Turn::Claims(claim) => panic!("unexpected {claim:?}"),
            Turn::More => {}
            Turn::Done => break,
        }
    }
    said.states = engine.stats().states;
    said
}

/// Where `trace` leads by the naive stepper.
fn replay(task: &NetTask, trace: &Trace) -> Marking {
    let net = &task.net;
    let mut m: Marking = net.places().iter().map(|p| p.initial.at_least.clone()).collect();
    for (p, extra) in net.open_places().iter().zip(&trace.start) {
        m[p.index()] += BigUint::from(*extra);
    }
    for step in trace.runs().iter().flat_map(|run| (0..run.times).flat_map(|_| &run.word)) {
        m = naive::fire(net, &m, step.event.index()).expect("an enabled transition");
    }
    m
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    /// Every goal alone, and all together: answers are those of brute force, and runs lead where they should.
    #[test]
    fn it_agrees_with_brute_force(mut task in naive::task(FINITE), turn in 1..50u64) {
        task.bound = None;
        let Some(reach) = naive::explore(&task, 400) else { return Ok(()) };
        let alone: Vec<Vec<Goal>> = task.goals.iter().map(|&goal| vec![goal]).collect();
        for goals in alone.into_iter().chain([task.goals.clone()]) {
            let asked = NetTask { goals, ..task.clone() };
            let said = run(&asked, turn);
            prop_assert!(said.states <= reach.depths.len() as u64);
            for goal in &asked.goals {
                prop_assert_eq!(said.hits.contains_key(goal), reach.goals.contains_key(goal));
                prop_assert_eq!(said.safe.contains(goal), !reach.goals.contains_key(goal));
            }
            for (goal, trace) in &said.hits {
                prop_assert!(naive::is_goal(&task, *goal, &replay(&task, trace)));
            }
        }
    }
}

/// Each rule is needed: without it something within reach is said to be out of reach.
#[test]
fn every_rule_earns_its_place() {
    let omits = [
        Omit::SpoiledLower,
        Omit::SpoiledUpper,
        Omit::Changers,
        Omit::Assigners,
        Omit::TooFew,
        Omit::TooMany,
        Omit::Attracted,
        Omit::Key,
        Omit::KeyUpper,
    ];
    let mut missing: Vec<Omit> = omits.to_vec();
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    for _ in 0..60_000 {
        let mut task = naive::task(FINITE).new_tree(&mut runner).expect("a task").current();
        task.bound = None;
        if missing.is_empty() {
            return;
        }
        let Some(reach) = naive::explore(&task, 60) else { continue };
        for goal in reach.goals.keys() {
            let asked = NetTask { goals: vec![*goal], ..task.clone() };
            let is_wrong = |omit| run_engine(NetStubborn::without(asked.clone(), omit), 1000).safe.contains(goal);
            missing.retain(|&omit| !is_wrong(omit));
        }
    }
    assert!(missing.is_empty(), "nothing goes wrong without {missing:?}");
}
