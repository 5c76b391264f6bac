//! Large models: the cost is proportional to the size of the model. The tests count work, not time.

use impasse::certify::{self, Refusal};
use impasse::model::{Claim, EventId, Goal, Problem, Stop, Trace};
use impasse::{Options, check, engines, read_rwb};
use std::sync::Arc;

const THREADS: usize = 10_000;

fn read(text: &str) -> Problem {
    read_rwb(text).unwrap_or_else(|error| panic!("{error}"))
}

/// Threads that each move once, and a marker that is bad if the first thread moves twice.
fn threads(n: usize) -> Problem {
    read(&format!(
        "rwb 1 event go[{n}]
for i in 0..{n} {{ thread T[i] {{ state a {{ request go[i] on go[i] -> b }} state b {{ }} }} }}
thread Marker {{ state a {{ on go[0] -> b }} state b {{ on go[0] -> v }} state v {{ bad }} }}"
    ))
}

/// A trace of all events, one after the other.
fn run(problem: &Problem) -> Trace {
    let mut trace = Trace::new(vec![0; problem.system().as_program().expect("a program").threads().len()].into());
    (0..problem.system().as_program().expect("a program").events().len())
        .for_each(|e| trace.push(EventId::new(e), None));
    trace
}

#[test]
fn ten_thousand_threads_take_as_many_sets() {
    let problem = threads(THREADS);
    let states = problem.system().as_program().expect("a program").threads().iter().flat_map(|t| &t.states);
    let words: usize = states.map(|s| s.request.size() + s.block.size()).sum();
    assert!(words < 3 * THREADS, "{words} words of event sets");
}

#[test]
fn a_run_is_replayed_in_the_threads_that_its_events_concern() {
    let problem = threads(THREADS);
    let confirm = |max_steps| {
        let claim = Claim::Unsafe { goal: Goal::Deadlock, trace: run(&problem), candidate: false };
        let how = certify::Options { max_steps, ..certify::Options::default() };
        certify::confirm(&problem, &claim, &how, &Stop::default()).map(|confirmed| confirmed.length)
    };
    assert_eq!(confirm(20 * THREADS as u64).expect("in proportion"), THREADS as u64);
    assert!(matches!(confirm(THREADS as u64 / 2), Err(Refusal::ResourceLimit)), "a step for each event at least");
}

#[test]
fn a_wrong_run_of_many_threads_is_refused() {
    let problem = threads(THREADS);
    let mut trace = run(&problem);
    trace.push(EventId(7), None);
    let claim = Claim::Unsafe { goal: Goal::Deadlock, trace, candidate: false };
    let refused = certify::confirm(&problem, &claim, &certify::Options::default(), &Stop::default());
    let Err(Refusal::Rejected(why)) = refused else { panic!("a step behind the end must be refused") };
    assert!(why.contains("the run ended before"), "{why}");
}

#[test]
fn lemmas_about_one_of_ten_thousand_threads() {
    let problem = threads(THREADS);
    let asked = Problem::of_program_with(Arc::clone(problem.system().as_program().expect("a program")), &[Goal::Bad])
        .expect("goals of programs");
    let outcome = check(&asked, &Options { engine: Some(&engines::DPLLT), ..Options::default() });
    assert!(outcome.about(Goal::Bad).is_some_and(|answer| answer.is_safe()));
}

#[test]
fn a_deadlock_of_ten_thousand_threads_is_there_at_once() {
    let n = THREADS;
    let problem = read(&format!(
        "rwb 1 event go[{n}]
for i in 0..{n} {{ thread T[i] {{ state a {{ request go[i] block go[(i+1)%{n}] on go[i] -> b }} state b {{ }} }} }}"
    ));
    let outcome = check(&problem, &Options { engine: Some(&engines::EXPLICIT), ..Options::default() });
    assert!(outcome.about(Goal::Deadlock).is_some_and(|answer| answer.is_unsafe()));
}
