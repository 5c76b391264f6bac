//! Tests of states closed under stubborn sets: no set is ever accepted from which a claimed goal can be
//! reached, whatever its origin.
//!
//! Acceptance is monotone in the set of states. So there is a greatest set of states without goal states in
//! which every state has enough successors. The rules are sound for a program iff that set contains no state
//! from which a goal can be reached. So one computation decides about all sets.

use super::brute::{self, Rng};
use super::{check, rejected};
use crate::stubborn::{Rule, Rules};
use crate::{EvidenceKind, Options, confirm};
use kernel::Work;
use kernel::program::stepper::Stepper;
use model::{Certificate, Claim, EventId, EventSet, Goal, LocalId, LocalState, Problem, Program, Stop, Thread};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use testkit::Listed;

const ASKED: [&[Goal]; 3] = [&[Goal::Bad, Goal::Deadlock], &[Goal::Bad], &[Goal::Deadlock]];

fn claim<'a>(set: impl IntoIterator<Item = &'a Vec<u32>>, goals: &[Goal]) -> Claim {
    let set = Listed(set.into_iter().cloned().collect());
    Claim::Safe { goals: goals.to_vec(), certificate: Certificate::Reduced(Box::new(set)) }
}

/// 2 to 5 threads of 1 to 4 states over 3 to 6 events. Each thread mentions only some of the events. At most
/// 256 states.
fn random_program(rng: &mut Rng) -> Arc<Program> {
    let events = 3 + rng.below(4);
    let (bad_one_in, block_one_in) = ([3, 8, 1000][rng.below(3)], [4, 12][rng.below(2)]);
    let mut room = 256;
    let mut threads = Vec::new();
    for t in 0..2 + rng.below(4) {
        let size = (1 + rng.below(4)).min(room);
        room /= size;
        threads.push(random_thread(rng, t, size, events, bad_one_in, block_one_in));
    }
    brute::program(events, threads)
}

fn random_thread(
    rng: &mut Rng,
    number: usize,
    size: usize,
    events: usize,
    bad_one_in: usize,
    block_one_in: usize,
) -> Thread {
    let known: Vec<usize> = (0..events).filter(|_| rng.one_in(2)).collect();
    let in_order = rng.one_in(2);
    let mut states = Vec::new();
    for s in 0..size {
        if s > 0 && rng.one_in(bad_one_in) {
            states.push(LocalState::bad(format!("s{s}"), events));
            continue;
        }
        let mut on = BTreeMap::new();
        let (mut request, mut block) = (EventSet::empty(events), EventSet::empty(events));
        for &e in &known {
            let event = EventId::new(e);
            if rng.one_in(2) {
                request.insert(event);
            }
            if rng.one_in(block_one_in) {
                block.insert(event);
            }
            let mut targets = BTreeSet::new();
            if rng.one_in(2) {
                targets.insert(if in_order { (s + 1) % size } else { rng.below(size) });
            }
            if rng.one_in(9) {
                targets.insert(rng.below(size));
            }
            if !targets.is_empty() {
                on.insert(event, targets.into_iter().map(LocalId::new).collect());
            }
        }
        states.push(LocalState { name: format!("s{s}"), request, block, bad: false, on });
    }
    let initial = BTreeSet::from([0, if rng.one_in(6) { rng.below(size) } else { 0 }]);
    Thread { name: format!("t{number}"), states, initial: initial.into_iter().map(LocalId::new).collect() }
}

/// All combinations of local states, reachable or not.
fn all_states(program: &Program) -> Vec<Vec<u32>> {
    program.threads().iter().fold(vec![Vec::new()], |done, thread| {
        let extended = |d: &Vec<u32>| (0..thread.states.len() as u32).map(|s| [&d[..], &[s]].concat()).collect();
        done.iter().flat_map(|d| -> Vec<Vec<u32>> { extended(d) }).collect()
    })
}

/// The states that can reach one of `goals`.
fn doomed(program: &Program, states: &[Vec<u32>], goals: &[Goal]) -> BTreeSet<Vec<u32>> {
    let is_goal = |s: &&Vec<u32>| brute::goal(program, s).is_some_and(|goal| goals.contains(&goal));
    let mut doomed: BTreeSet<Vec<u32>> = states.iter().filter(is_goal).cloned().collect();
    loop {
        let before = doomed.len();
        for state in states {
            let leads = |e: EventId| brute::targets(program, state, e).iter().any(|next| doomed.contains(next));
            if brute::enabled(program, state).into_iter().any(leads) {
                doomed.insert(state.clone());
            }
        }
        if doomed.len() == before {
            return doomed;
        }
    }
}

/// The greatest set without states of `goals` in which all states have enough successors by the rules without
/// `omit`.
fn greatest(program: &Program, states: &[Vec<u32>], goals: &[Goal], omit: Option<Rule>) -> BTreeSet<Vec<u32>> {
    let stop = Stop::default();
    let mut work = Work::new(u64::MAX, &stop);
    let stepper = Stepper::new(program).expect("small");
    let rules = Rules::new(&stepper, omit, &mut work).expect("small");
    let goal = |s: &Vec<u32>| brute::goal(program, s);
    let mut set: BTreeSet<Vec<u32>> =
        states.iter().filter(|s| goal(s).is_none_or(|g| !goals.contains(&g))).cloned().collect();
    loop {
        let too_few = |state: &&Vec<u32>| {
            let words = |events: &[EventId]| events.iter().fold(0, |word, e| word | 1u64 << e.0);
            let enabled = brute::enabled(program, state);
            let stays = |e: &EventId| brute::targets(program, state, *e).iter().all(|next| set.contains(next));
            let allowed: Vec<EventId> = enabled.iter().copied().filter(stays).collect();
            let (enabled, allowed) = ([words(&enabled)], [words(&allowed)]);
            let mut work = Work::new(u64::MAX, &stop);
            enabled != [0] && !rules.admits(&stepper, state, &enabled, &allowed, goals, &mut work).expect("small")
        };
        let out: Vec<Vec<u32>> = set.iter().filter(too_few).cloned().collect();
        if out.is_empty() {
            return set;
        }
        out.iter().for_each(|state| _ = set.remove(state));
    }
}

#[test]
fn no_accepted_set_has_a_state_that_can_reach_a_goal() {
    let (mut safe, mut unsafe_) = (0, 0);
    for seed in 0..testkit::count(2_500) {
        let program = random_program(&mut Rng(seed));
        let states = all_states(&program);
        for goals in ASKED {
            let doomed = doomed(&program, &states, goals);
            let greatest = greatest(&program, &states, goals, None);
            assert!(
                doomed.is_disjoint(&greatest),
                "seed {seed}, {goals:?}: {:?}",
                doomed.intersection(&greatest).next()
            );
            assert_eq!(
                doomed.len() + greatest.len(),
                states.len(),
                "seed {seed}: a state without way to a goal is out"
            );
            (safe, unsafe_) = (safe + greatest.len(), unsafe_ + doomed.len());
        }
    }
    let varied = safe > 50_000 && unsafe_ > 50_000;
    assert!(!testkit::are_full() || varied, "{safe} states that stay clear of goals, {unsafe_} that do not");
}

#[test]
fn no_rule_can_be_left_out() {
    for rule in [Rule::Stay, Rule::Swap, Rule::Free, Rule::Ask, Rule::Hold, Rule::Insist, Rule::Bad] {
        let is_wrong = |&seed: &u64| {
            let program = random_program(&mut Rng(seed));
            let states = all_states(&program);
            ASKED.iter().any(|goals| {
                !doomed(&program, &states, goals).is_disjoint(&greatest(&program, &states, goals, Some(rule)))
            })
        };
        assert!((0..3_000).any(|seed| is_wrong(&seed)), "{rule:?} can be left out, as far as these programs tell");
    }
}

/// The result of the public check on sets with states removed. For safe programs some sets remain valid. For
/// other programs no set is ever valid.
#[test]
fn sets_with_states_taken_out() {
    let (mut kept, mut all) = (0, 0);
    for seed in 0..600 {
        let mut rng = Rng(seed);
        let program = random_program(&mut rng);
        let mut states: Vec<Vec<u32>> = brute::reachable(&program).into_iter().collect();
        let goals = ASKED[rng.below(3)];
        let before = states.len();
        states.retain(|s| brute::goal(&program, s).is_none_or(|g| !goals.contains(&g)));
        let is_safe = states.len() == before;
        assert_eq!(check(&program, &claim(&states, goals)).is_ok(), is_safe, "seed {seed}");
        rng.shuffle(&mut states);
        let mut left = states.clone();
        for state in &states {
            let less: Vec<Vec<u32>> = left.iter().filter(|s| *s != state).cloned().collect();
            match check(&program, &claim(&less, goals)) {
                Ok(_) => {
                    assert!(is_safe, "seed {seed}, {goals:?}: {less:?} proves something wrong");
                    left = less;
                }
                Err(_) if !is_safe && rng.one_in(2) => left = less,
                Err(_) => {}
            }
        }
        if is_safe {
            (kept, all) = (kept + left.len(), all + states.len());
        }
    }
    assert!(all > 500 && kept * 5 < all * 4, "{kept} of {all} states: nothing could be left out");
}

/// Two threads that step by themselves, a few times and forever.
fn strangers() -> Arc<Program> {
    let run = |name, event: u32, events| {
        let next = |s: u32| [(s + 1) % 3];
        let states = (0..3).map(|s| brute::local(&format!("s{s}"), events, &[event], &[], &[(event, &next(s))]));
        brute::thread(name, &[0], states.collect())
    };
    brute::program(2, vec![run("a", 0, 2), run("b", 1, 2)])
}

#[test]
fn one_of_two_strangers_is_enough_for_a_deadlock_and_none_for_bad() {
    let program = strangers();
    let deadlock = [Goal::Deadlock];
    let rows: Vec<Vec<u32>> = (0..3).map(|s| vec![s, 0]).collect();
    let confirmed = check(&program, &claim(&rows, &deadlock)).expect("closed enough");
    assert_eq!((confirmed.evidence, confirmed.length), (EvidenceKind::StateSet, 3));
    assert!(confirmed.verdict.is_safe());
    rejected(check(&program, &claim(&rows[..2], &deadlock)), "too few successors");
    rejected(check(&program, &claim(&rows[1..], &deadlock)), "initial state");
    rejected(check(&program, &claim(&[vec![0, 0], vec![0, 0]], &deadlock)), "listed twice");
    rejected(check(&program, &claim(&[vec![0, 0], vec![0, 3]], &deadlock)), "not a state");
    assert!(check(&program, &claim(&rows[..1], &[Goal::Bad])).is_ok(), "no thread can become bad");
}

#[test]
fn the_checks_of_other_evidence_stand() {
    let program = strangers();
    let rows: Vec<Vec<u32>> = (0..3).map(|s| vec![s, 0]).collect();
    let Claim::Safe { certificate: Certificate::Reduced(set), goals } = claim(&rows, &[Goal::Deadlock]) else {
        panic!("that is what it is")
    };
    rejected(check(&program, &Claim::Safe { goals, certificate: Certificate::StateSet(set) }), "not closed");
    let problem = Problem::of_program_with(program, &[Goal::Deadlock]).expect("goals of programs");
    let dear = Options { max_steps: 5, ..Options::default() };
    assert_eq!(
        confirm(&problem, &claim(&rows, &[Goal::Deadlock]), &dear, &Stop::default()),
        Err(crate::Refusal::ResourceLimit)
    );
}
