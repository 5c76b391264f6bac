//! Compares searches by stubborn sets with brute force.

use super::*;
use crate::explore::tests::leads_to;
use model::{
    Budget, Certificate, Claim, Effect, Engine, Formula, FormulaId, Goal, Guard, Net, Place, PlaceId, Range, Stop,
    Trace, Transition, Turn,
};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use std::collections::{BTreeMap, BTreeSet};
use testkit::net::{Features, explore, tasks};

const FINITE: Features = Features { upper: true, open: false, control: true };

#[derive(Debug, Default)]
struct Said {
    hits: BTreeMap<Goal, Trace>,
    safe: BTreeSet<Goal>,
    states: u64,
}

/// Runs the engine in turns of `turn` units.
fn run(task: &NetTask, turn: u64) -> Said {
    run_engine(crate::explore_stubborn(task.clone()), turn)
}

fn run_engine(mut engine: NetStubborn, turn: u64) -> Said {
    let stop = Arc::new(Stop::default());
    let mut said = Said::default();
    loop {
        match engine.run(&mut Budget::new(turn, stop.clone())) {
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

proptest! {
    #![proptest_config(testkit::config(3000))]

    /// For every goal alone, and for all together: verdicts are those of brute force, and runs reach their
    /// goals.
    #[test]
    fn it_agrees_with_brute_force(mut task in tasks(FINITE), turn in 1..50u64) {
        task.bound = None;
        let Some(reach) = explore(&task, 400) else { return Ok(()) };
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
                prop_assert!(leads_to(&task, *goal, trace));
            }
        }
    }
}

/// Guards (place, least, most) and effects (place, sources, constant).
type Recipe<'a> = (&'a [(u32, u8, Option<u8>)], &'a [(u32, &'a [u32], i8)]);

/// Returns a net and a goal. `places` has the initial tokens of each place. The goal is that all places in
/// `marked` are marked.
fn task(places: &[u8], transitions: &[Recipe<'_>], marked: &[u32]) -> NetTask {
    let place = |(i, n): (usize, &u8)| Place { name: format!("p{i}"), initial: Range::exactly(*n) };
    let transition = |(i, (guards, effects)): (usize, &Recipe<'_>)| Transition {
        name: format!("t{i}"),
        guards: guards
            .iter()
            .map(|&(p, least, most)| Guard {
                place: PlaceId(p),
                range: Range { at_least: least.into(), at_most: most.map(Into::into) },
            })
            .collect(),
        effects: effects
            .iter()
            .map(|&(p, sources, add)| Effect {
                place: PlaceId(p),
                sources: sources.iter().map(|s| PlaceId(*s)).collect(),
                add: add.into(),
            })
            .collect(),
    };
    let net = Net::new(
        places.iter().enumerate().map(place).collect(),
        transitions.iter().enumerate().map(transition).collect(),
    );
    let goal = Formula::cover(&marked.iter().map(|p| (PlaceId(*p), 1u8.into())).collect::<Vec<_>>());
    NetTask::plain(Arc::new(net.expect("a net")), vec![Arc::new(goal)], vec![Goal::Formula(FormulaId(0))])
}

/// Tasks on two nets. For each net, a rule matters that hardly ever matters for random nets.
fn telling() -> Vec<NetTask> {
    let take = |from: u32, to: u32| -> [(u32, &[u32], i8); 2] {
        let own: [&[u32]; 4] = [&[0], &[1], &[2], &[3]];
        [(from, own[from as usize], -1), (to, own[to as usize], 1)]
    };
    // t0 adds a token to p2, and t1 requires p2 to be empty. Both must fire.
    let (first, second) = (take(0, 2), take(1, 3));
    let upper: [Recipe<'_>; 2] = [(&[(0, 1, None)], &first), (&[(1, 1, None), (2, 0, Some(0))], &second)];
    // t0 moves all tokens of p0 to p1, once. t1 adds a token to p0.
    let moves: [Recipe<'_>; 2] = [
        (&[(2, 1, None)], &[(0, &[], 0), (1, &[0, 1], 0), (2, &[2], -1)]),
        (&[(3, 1, None)], &[(0, &[0], 1), (3, &[3], -1)]),
    ];
    vec![task(&[1, 1, 0, 0], &upper, &[2, 3]), task(&[1, 1, 0, 0], &upper, &[3, 2]), task(&[0, 0, 1, 1], &moves, &[1])]
}

/// Each rule is needed: without it, some reachable goal is claimed unreachable.
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
    let random = (0..60_000).map(|_| tasks(FINITE).new_tree(&mut runner).expect("a task").current());
    for mut task in telling().into_iter().chain(random) {
        task.bound = None;
        if missing.is_empty() {
            return;
        }
        let Some(reach) = explore(&task, 60) else { continue };
        for goal in reach.goals.keys() {
            let asked = NetTask { goals: vec![*goal], ..task.clone() };
            let is_wrong = |omit| run_engine(without(asked.clone(), Some(omit)), 1000).safe.contains(goal);
            missing.retain(|&omit| !is_wrong(omit));
        }
    }
    assert!(missing.is_empty(), "nothing goes wrong without {missing:?}");
}
