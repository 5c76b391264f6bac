//! Runs the kit on the pattern and on each of its mutants. A mutant is the pattern without one side condition.
//! Other tests measure how much of a state space it excludes.

use super::*;
use crate::kit;
use model::Program;

/// Number of programs within which the kit must detect a mutant. The sound pattern must pass this many
/// programs of each kind.
const PROGRAMS: usize = 2_000;

#[test]
fn every_lemma_is_true_of_every_violating_run() {
    let tally = kit::check_generated(&[&ARRAYS], kit::cell_program, 3, PROGRAMS).unwrap_or_else(|f| panic!("{f}"));
    assert!(tally.matches > PROGRAMS / 8 && tally.runs > tally.matches, "{tally:?}");
    let tally = kit::check_generated(&[&ARRAYS], kit::program, 4, PROGRAMS).unwrap_or_else(|f| panic!("{f}"));
    assert!(tally.matches > PROGRAMS / 20, "{tally:?}");
}

/// Checks that the kit notices that `condition` is missing.
fn caught(condition: SideCondition) {
    let mutant = Arrays::without(condition);
    let found = [kit::program, kit::cell_program]
        .into_iter()
        .find_map(|generate| kit::check_generated(&[&mutant], generate, 3, PROGRAMS).err());
    let failure = found.expect("an unsound lemma");
    assert!(failure.what.contains("is false"), "{failure}");
}

mutants! {
    mutant_1_requests_of_others: RequestsOfOthers,
    mutant_3_first_targets: EveryTarget,
    mutant_5_first_initial_states: EveryInitialState,
    mutant_6_bad_states_of_others: EveryBadState,
    mutant_8_what_no_thread_requests_now: FutureRequests,
    mutant_8_what_some_thread_blocks_now: FutureOpenings,
    mutant_8_first_targets_in_the_future: FutureTargets,
    mutant_9_reads_torn_apart: Atomicity,
}

/// Returns the states from which a bad state is reachable, by brute force.
fn doomed(program: &Program) -> BTreeSet<Box<[u32]>> {
    let states = kit::reachable_states(program);
    let mut doomed: BTreeSet<Box<[u32]>> =
        states.iter().filter(|q| kit::kind_of(program, q) == Some(Goal::Bad)).cloned().collect();
    loop {
        let leads = |q: &[u32]| {
            let mut next = kit::enabled(program, q).into_iter().flat_map(|e| kit::successors(program, q, e));
            next.any(|n| doomed.contains(&n))
        };
        let more: Vec<_> = states.iter().filter(|q| !doomed.contains(*q) && leads(q)).cloned().collect();
        if more.is_empty() {
            return doomed;
        }
        doomed.extend(more);
    }
}

#[test]
fn states_that_are_cut_off_lead_to_nothing_bad() {
    let mut random = kit::Random::new(5);
    let (mut cut, mut harmless) = (0, 0);
    for _ in 0..700 {
        let program = kit::cell_program(&mut random);
        let Ok(mut found) = ARRAYS.recognize(program.threads(), Goal::Bad) else { continue };
        let mut start = Vec::new();
        found.on_start(&mut start);
        let doomed = doomed(&program);
        for q in kit::reachable_states(&program) {
            harmless += usize::from(!doomed.contains(&q));
            let mut lemmas = Vec::new();
            found.on_state(&q, &mut lemmas);
            if lemmas.is_empty() {
                continue;
            }
            cut += 1;
            assert!(!doomed.contains(&q), "{q:?} {}", kit::describe(&program));
            if cut % 20 == 0 {
                lemmas.extend(start.iter().cloned());
                let visits = vec![LemmaLit::yes(Prop::Visits(q.clone()))];
                lemmas.push(Lemma { kind: FUTURE, clause: visits, justification: None });
                assert!(kit::refutes(&lemmas, Goal::Bad, 1), "the lemmas say so: {q:?} {}", kit::describe(&program));
            }
        }
    }
    assert!(cut * 4 > harmless && cut > 500, "{cut} of {harmless}");
}

#[test]
fn the_reason_tells_what_is_missing() {
    let mut random = kit::Random::new(7);
    let program = kit::cell_program(&mut random);
    let why = ARRAYS.recognize(program.threads(), Goal::Deadlock).err().expect("not for deadlocks");
    assert_eq!(why.to_string(), "only bad states demand values");
    let idle = &program.threads()[..1];
    assert_eq!(ARRAYS.recognize(idle, Goal::Bad).err().expect("no bad state").to_string(), "no state is bad");
}
