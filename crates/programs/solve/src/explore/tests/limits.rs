//! Checks what ends a search, and what makes it wait.

use super::*;

/// Returns threads that all have two initial states, or all choose between two targets on the only event.
fn exploding(threads: usize, from_the_start: bool) -> Program {
    let does = Does { request: vec![0], on: vec![(vec![0], vec![0, 1])], ..Does::default() };
    let initial = (0..threads).filter(|_| from_the_start).map(|t| (t, vec![0, 1])).collect::<Vec<_>>();
    program(1, &vec![vec![does.clone(), does]; threads], &initial)
}

#[test]
fn more_states_than_numbers_is_unknown_and_at_once() {
    for from_the_start in [false, true] {
        let said = check(&exploding(70, from_the_start), &BOTH, false);
        assert_eq!(said.unknown, [(Goal::Bad, Reason::Memory), (Goal::Deadlock, Reason::Memory)]);
    }
}

#[test]
fn growth_is_asked_for_before_it_happens() {
    for threads in [14, 20, 24] {
        for from_the_start in [false, true] {
            let stop = Arc::new(Stop::with_memory_limit(200_000, || 100_000));
            let said = run(&exploding(threads, from_the_start), &BOTH, false, 10, &stop);
            assert_eq!(said.unknown, [(Goal::Bad, Reason::Memory), (Goal::Deadlock, Reason::Memory)]);
            assert_eq!(stop.raised(), Some(Reason::Memory));
            assert!(!said.complete && said.stats.states < 10_000);
        }
    }
    let roomy = Arc::new(Stop::with_memory_limit(200_000, || 100_000));
    assert_eq!(run(&philosophers(), &BOTH, true, 10, &roomy).stats.states, 35);
}

/// A state with 5,000 successors costs some thousand units. Its expansion waits until turns have saved them, so
/// that it does not hold up other engines.
#[test]
fn a_state_of_very_many_successors_is_expanded_when_it_is_paid_for() {
    let threads = 5_000;
    let goes =
        |t: usize| vec![Does { request: vec![t], on: vec![(vec![t], vec![1])], ..Does::default() }, Does::default()];
    let program = program(threads, &(0..threads).map(goes).collect::<Vec<_>>(), &[]);
    let task = ProgramTask::new(Arc::new(program), [Goal::Deadlock]);
    let mut engine = crate::explore(&task, Options::default());
    let mut turns = 0;
    while engine.stats().transitions == 0 {
        assert!(matches!(engine.run(&mut Budget::new(100, Arc::default())), Turn::More));
        turns += 1;
        assert!(turns < 1_000, "it must come to it in the end");
    }
    assert!(turns > 20, "{turns}");
    assert_eq!((engine.stats().transitions, engine.stats().states), (5_000, 5_001));
}

#[test]
fn a_raised_flag_ends_the_work() {
    for from_the_start in [false, true] {
        let stop = Arc::new(Stop::default());
        stop.raise(Reason::Timeout);
        let said = run(&exploding(20, from_the_start), &BOTH, false, u64::MAX, &stop);
        assert!(said.safe.is_empty() && said.hits.is_empty());
    }
}

/// Workers need buffers of tens of megabytes. If that memory is not available, the search continues with one
/// worker.
#[test]
fn without_memory_for_their_notes_workers_are_one() {
    let goes =
        |t: usize| vec![Does { request: vec![t], on: vec![(vec![t], vec![1])], ..Does::default() }, Does::default()];
    let program = program(14, &(0..14).map(goes).collect::<Vec<_>>(), &[]);
    let task = ProgramTask::new(Arc::new(program), [Goal::Bad]);
    for limit in [4 << 20, 1 << 30] {
        let mut engine = crate::explore(&task, Options { jobs: 2, ..Options::default() });
        let stop = Arc::new(Stop::with_memory_limit(limit, || 100_000));
        let mut turn = Turn::More;
        while matches!(turn, Turn::More) {
            turn = engine.run(&mut Budget::unlimited(stop.clone()));
        }
        assert!(matches!(turn, Turn::Claims(Claim::Safe { .. })), "{turn:?}");
        assert_eq!((engine.stats().states, engine.stats().transitions), (1 << 14, 14 << 13));
    }
}
