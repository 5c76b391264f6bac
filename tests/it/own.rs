//! User-defined systems: a random program behind the interface has the same answers as brute force on the
//! program, and wrong evidence about it is refused.

use certify::{Options as How, confirm};
use impasse::model::{
    Certificate, Claim, EventId, Goal, PredicateId, Problem, Program, QuestionForm, Stop, System, Trace,
};
use impasse::{Options, Steps, certify, check, engines, own};
use std::collections::{BTreeMap, HashSet};
use std::panic::AssertUnwindSafe;
use std::time::Duration;
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

    fn predicates(&self) -> Vec<(String, QuestionForm)> {
        vec![("bad".to_owned(), QuestionForm::Never), ("stuck".to_owned(), QuestionForm::Never)]
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
                assert_eq!(answer.trace().map(|trace| Steps::new(&problem, trace).count() as u64), expected);
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

    fn predicates(&self) -> Vec<(String, QuestionForm)> {
        vec![("three".to_owned(), QuestionForm::Never), ("four".to_owned(), QuestionForm::Never)]
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

    fn predicates(&self) -> Vec<(String, QuestionForm)> {
        vec![("never".to_owned(), QuestionForm::Never)]
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

/// A message of [`Mail`]: an enum with fields is no slot, so it is numbered.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Letter {
    Ask { from: u8, about: i32 },
    Answer(Vec<u64>),
}

impasse::interned!(Letter);

/// Clients ask, and a server answers, in any order, with a bag of letters in between.
struct Mail {
    clients: u8,
}

type MailState = (Vec<Letter>, BTreeMap<u8, i32>, i32);

impl own::Model for Mail {
    type State = MailState;
    type Action = String;

    fn initial(&self) -> Vec<MailState> {
        vec![(Vec::new(), BTreeMap::new(), -1)]
    }

    fn steps(&self, (letters, known, sent): &MailState, step: &mut dyn FnMut(String, MailState)) {
        for from in (0..self.clients).filter(|from| !known.contains_key(from)) {
            let mut next = (letters.clone(), known.clone(), *sent);
            next.0.push(Letter::Ask { from, about: -i32::from(from) });
            next.1.insert(from, -1);
            step(format!("{from} asks"), next);
        }
        for (at, letter) in letters.iter().enumerate() {
            let mut next = (letters.clone(), known.clone(), *sent);
            next.0.remove(at);
            match letter {
                Letter::Ask { from, about } => {
                    next.0.push(Letter::Answer(vec![u64::from(*from), about.unsigned_abs().into()]));
                    next.2 += 1;
                }
                Letter::Answer(words) => *next.1.get_mut(&(words[0] as u8)).expect("it has asked") = 1 << 20,
            }
            step(format!("{letter:?} arrives"), next);
        }
    }

    fn questions(&self) -> Vec<own::Question<Self>> {
        let lost = |mail: &Self, (letters, known, sent): &MailState| {
            letters.is_empty() && known.len() == usize::from(mail.clients) && *sent + 1 < i32::from(mail.clients)
        };
        let all = |mail: &Self, (_, known, _): &MailState| {
            known.len() == usize::from(mail.clients) && known.values().all(|value| *value > 0)
        };
        vec![own::Question::never("lost", lost), own::Question::reachable("all know", all)]
    }
}

#[test]
fn states_hold_lists_maps_and_enums_with_fields() {
    let mail = Mail { clients: 3 };
    let mut seen: HashSet<MailState> = own::Model::initial(&mail).into_iter().collect();
    let mut open: Vec<MailState> = seen.iter().cloned().collect();
    while let Some(state) = open.pop() {
        own::Model::steps(&mail, &state, &mut |_, next| {
            if seen.insert(next.clone()) {
                open.push(next);
            }
        });
    }
    for jobs in [1, 2] {
        let problem = Problem::of_own(own::Typed::new(Mail { clients: 3 }));
        let outcome = check(&problem, &Options { jobs, explore_all: true, ..Options::default() });
        outcome.assert_holds("lost");
        assert_eq!(outcome.named("lost").expect("it is asked").stats.states, seen.len() as u64);
        let all = outcome.named("all know").expect("it is asked");
        assert_eq!(all.trace().and_then(Trace::len), Some(9));
        assert!(outcome.shown(all).contains("Ask { from: 2, about: -2 } arrives"), "{}", outcome.shown(all));
        outcome.assert_safe();
    }
}

/// A counter without end.
struct Endless;

impl own::Model for Endless {
    type State = u64;
    type Action = ();

    fn initial(&self) -> Vec<u64> {
        vec![0]
    }

    fn steps(&self, state: &u64, step: &mut dyn FnMut((), u64)) {
        step((), state + 1);
    }

    fn questions(&self) -> Vec<own::Question<Self>> {
        vec![own::Question::never("three", |_, n| *n == 3), own::Question::never("end", |_, n| *n == u64::MAX)]
    }
}

#[test]
fn a_failed_assertion_shows_the_run_or_the_reason() {
    let problem = Problem::of_own(own::Typed::new(Endless));
    let outcome = check(&problem, &Options::default().timeout(Duration::from_millis(300)));
    assert_eq!(outcome.assert_violated("three").trace().and_then(Trace::len), Some(3));
    let said = std::panic::catch_unwind(AssertUnwindSafe(|| outcome.assert_safe())).expect_err("nothing is safe here");
    let said = said.downcast_ref::<String>().expect("it says why");
    assert!(said.contains("`three` does not hold") && said.contains("3. (): state = 3"), "{said}");
    assert!(said.contains("`end` is unknown (timeout)"), "{said}");
}
