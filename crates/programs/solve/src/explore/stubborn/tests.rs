//! Compares the reduced search with brute force, and with itself when parts of the rules are left out.

use super::stepper::StubbornStepper;
use super::*;
use crate::stubborn::RulePart;
use model::{Budget, Claim, Engine, EventId, EventSet, Goal, LocalId, LocalState, Program, Thread, Turn};
use search::explicit::trial::TRIAL;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use testkit::Random;
use testkit::program::{Truth, goal as goal_of, replay, truth};

const ASKED: [&[Goal]; 3] = [&[Goal::Bad, Goal::Deadlock], &[Goal::Bad], &[Goal::Deadlock]];

/// Returns programs of 2 to 5 threads with 1 to 4 states, over 3 to 6 events. Each thread mentions only some of
/// the events, so that parts of the program are independent. Half of the threads are cycles or chains, and the
/// others are arbitrary. Either any thread may have bad states, or no thread has any.
fn random_program(random: &mut Random) -> Program {
    let events = 3 + random.below(4);
    let (bad_one_in, block_one_in) = ([3, 8, 1000][random.below(3)], [4, 12][random.below(2)]);
    let threads =
        (0..2 + random.below(4)).map(|t| random_thread(random, t, events, bad_one_in, block_one_in)).collect();
    let names = (0..events).map(|e| format!("e{e}")).collect();
    Program::new(names, threads, vec![Goal::Bad, Goal::Deadlock]).expect("a valid program")
}

fn random_thread(random: &mut Random, number: usize, events: usize, bad_one_in: usize, block_one_in: usize) -> Thread {
    let size = 1 + random.below(4);
    let known: Vec<usize> = (0..events).filter(|_| random.one_in(2)).collect();
    let in_order = random.one_in(2);
    let states = (0..size).map(|s| {
        if s > 0 && random.one_in(bad_one_in) {
            return LocalState::bad(format!("s{s}"), events);
        }
        let mut on = BTreeMap::new();
        let (mut request, mut block) = (EventSet::empty(events), EventSet::empty(events));
        for &e in &known {
            let event = EventId::new(e);
            if random.one_in(2) {
                request.insert(event);
            }
            if random.one_in(block_one_in) {
                block.insert(event);
            }
            let mut targets = BTreeSet::new();
            if random.one_in(2) {
                targets.insert(if in_order { (s + 1) % size } else { random.below(size) });
            }
            if random.one_in(9) {
                targets.insert(random.below(size));
            }
            if !targets.is_empty() {
                on.insert(event, targets.into_iter().map(LocalId::new).collect());
            }
        }
        LocalState { name: format!("s{s}"), request, block, bad: false, on }
    });
    let states = states.collect();
    let mut initial = BTreeSet::from([0]);
    if random.one_in(6) {
        initial.insert(random.below(size));
    }
    Thread { name: format!("t{number}"), states, initial: initial.into_iter().map(LocalId::new).collect() }
}

/// The results of a search.
#[derive(Debug, Default)]
struct Said {
    hits: BTreeMap<Goal, model::Trace>,
    safe: Vec<Goal>,
    unknown: Vec<Goal>,
    states: u64,
}

fn drive(engine: &mut dyn Engine, turn: u64) -> Said {
    let mut said = Said::default();
    loop {
        match engine.run(&mut Budget::new(turn, Arc::default())) {
            Turn::Claims(Claim::Unsafe { goal, trace, candidate: false }) => _ = said.hits.insert(goal, trace),
            Turn::Claims(Claim::Safe { goals, certificate }) => {
                assert!(matches!(certificate, Certificate::StateSet(_) | Certificate::Reduced(_)));
                said.safe.extend(goals);
            }
            Turn::Claims(Claim::Unknown { goals, .. }) => said.unknown.extend(goals),
            Turn::Claims(claim) => panic!("unexpected {claim:?}"),
            Turn::More => {}
            Turn::Done => break,
        }
    }
    said.states = engine.stats().states;
    said
}

fn reduced(program: &Program, asked: &[Goal], omit: Option<RulePart>) -> Said {
    let stepper = StubbornStepper::without(program, asked, omit).expect("small");
    drive(&mut Explicit::with(asked.to_vec(), false, Packed::new(stepper, Breadth::of)), u64::MAX)
}

/// Verdicts and lengths of shortest violations are those of the whole space, every trace is a run, and the
/// search saves states.
#[test]
fn the_reduced_search_agrees_with_brute_force() {
    let (mut all, mut seen, mut violated) = (0, 0, 0);
    for seed in 0..testkit::count(6_000) {
        let program = random_program(&mut Random::new(seed));
        let Truth { states, shortest, .. } = truth(&program, usize::MAX).expect("there is no limit");
        for asked in ASKED {
            let said = reduced(&program, asked, None);
            for goal in asked {
                let hit = said.hits.get(goal);
                assert_eq!(
                    hit.and_then(model::Trace::len),
                    shortest.get(goal).copied(),
                    "seed {seed}, {asked:?}, {goal}"
                );
                assert_eq!(said.safe.contains(goal), hit.is_none(), "seed {seed}, {asked:?}, {goal}");
                let end = hit.map(|trace| replay(&program, trace).expect("a run"));
                assert!(end.is_none_or(|end| goal_of(&program, &end) == Some(*goal)), "seed {seed}, {goal}");
                violated += u64::from(hit.is_some());
            }
            if !said.safe.is_empty() {
                (all, seen) = (all + states, seen + said.states);
            }
        }
    }
    assert!(!testkit::are_full() || violated > 4_000, "{violated} violations");
    assert!(seen * 10 < all * 7, "{seen} of {all} states: no gain to speak of, so nothing was tested");
}

/// Each part of each rule matters: without it, some violation is missed, or found too late.
#[test]
fn no_part_of_a_rule_can_be_left_out() {
    const PARTS: [RulePart; 13] = [
        RulePart::StayMoved,
        RulePart::StayBlocked,
        RulePart::StayTarget,
        RulePart::StayRequest,
        RulePart::StayLater,
        RulePart::SwapBlocked,
        RulePart::SwapRequest,
        RulePart::SwapTarget,
        RulePart::Free,
        RulePart::Ask,
        RulePart::Hold,
        RulePart::Insist,
        RulePart::Bad,
    ];
    for part in PARTS {
        let is_wrong = |seed: u64| {
            let program = random_program(&mut Random::new(seed));
            let shortest = truth(&program, usize::MAX).expect("there is no limit").shortest;
            ASKED.iter().any(|asked| {
                let said = reduced(&program, asked, Some(part));
                asked.iter().any(|goal| said.hits.get(goal).and_then(model::Trace::len) != shortest.get(goal).copied())
            })
        };
        let found = (0..20_000).find(|&seed| is_wrong(seed));
        assert!(found.is_some(), "{part:?} can be left out, as far as these programs tell");
    }
}

fn run(program: &Program, asked: &[Goal], turn: u64) -> Said {
    drive(&mut explore_stubborn(&ProgramTask::new(Arc::new(program.clone()), asked.iter().copied())), turn)
}

/// The engine claims what its search finds, for turns of any size.
#[test]
fn the_engine_says_what_its_search_says() {
    for seed in 0..testkit::count(500) {
        let program = random_program(&mut Random::new(seed));
        for asked in ASKED {
            let expected = reduced(&program, asked, None);
            for turn in [1, 7, 100, u64::MAX] {
                let said = run(&program, asked, turn);
                assert_eq!((&said.hits, &said.safe), (&expected.hits, &expected.safe), "seed {seed}, turns of {turn}");
                assert_eq!((said.states, said.unknown), (expected.states, Vec::new()), "seed {seed}, turns of {turn}");
            }
        }
    }
}

/// Returns a program with one thread for each entry of `periods`, which is the thread's number of states.
/// Either each thread steps by its own event, or all threads move arbitrarily on all events.
fn cycles(periods: &[usize], together: bool) -> Program {
    let events = periods.len();
    let thread = |(t, &period): (usize, &usize)| {
        let state = |s: usize| {
            let request = EventSet::from_events(events, [EventId::new(t)]);
            let next = |e: usize| vec![LocalId::new(if together { 2 * s + e } else { s + 1 } % period)];
            let on = (0..events).filter(|&e| together || e == t).map(|e| (EventId::new(e), next(e))).collect();
            LocalState { name: format!("s{s}"), request, block: EventSet::empty(events), bad: false, on }
        };
        Thread { name: format!("t{t}"), states: (0..period).map(state).collect(), initial: vec![LocalId(0)] }
    };
    let threads = periods.iter().enumerate().map(thread).collect();
    Program::new((0..events).map(|e| format!("e{e}")).collect(), threads, vec![Goal::Bad, Goal::Deadlock]).unwrap()
}

#[test]
fn strangers_cost_a_cycle_and_company_is_given_up() {
    let strangers = run(&cycles(&[5, 7, 8, 9, 11], false), ASKED[0], 1000);
    assert_eq!((strangers.safe.len(), strangers.states), (2, 5));
    let company = run(&cycles(&[5, 7, 8, 9, 11], true), &[Goal::Deadlock], u64::MAX);
    assert_eq!((company.unknown.len(), company.safe.len()), (1, 0), "{company:?}");
    assert!(company.states < 4 * TRIAL, "{} states before giving up", company.states);
}

/// Comparing pairs of events would take too long, so nothing is compiled, and nothing is claimed.
#[test]
fn programs_too_large_for_the_rules_are_refused() {
    let said = run(&cycles(&[3; 1200], true), ASKED[0], u64::MAX);
    assert_eq!((said.unknown.len(), said.states), (2, 0));
}
