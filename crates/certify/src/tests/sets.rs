//! Tests of closed state sets: the set of the reachable states is accepted if it has no goal state. Nothing
//! wrong is ever accepted.

use super::brute::{self, Rng};
use super::{check, rejected};
use crate::{Confirmed, EvidenceKind, Options, Refusal, confirm};
use model::{Certificate, Claim, Goal, Problem, Program, Reason, StateSet, Stop};
use std::ops::ControlFlow;
use std::sync::Arc;
use testkit::Listed;

fn claim(set: &[Vec<u32>], goals: &[Goal]) -> Claim {
    Claim::Safe { goals: goals.to_vec(), certificate: Certificate::StateSet(Box::new(Listed(set.to_vec()))) }
}

fn safe(program: &Arc<Program>, set: &[Vec<u32>], goals: &[Goal]) -> Result<Confirmed, Refusal> {
    check(program, &claim(set, goals))
}

const BOTH: [Goal; 2] = [Goal::Bad, Goal::Deadlock];

fn clash() -> Arc<Program> {
    brute::program(2, vec![brute::clock("Four", 4, &[0]), brute::clock("Six", 6, &[1]), brute::marker()])
}

#[test]
fn the_reachable_states_of_a_safe_program_are_accepted() {
    let p = clash();
    let mut set: Vec<_> = brute::reachable(&p).into_iter().collect();
    let confirmed = safe(&p, &set, &BOTH).unwrap();
    assert!(confirmed.verdict.is_safe());
    assert_eq!((confirmed.evidence, confirmed.length), (EvidenceKind::StateSet, 12));
    set.reverse();
    assert_eq!(safe(&p, &set, &BOTH).unwrap().hash, confirmed.hash, "the order does not matter");
}

#[test]
fn different_sets_have_different_hashes() {
    let p = brute::program(2, vec![brute::clock("Four", 4, &[]), brute::clock("Six", 6, &[])]);
    let all: Vec<Vec<u32>> = (0..24).map(|i| vec![i / 6, i % 6]).collect();
    let reachable: Vec<_> = brute::reachable(&p).into_iter().collect();
    let (all, reachable) = (safe(&p, &all, &BOTH).unwrap(), safe(&p, &reachable, &BOTH).unwrap());
    assert_eq!((all.length, reachable.length), (24, 12));
    assert_ne!(all.hash, reachable.hash);
}

#[test]
fn each_damage_to_a_set_is_named() {
    let p = clash();
    let set: Vec<_> = brute::reachable(&p).into_iter().collect();
    for i in 0..set.len() {
        let mut less = set.clone();
        less.remove(i);
        rejected(safe(&p, &less, &BOTH), if set[i] == [0, 0, 0] { "initial state" } else { "not closed" });
        for (damage, reason) in
            [(vec![0, 0], "not a state"), (vec![0, 0, 2], "not a state"), (set[0].clone(), "listed twice")]
        {
            let mut wrong = set.clone();
            wrong.insert(i, damage);
            rejected(safe(&p, &wrong, &BOTH), reason);
        }
    }
    rejected(safe(&p, &[], &BOTH), "initial state");
    rejected(safe(&p, &set, &[]), "no goal");
    rejected(safe(&p, &set, &[Goal::Bad, Goal::Bad]), "twice");
    let mut with_bad = set.clone();
    with_bad.push(vec![0, 0, 1]);
    rejected(safe(&p, &with_bad, &BOTH), "goal `bad`");
    assert!(safe(&p, &with_bad, &[Goal::Deadlock]).is_ok(), "states of other goals may be in it");
}

/// A set that announces a size different from its own.
#[derive(Debug)]
struct Boasts(u64, Listed);

impl StateSet for Boasts {
    fn len(&self) -> u64 {
        self.0
    }

    fn for_each(&self, visit: &mut dyn FnMut(&[u32]) -> ControlFlow<()>) -> ControlFlow<()> {
        self.1.for_each(visit)
    }
}

#[test]
fn the_announced_size_must_be_true() {
    let p = clash();
    for (announced, reason) in [(13, "announces 13 states and lists 12"), (11, "announces 11 states and lists more")] {
        let set = Boasts(announced, Listed(brute::reachable(&p).into_iter().collect()));
        let certificate = Certificate::StateSet(Box::new(set));
        rejected(check(&p, &Claim::Safe { goals: BOTH.to_vec(), certificate }), reason);
    }
}

/// Many batches of states and of successors, with several successors per state. None is skipped.
#[test]
fn every_state_of_a_large_set_counts() {
    let toggle = |t: u32| {
        let state = |k: u32| brute::local(&format!("s{k}"), 8, &[t], &[], &[(t, &[1 - k])]);
        brute::thread(&format!("t{t}"), &[0], vec![state(0), state(1)])
    };
    let p = brute::program(8, (0..8).map(toggle).collect());
    let set: Vec<_> = brute::reachable(&p).into_iter().collect();
    assert_eq!(safe(&p, &set, &BOTH).unwrap().length, 256);
    for i in 0..set.len() {
        let mut less = set.clone();
        less.remove(i);
        rejected(safe(&p, &less, &BOTH), if set[i] == [0; 8] { "initial state" } else { "not closed" });
        let mut twice = set.clone();
        twice.push(set[i].clone());
        rejected(safe(&p, &twice, &BOTH), "listed twice");
    }
}

#[test]
fn limits_end_large_checks() {
    let p = clash();
    let set: Vec<_> = brute::reachable(&p).into_iter().collect();
    let problem = Problem::of_program(p);
    let options = Options { max_steps: 20, ..Options::default() };
    assert_eq!(confirm(&problem, &claim(&set, &BOTH), &options, &Stop::default()), Err(Refusal::ResourceLimit));
    let full = Stop::with_memory_limit(1, || 0);
    assert_eq!(confirm(&problem, &claim(&set, &BOTH), &Options::default(), &full), Err(Refusal::ResourceLimit));
    assert_eq!(full.raised(), Some(Reason::Memory));
}

/// States of 1, 2, 3, 4 and more words.
#[test]
fn wide_states_are_told_apart() {
    for threads in [3, 40, 90, 120, 200] {
        let p = brute::program(2, (0..threads).map(|i| brute::clock(&format!("C{i}"), 4, &[])).collect());
        let set: Vec<_> = brute::reachable(&p).into_iter().collect();
        assert_eq!(safe(&p, &set, &BOTH).unwrap().length, 4);
        rejected(safe(&p, &set[1..], &BOTH), "initial state");
        rejected(safe(&p, &set[..3], &BOTH), "not closed");
    }
}

/// Random subsets of reachable and other states. A set is accepted iff, by definition, it is closed, contains
/// the initial states and has no goal state. It is never accepted for a goal that is reachable.
#[test]
fn random_sets_agree_with_brute_force() {
    let mut rng = Rng(2);
    let mut accepted = 0;
    for round in 0..6000 {
        let p = brute::random_program(&mut rng);
        let reachable = brute::reachable(&p);
        let mut set = reachable.clone();
        for _ in 0..rng.below(3) {
            let state: Vec<u32> = p.threads().iter().map(|t| rng.below(t.states.len()) as u32).collect();
            if !set.remove(&state) {
                set.insert(state);
            }
        }
        let goals = [&BOTH[..], &BOTH[..1], &BOTH[1..]][rng.below(3)];
        let closed = brute::initial(&p).iter().all(|s| set.contains(s))
            && set.iter().all(|s| {
                let events = brute::enabled(&p, s);
                let next = events.iter().flat_map(|&e| brute::targets(&p, s, e));
                brute::goal(&p, s).is_none_or(|g| !goals.contains(&g)) && next.into_iter().all(|n| set.contains(&n))
            });
        let listed: Vec<_> = set.into_iter().collect();
        let got = safe(&p, &listed, goals);
        assert_eq!(got.is_ok(), closed, "round {round}: {got:?}\n{p:#?}\n{listed:?}");
        let violated = reachable.iter().filter_map(|s| brute::goal(&p, s)).any(|g| goals.contains(&g));
        assert!(!violated || got.is_err(), "a wrong verdict");
        accepted += usize::from(closed);
    }
    assert!(accepted > 500, "only {accepted} sets were good: the generator is too weak");
}
