//! Runs the kit on the pattern and on each of its mutants. A mutant is the pattern without one side condition.
//! Other tests use programs with known refutations.

use super::*;
use crate::kit;
use model::{EventSet, LemmaLit, LocalId, LocalState, Program, Prop};
use std::collections::BTreeMap;

/// Number of programs within which the kit must detect a mutant. The sound pattern must pass this many
/// programs.
const PROGRAMS: usize = 4_000;

#[test]
fn every_lemma_is_true_of_every_violating_run() {
    let tally = kit::check_random(&[&LOOPED], 1, PROGRAMS).unwrap_or_else(|failure| panic!("{failure}"));
    assert!(tally.matches > PROGRAMS, "most programs match: {tally:?}");
    assert!(tally.runs > 10 * PROGRAMS && tally.evaluations > 10 * tally.runs, "runs to evaluate: {tally:?}");
}

/// Checks that the kit notices that `condition` is missing.
fn caught(condition: SideCondition) {
    let failure = kit::check_random(&[&Looped::without(condition)], 1, PROGRAMS).expect_err("an unsound lemma");
    assert!(failure.what.contains("is false"), "{failure}");
}

mutants! {
    mutant_0_several_initial_states: OneInitialState,
    mutant_1a_unmentioned_events: InvisibleSelfLoops,
    mutant_1b_nondeterministic_targets: SingleTargets,
    mutant_1c_blocked_somewhere_else: BlockedHereOnly,
    mutant_2_prefix_as_congruence: PrefixNotCongruent,
    mutant_2_prefix_in_the_cycle: PrefixNotRepeated,
    mutant_3_marker_of_several_events: WholeWordOfMarker,
    mutant_3_bad_states_of_others: EveryBadState,
    mutant_4_requests_of_others: ForeignRequests,
    mutant_5_lemma_without_its_goal: GuardedByGoal,
    mutant_5_blocks_of_others: ForeignBlocks,
    mutant_6_step_off_by_one: StepOfLastEvent,
    mutant_6_run_without_events: EmptyRun,
}

/// Run lengths to try. They cover prefixes (5), unrolling (9) and one round of all cycles (60). For longer
/// runs, the conditions of the lemmas on the length repeat.
const LENGTHS: u64 = 80;

#[test]
fn what_is_refuted_is_unreachable() {
    let mut random = kit::Random::new(2);
    let (mut refuted, mut unreachable) = (0, 0);
    for _ in 0..600 {
        let program = kit::program(&mut random);
        let reachable = kit::reachable(&program);
        for goal in [Goal::Bad, Goal::Deadlock] {
            let Ok(mut found) = LOOPED.recognize(program.threads(), goal) else { continue };
            let mut lemmas = Vec::new();
            found.on_start(&mut lemmas);
            unreachable += usize::from(!reachable.contains(&goal));
            if kit::refutes(&lemmas, goal, LENGTHS) {
                refuted += 1;
                assert!(!reachable.contains(&goal), "{goal} is reachable: {}", kit::describe(&program));
            }
        }
    }
    assert!(refuted > 200, "refuted {refuted} of {unreachable}");
}

fn events(universe: usize, ids: &[u32]) -> EventSet {
    EventSet::from_events(universe, ids.iter().copied().map(EventId))
}

/// Builds a state of a thread over `universe` events.
fn state(universe: usize, request: &[u32], block: &[u32], on: &[(u32, u32)]) -> LocalState {
    let on: BTreeMap<_, _> = on.iter().map(|&(e, to)| (EventId(e), vec![LocalId(to)])).collect();
    let (request, block) = (events(universe, request), events(universe, block));
    LocalState { name: String::new(), request, block, bad: false, on }
}

fn thread(name: &str, mut states: Vec<LocalState>) -> Thread {
    for (s, state) in states.iter_mut().enumerate() {
        state.name = format!("s{s}");
    }
    Thread { name: name.to_owned(), states, initial: vec![LocalId(0)] }
}

/// Builds a ring of `period` states. Event 0 is always requested. Event 1 is requested in the states of `open`
/// and blocked in the others.
fn ring(period: u32, open: &[u32]) -> Thread {
    let states = (0..period).map(|k| {
        let next = (k + 1) % period;
        let (request, block) = if open.contains(&k) { (&[0, 1][..], &[][..]) } else { (&[0][..], &[1][..]) };
        state(2, request, block, &[(0, next), (1, next)])
    });
    thread(&format!("ring{period}{open:?}"), states.collect())
}

/// Builds a marker that is bad after event 1 has fired `word` times in a row.
fn marker(word: u32) -> Thread {
    let mut states: Vec<_> = (0..word).map(|k| state(2, &[], &[], &[(0, 0), (1, k + 1)])).collect();
    states.push(LocalState::bad(String::new(), 2));
    thread("marker", states)
}

fn lemmas(threads: &[Thread], goal: Goal) -> Vec<Lemma> {
    let mut out = Vec::new();
    LOOPED.recognize(threads, goal).expect("clocks").on_start(&mut out);
    out
}

#[test]
fn loops_that_never_agree_are_refuted_without_a_state() {
    let clashes: [(&[Thread], u64); 4] = [
        (&[ring(4, &[1]), ring(6, &[4]), marker(1)], 12),
        (&[ring(6, &[5]), ring(6, &[5]), ring(6, &[4]), marker(1)], 6),
        (&[ring(12, &[0, 6]), ring(18, &[1, 7, 13]), ring(20, &[2, 12]), marker(1)], 180),
        (&[ring(9, &[3, 4]), ring(12, &[4, 8]), ring(10, &[8, 9]), marker(2)], 180),
    ];
    for (threads, round) in clashes {
        for goal in [Goal::Bad, Goal::Deadlock] {
            assert!(kit::refutes(&lemmas(threads, goal), goal, round + 20), "{goal} {}", threads[0].name);
        }
    }
    let meets = [ring(2, &[1]), ring(3, &[2]), marker(1)];
    assert!(kit::refutes(&lemmas(&meets, Goal::Bad), Goal::Bad, 6), "no run shorter than 6");
    assert!(!kit::refutes(&lemmas(&meets, Goal::Bad), Goal::Bad, 7), "but one of 6");
}

#[test]
fn an_event_that_is_always_free_rules_out_deadlock_by_one_literal() {
    let lemmas = lemmas(&[ring(2, &[1]), ring(3, &[2]), marker(1)], Goal::Deadlock);
    let clauses: Vec<_> = lemmas.iter().map(|l| &l.clause[..]).collect();
    assert_eq!(clauses, [[LemmaLit::no(Prop::Ends(Goal::Deadlock))]], "and nothing else needs saying");
}

#[test]
fn a_prefix_counts_only_before_the_cycle() {
    // Event 1 can fire only at step 0. After that, a cycle of one state blocks it forever.
    let once = thread("once", vec![state(2, &[0, 1], &[], &[(0, 1), (1, 1)]), state(2, &[0], &[1], &[])]);
    let threads = [once.clone(), marker(2)];
    assert!(kit::refutes(&lemmas(&threads, Goal::Bad), Goal::Bad, 20), "two in a row cannot be");
    assert!(!kit::refutes(&lemmas(&[once, marker(1)], Goal::Bad), Goal::Bad, 20), "one can");
}

fn replay(threads: &[Thread], candidate: &[(Vec<EventId>, u64)]) -> Option<Goal> {
    let names = (0..2).map(|e| format!("e{e}")).collect();
    let program = Program::new(names, threads.to_vec(), vec![Goal::Bad]).expect("a program");
    let mut now = kit::initial_states(&program).swap_remove(0);
    for (word, times) in candidate {
        for event in word.iter().cycle().take(word.len() * *times as usize) {
            if !kit::enabled(&program, &now).contains(event) {
                return None;
            }
            now = kit::successors(&program, &now, *event).swap_remove(0);
        }
    }
    kit::kind_of(&program, &now)
}

fn candidates(threads: &[Thread], goal: Goal, length: u64) -> Vec<Vec<(Vec<EventId>, u64)>> {
    let found = LOOPED.recognize(threads, goal).expect("clocks");
    found.candidates(&Values::from([(model::Constant::RunLength, length.into())]))
}

#[test]
fn candidates_replay() {
    let numbers = [ring(2, &[1]), ring(3, &[2]), ring(5, &[4]), marker(1)];
    let found = candidates(&numbers, Goal::Bad, 30);
    assert_eq!(found, [vec![(vec![EventId(0)], 29), (vec![EventId(1)], 1)]]);
    assert_eq!(replay(&numbers, &found[0]), Some(Goal::Bad));
    let words = [ring(9, &[3, 4]), ring(10, &[8, 9]), ring(7, &[2, 3]), marker(2)];
    assert_eq!(replay(&words, &candidates(&words, Goal::Bad, 410)[0]), Some(Goal::Bad));
    assert!(candidates(&numbers, Goal::Bad, 29).is_empty(), "event 1 is blocked then");
    assert_eq!(candidates(&numbers, Goal::Bad, 30 * 10_000_000_000)[0][0].1, 30 * 10_000_000_000 - 1);
}

#[test]
fn candidates_without_a_filler_take_what_is_open() {
    // Only one event is allowed at each step: 0, 0, 1, 0, 0, 1, ..; at step 5, a clock has stopped.
    let turn = |request: u32, next| state(2, &[request], &[1 - request], &[(0, next), (1, next)]);
    let turns = thread("turns", vec![turn(0, 1), turn(0, 2), turn(1, 0)]);
    let mut life: Vec<_> = (0..5).map(|k| state(2, &[], &[], &[(0, k + 1), (1, k + 1)])).collect();
    life.push(state(2, &[], &[0, 1], &[]));
    let threads = [turns, thread("life", life)];
    let found = candidates(&threads, Goal::Deadlock, 5);
    assert_eq!(found[0].iter().map(|(word, times)| (word[0].0, *times)).collect::<Vec<_>>(), [(0, 2), (1, 1), (0, 2)]);
    assert_eq!(replay(&threads, &found[0]), Some(Goal::Deadlock));
    let lemmas = lemmas(&threads, Goal::Deadlock);
    assert!(kit::refutes(&lemmas, Goal::Deadlock, 5) && !kit::refutes(&lemmas, Goal::Deadlock, 6), "T is 5");
}

#[test]
fn a_clock_may_be_the_marker() {
    let mut life: Vec<_> = (0..3).map(|k| state(2, &[0], &[1], &[(0, k + 1)])).collect();
    life.push(LocalState::bad(String::new(), 2));
    let threads = [thread("life", life)];
    let lemmas = lemmas(&threads, Goal::Bad);
    let possible: Vec<u64> = (0..8).filter(|&t| !kit::refutes(&lemmas, Goal::Bad, t + 1)).collect();
    assert_eq!(possible.first(), Some(&3));
    let found = candidates(&threads, Goal::Bad, 3);
    assert_eq!(replay(&threads, &found[0]), Some(Goal::Bad));
}

#[test]
fn a_clock_gets_to_bad_only_if_events_fire_on_its_way() {
    let mut life: Vec<_> = (0..3).map(|k| state(2, &[0], &[1], &[(0, k + 1)])).collect();
    life.push(LocalState::bad(String::new(), 2));
    let life = thread("life", life);
    // Builds a thread that blocks `event` at step 1. Event 0 is the only one that `life` allows.
    let shut_for = |event: u32| {
        let mut states: Vec<_> = (0..3).map(|k| state(2, &[], &[], &[(0, k + 1), (1, k + 1)])).collect();
        states[1].block.insert(EventId(event));
        states.push(state(2, &[], &[], &[]));
        thread("shut", states)
    };
    assert!(kit::refutes(&lemmas(&[life.clone(), shut_for(0)], Goal::Bad), Goal::Bad, 20));
    assert!(!kit::refutes(&lemmas(&[life, shut_for(1)], Goal::Bad), Goal::Bad, 20));
}

#[test]
fn the_reason_names_thread_state_and_event() {
    let frozen = thread("frozen", vec![state(2, &[0], &[], &[(0, 1)]), state(2, &[0], &[], &[(0, 0), (1, 0)])]);
    let why = LOOPED.recognize(&[frozen], Goal::Bad).err().expect("not a clock");
    assert_eq!(why.thread, Some(ThreadId(0)));
    assert_eq!(
        why.to_string(),
        "thread `frozen` is no clock: in state `s0` event 0 leads to `s1`, but event 1 to `s0`",
        "the invisible self-loop"
    );
    let idle = thread("idle", vec![state(2, &[0], &[], &[])]);
    assert_eq!(LOOPED.recognize(&[idle], Goal::Bad).err().expect("no time").thread, None);
    assert_eq!(LOOPED.recognize(&[], Goal::Bad).err().expect("no thread").thread, None);
}

#[test]
fn size_is_bounded_by_dropping_clauses() {
    // The period cannot be reduced, and there are more residues than a clause may contain.
    let open: Vec<u32> = (0..700).filter(|k| k % 7 != 0 || *k == 0).collect();
    let long = lemmas(&[ring(700, &open), marker(1)], Goal::Bad);
    assert!(!long.is_empty() && long.iter().all(|l| l.kind != OPEN));
    // Each clause fits its limit, but all of them together exceed the limit of a match.
    let many: Vec<Thread> = (0..300).map(|k| ring(401, &(k..401).collect::<Vec<_>>())).chain([marker(1)]).collect();
    let literals: usize = lemmas(&many, Goal::Bad).iter().map(|l| l.clause.len()).sum();
    assert!((50_000..=100_000).contains(&literals), "{literals}");
}

#[test]
fn work_grows_with_the_threads() {
    let work = |threads: &[Thread], goal| {
        let clocks: Vec<_> = threads.iter().map(|t| Clock::of(t).ok()).collect();
        match goal {
            Goal::Bad => lemmas::bad(threads, &clocks, Conditions::ALL, &mut Vec::new()),
            _ => lemmas::deadlock(threads, &clocks, Conditions::ALL, &mut Vec::new()),
        }
    };
    // Threads have two shapes: all request event 1 at step 1, and some block it at step 0.
    let step = |k: u32, request: &[u32], block: &[u32]| state(2, request, block, &[(0, (k + 1) % 3), (1, (k + 1) % 3)]);
    let shape = |shut: &[u32]| thread("", vec![step(0, &[], shut), step(1, &[1], &[]), step(2, &[], &[])]);
    let shapes = |count: u32| (0..count).map(|k| if k % 2 == 0 { shape(&[1]) } else { shape(&[]) });
    let many = |count: u32| -> Vec<Thread> { shapes(count).chain([marker(2)]).collect() };
    // Every thread has a different shape.
    let mixed = |count: u32| -> Vec<Thread> { (2..count).map(|k| ring(k, &[k / 2])).chain([marker(2)]).collect() };
    for goal in [Goal::Bad, Goal::Deadlock] {
        let (few, more) = (work(&many(500), goal), work(&many(5_000), goal));
        assert!(few > 500 && more < 11 * few, "{goal}: {few}, {more}");
        assert!(more < lemmas::WORK / 10, "{goal}: {more}");
        assert!(work(&mixed(300), goal) <= lemmas::WORK, "{goal}");
    }
}
