//! User-defined systems: a random program behind the interface has the same answers as brute force on the
//! program, and wrong evidence about it is refused.

use certify::{Options as How, confirm};
use impasse::model::{Asked, Certificate, Claim, EventId, Goal, PredicateId, Problem, Program, Stop, System, Trace};
use impasse::{Options, Steps, certify, check, engines};
use testkit::{Listed, program};

/// The program, stepped from its definition. Bad states and deadlocks are its goals, and runs end in bad
/// states.
#[derive(Debug)]
struct Literal(Program);

impl System for Literal {
    fn sizes(&self) -> Vec<u64> {
        self.0.threads().iter().map(|t| t.states.len() as u64).collect()
    }

    fn initial(&self, sink: &mut dyn FnMut(&[u32])) {
        program::initial(&self.0).iter().for_each(|state| sink(state));
    }

    fn successors(&self, state: &[u32], sink: &mut dyn FnMut(u32, &[u32])) {
        if !program::is_bad(&self.0, state) {
            program::successors(&self.0, state).iter().for_each(|(event, next)| sink(event.0, next));
        }
    }

    fn predicates(&self) -> Vec<(String, Asked)> {
        vec![("bad".to_owned(), Asked::Never), ("stuck".to_owned(), Asked::Never)]
    }

    fn holds(&self, predicate: usize, state: &[u32]) -> bool {
        program::goal(&self.0, state) == Some([Goal::Bad, Goal::Deadlock][predicate])
    }
}

const GOALS: [Goal; 2] = [Goal::Predicate(PredicateId(0)), Goal::Predicate(PredicateId(1))];

#[test]
fn answers_are_those_of_brute_force() {
    let (mut reached, mut safe) = (0, 0);
    for seed in 0..testkit::count(2_000) {
        let random = program::program(seed);
        let Some(truth) = program::truth(&random, 2_000) else { continue };
        let problem = Problem::of_own(Literal(random));
        for engine in [None, Some(&engines::EXPLICIT)] {
            let outcome = check(&problem, &Options { engine, ..Options::default() });
            for (goal, of_program) in GOALS.into_iter().zip([Goal::Bad, Goal::Deadlock]) {
                let answer = outcome.about(goal).expect("it is asked");
                let expected = truth.shortest.get(&of_program).copied();
                let found = answer.trace().and_then(Trace::len);
                assert_eq!((answer.is_unsafe(), found), (expected.is_some(), expected), "seed {seed}, {goal}");
                assert_eq!(answer.is_safe(), expected.is_none(), "seed {seed}, {goal}: {:?}", answer.finding);
                assert_eq!(Steps::of(&problem, answer).map(|steps| steps.count() as u64), expected);
                reached += u64::from(expected.is_some());
                safe += u64::from(expected.is_none());
            }
        }
    }
    assert!(reached > 20 && safe > 20, "{reached} {safe}");
}

/// A counter modulo four. Goal `three` is reachable, goal `four` is not.
#[derive(Debug)]
struct Counter;

impl System for Counter {
    fn sizes(&self) -> Vec<u64> {
        vec![5]
    }

    fn initial(&self, sink: &mut dyn FnMut(&[u32])) {
        sink(&[0]);
    }

    fn successors(&self, state: &[u32], sink: &mut dyn FnMut(u32, &[u32])) {
        sink(0, &[(state[0] + 1) % 4]);
    }

    fn predicates(&self) -> Vec<(String, Asked)> {
        vec![("three".to_owned(), Asked::Never), ("four".to_owned(), Asked::Never)]
    }

    fn holds(&self, predicate: usize, state: &[u32]) -> bool {
        state[0] == 3 + predicate as u32
    }
}

#[test]
fn wrong_evidence_is_refused() {
    let problem = Problem::of_own(Counter);
    let [three, four] = GOALS;
    let accepted = |claim: Claim| confirm(&problem, &claim, &How::default(), &Stop::default()).is_ok();
    let set = |goal, states: &[u32]| {
        let states = Box::new(Listed(states.iter().map(|s| vec![*s]).collect()));
        Claim::Safe { goals: vec![goal], certificate: Certificate::StateSet(states) }
    };
    assert!(accepted(set(four, &[0, 1, 2, 3])));
    for (goal, states) in [
        (three, &[0u32, 1, 2, 3][..]), // has a state of the goal
        (four, &[0, 1, 2]),            // is not closed
        (four, &[1, 2, 3]),            // lacks the initial state
        (four, &[0, 1, 2, 3, 3]),      // lists a state twice
        (four, &[0, 1, 2, 3, 5]),      // lists a value that is no state
        (four, &[]),
    ] {
        assert!(!accepted(set(goal, states)), "{goal} {states:?}");
    }
    let run = |goal, start: u32, steps: u64, label: u32| {
        let mut trace = Trace::new(Box::from([start]));
        trace.push_repeat(vec![EventId(label)], steps);
        Claim::Unsafe { goal, trace, candidate: false }
    };
    assert!(accepted(run(three, 0, 3, 0)) && accepted(run(three, 0, 4_000_003, 0)));
    for (goal, start, steps, label) in
        [(three, 0, 2, 0), (three, 1, 2, 0), (three, 0, 3, 1), (four, 0, 4, 0), (four, 4, 0, 0)]
    {
        assert!(!accepted(run(goal, start, steps, label)), "{goal} {start} {steps} {label}");
    }
}

/// A system that declares two values for its slot, but counts further.
#[derive(Debug)]
struct Careless;

impl System for Careless {
    fn sizes(&self) -> Vec<u64> {
        vec![2, 2]
    }

    fn initial(&self, sink: &mut dyn FnMut(&[u32])) {
        sink(&[0, 0]);
    }

    fn successors(&self, state: &[u32], sink: &mut dyn FnMut(u32, &[u32])) {
        sink(0, &[state[0] + 1, state[1]]);
    }

    fn predicates(&self) -> Vec<(String, Asked)> {
        vec![("never".to_owned(), Asked::Never)]
    }

    fn holds(&self, _: usize, _: &[u32]) -> bool {
        false
    }
}

/// A value that does not fit must not change the next slot.
#[test]
#[should_panic(expected = "a slot of [2, 0] holds more than it has values")]
fn slots_hold_the_values_that_they_have() {
    let _ = check(&Problem::of_own(Careless), &Options::default());
}
