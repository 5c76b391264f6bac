//! Runs the kit on the pattern and on each of its mutants. A mutant is the pattern without one side condition.
//! Other tests use programs with known refutations.

use super::finder::OPEN_LITERALS;
use super::*;
use crate::kit;
use model::{Effort, EventId, EventSet, LocalId, LocalState, Program};

/// Number of programs within which the kit must detect a mutant. The sound pattern must pass this many
/// programs of each kind.
const PROGRAMS: usize = 3_000;

#[test]
fn every_lemma_is_true_of_every_violating_run() {
    for generate in [kit::program, kit::cell_program] {
        let tally =
            kit::check_generated(&[&PAIRS], generate, 1, PROGRAMS).unwrap_or_else(|failure| panic!("{failure}"));
        assert!(tally.matches > PROGRAMS, "most programs match: {tally:?}");
        assert!(tally.runs > 5 * PROGRAMS && tally.evaluations > 5 * tally.runs, "runs to evaluate: {tally:?}");
    }
}

/// Checks that the kit notices that `condition` is missing.
fn caught(condition: SideCondition) {
    let mutant = Pairs::without(condition);
    let found = [kit::program, kit::cell_program]
        .into_iter()
        .find_map(|generate| kit::check_generated(&[&mutant], generate, 1, PROGRAMS).err());
    let failure = found.expect("an unsound lemma");
    assert!(failure.what.contains("is false"), "{failure}");
}

mutants! {
    mutant_1_requests_of_others: RequestsOfOthers,
    mutant_2_blocks_of_others: BlocksOfOthers,
    mutant_3_first_targets: EveryTarget,
    mutant_4_unmentioned_events: InvisibleSelfLoops,
    mutant_5_first_initial_states: EveryInitialState,
    mutant_6_bad_states_of_others: EveryBadState,
    mutant_6_lemma_without_its_goal: GuardedByGoal,
    mutant_7_own_blocks: OwnBlocks,
}

#[test]
fn what_is_refuted_is_unreachable() {
    let mut random = kit::Random::new(2);
    let (mut refuted, mut unreachable) = ([0, 0], [0, 0]);
    for round in 0..800 {
        let program = if round % 4 == 0 { kit::program(&mut random) } else { kit::cell_program(&mut random) };
        let reachable = kit::reachable(&program);
        for (at, goal) in [Goal::Bad, Goal::Deadlock].into_iter().enumerate() {
            unreachable[at] += usize::from(!reachable.contains(&goal));
            let Some(lemmas) = lemmas(program.threads(), goal) else { continue };
            if kit::refutes(&lemmas, goal, 1) {
                refuted[at] += 1;
                assert!(!reachable.contains(&goal), "{goal} is reachable: {}", kit::describe(&program));
            }
        }
    }
    assert!(refuted[0] * 2 > unreachable[0] && refuted[1] * 2 > unreachable[1], "{refuted:?} of {unreachable:?}");
}

fn lemmas(threads: &[Thread], goal: Goal) -> Option<Vec<Lemma>> {
    let mut out = Vec::new();
    PAIRS.recognize(threads, goal).ok()?.on_start(&mut out);
    Some(out)
}

#[track_caller]
fn refuted(threads: &[Thread], goal: Goal) -> Vec<Lemma> {
    let lemmas = lemmas(threads, goal).expect("it matches");
    assert!(kit::refutes(&lemmas, goal, 1), "{goal}: {lemmas:?}");
    lemmas
}

/// Builds a state over `universe` events that requests and blocks these events.
fn state(universe: usize, request: &[usize], block: &[usize], on: &[(usize, usize)]) -> LocalState {
    let set = |ids: &[usize]| EventSet::from_events(universe, ids.iter().copied().map(EventId::new));
    let on = on.iter().map(|&(e, to)| (EventId::new(e), vec![LocalId::new(to)])).collect();
    LocalState { name: String::new(), request: set(request), block: set(block), bad: false, on }
}

fn thread(name: &str, states: Vec<LocalState>) -> Thread {
    Thread { name: name.to_owned(), states, initial: vec![LocalId(0)] }
}

/// Builds `n` cells. Each is set once to 1 by its own writer, which blocks the audit until then. The audit is
/// bad if it reads the values given by `target`. Events: write 1 (2 * cell + 1), read
/// (2 * n + 2 * cell + value), audit, tick.
fn array(n: usize, target: impl Fn(usize) -> usize) -> Vec<Thread> {
    let (audit, tick, universe) = (4 * n, 4 * n + 1, 4 * n + 2);
    let (write, read) = (|c: usize, v: usize| 2 * c + v, |c: usize, v: usize| 2 * n + 2 * c + v);
    let mut threads = Vec::new();
    for c in 0..n {
        let value = |v: usize| state(universe, &[], &[read(c, 1 - v)], &[(write(c, 1 - v), 1 - v)]);
        threads.push(thread("cell", vec![value(0), value(1)]));
        let first = state(universe, &[write(c, 1)], &[audit], &[(write(c, 1), 1)]);
        threads.push(thread("writer", vec![first, state(universe, &[], &[], &[])]));
    }
    let mut states = vec![state(universe, &[], &[], &[(audit, 1)])];
    for c in 0..n {
        let others: Vec<usize> = (0..universe).filter(|&e| e != read(c, 0) && e != read(c, 1)).collect();
        let reads = [0, 1].map(|v| (read(c, v), if v == target(c) { c + 2 } else { 0 }));
        states.push(state(universe, &[read(c, 0), read(c, 1)], &others, &reads));
    }
    states.push(LocalState::bad(String::new(), universe));
    threads.push(thread("audit", states));
    threads.push(thread("auditor", vec![state(universe, &[audit], &[], &[])]));
    threads.push(thread("tick", vec![state(universe, &[tick], &[], &[])]));
    threads
}

#[test]
fn an_audit_of_final_values_is_settled_without_a_state() {
    for goal in [Goal::Bad, Goal::Deadlock] {
        refuted(&array(3, |c| usize::from(c != 1)), goal);
    }
    let hit = lemmas(&array(3, |_| 1), Goal::Bad).expect("it matches");
    assert!(!kit::refutes(&hit, Goal::Bad, 1), "all cells are 1 in the end");
}

#[test]
fn a_contradiction_is_told_in_few_clauses() {
    let lemmas = refuted(&array(200, |c| usize::from(c != 77)), Goal::Bad);
    assert!(lemmas.len() < 12, "{}", lemmas.len());
    let threads: BTreeSet<_> = lemmas.iter().flat_map(|l| &l.clause).map(|l| l.prop.clone()).collect();
    assert!(threads.len() < 10 + 202, "the audit's states and few others: {}", threads.len());
}

/// Builds a counter over `universe` events that counts from 0 to `top`: up on event `up`, down on event `down`.
/// Its state at the top is `last`.
fn counter(universe: usize, top: usize, up: usize, down: usize, last: LocalState) -> Thread {
    let mut states: Vec<LocalState> = (0..top)
        .map(|k| state(universe, &[], &[], &if k == 0 { vec![(up, 1)] } else { vec![(up, k + 1), (down, k - 1)] }))
        .collect();
    states.push(last);
    thread("counter", states)
}

#[test]
fn two_counters_of_the_same_events_agree() {
    let universe = 3;
    let client =
        || thread("client", vec![state(universe, &[0], &[], &[(0, 1)]), state(universe, &[1], &[], &[(1, 0)])]);
    let semaphore = |size| counter(universe, size, 0, 1, state(universe, &[], &[0], &[(1, size - 1)]));
    let watch = |size| {
        let mut watch = counter(universe, size, 0, 1, state(universe, &[], &[], &[(0, size + 1), (1, size - 1)]));
        watch.states.push(LocalState::bad(String::new(), universe));
        watch
    };
    let tick = thread("tick", vec![state(universe, &[2], &[], &[])]);
    let safe = [client(), client(), client(), semaphore(2), watch(2), tick.clone()];
    assert!(refuted(&safe, Goal::Bad).len() < 12);
    assert_eq!(refuted(&safe, Goal::Deadlock).len(), 2, "a tick is always open");
    let leaky = [client(), client(), client(), semaphore(3), watch(2), tick];
    assert!(!kit::refutes(&lemmas(&leaky, Goal::Bad).expect("it matches"), Goal::Bad, 1));
}

#[test]
fn the_reason_tells_which_bad_state_is_alone() {
    let universe = 2;
    let marker = thread("marker", vec![state(universe, &[], &[], &[(0, 1)]), LocalState::bad("v".into(), universe)]);
    let other = thread("other", vec![state(universe, &[0], &[], &[(1, 1)]), state(universe, &[0, 1], &[], &[(1, 0)])]);
    let why = PAIRS.recognize(&[marker, other], Goal::Bad).err().expect("they say nothing of each other");
    assert_eq!(why.to_string(), "no thread's state is ruled out beside `v` of `marker`");
    assert_eq!(why.thread, Some(ThreadId(0)));
    assert!(PAIRS.recognize(&[], Goal::Bad).is_err() && PAIRS.recognize(&[], Goal::Deadlock).is_err());
}

#[test]
fn work_and_literals_are_bounded() {
    // Clocks with large periods: each pair has many joint states, and there are many pairs.
    let universe = 2;
    let ring = |n: usize| {
        let step = |k: usize| {
            let name = format!("s{k}");
            LocalState { name, ..state(universe, &[0, k % 2], &[], &[(0, (k + 1) % n), (1, (k + 1) % n)]) }
        };
        thread("ring", (0..n).map(step).collect())
    };
    let marker = thread("marker", vec![state(universe, &[], &[], &[(1, 1)]), LocalState::bad("v".into(), universe)]);
    let threads: Vec<Thread> = (900..960).map(ring).chain([marker]).collect();
    let mut effort = Effort::new(WORK);
    let prints = Footprints::of(&threads, Conditions::ALL, &mut effort).expect("few events");
    let mut finder = Finder::new(&prints, effort, KINDS);
    finder.bad().expect("it matches");
    assert!(finder.known.effort.is_spent() || finder.clauses.is_full());
    let literals: usize = finder.clauses.lemmas.iter().map(|l| l.clause.len()).sum();
    assert!((1..OPEN_LITERALS + 10).contains(&literals), "{literals}");
    let program = Program::new(vec!["a".into(), "b".into()], vec![ring(4)], vec![Goal::Bad]).expect("a program");
    assert_eq!(refuted(program.threads(), Goal::Bad).len(), 1, "nothing is bad");
}
