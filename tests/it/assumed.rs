//! Programs with assumptions about violating runs, against an oracle that tries all lengths of runs one by one.

use impasse::formats::{Limits, Source};
use impasse::model::{Assumption, Constant, EventId, Goal, IntAtom, LocalId, Problem, Program, Stop, ThreadId, Trace};
use impasse::{Answer, Options, certify, check, engines, evidence};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use testkit::Random;
use testkit::program::{State, goal as goal_of, initial, program, program_with_ends, successors};

/// Programs with more states at one length are skipped.
const MOST_STATES: usize = 200;

/// True if there is a run into `goal` that satisfies all assumptions. The end states of runs of n events are
/// computed for n = 0, 1, ... From length `far` on, a repetition of these states with the same n modulo
/// `modulus` ends the search. `None` if the program is too large.
fn truth(program: &Program, goal: Goal, assumptions: &[Assumption], far: u64, modulus: u64) -> Option<bool> {
    let mut states: BTreeSet<State> = initial(program).into_iter().collect();
    let mut seen = BTreeSet::new();
    for length in 0.. {
        if states.len() > MOST_STATES || seen.len() > 2_000 {
            return None;
        }
        if length >= far && !seen.insert((states.clone(), length % modulus)) {
            return Some(false);
        }
        let mut next = BTreeSet::new();
        for state in &states {
            if goal_of(program, state) == Some(goal) && assumptions.iter().all(|a| a.holds(length, state)) {
                return Some(true);
            }
            next.extend(successors(program, state).into_iter().map(|(_, to)| to));
        }
        states = next;
    }
    None
}

/// Returns random assumptions, and two numbers: the length `far` and the modulus. From length `far` on, whether
/// the assumptions hold depends on the remainder of the length modulo this modulus.
fn assume(random: &mut Random, program: &Program) -> (Vec<Assumption>, u64, u64) {
    let (mut far, mut modulus) = (0, 1);
    let mut atom = |random: &mut Random| {
        let n = random.below(9) as u64;
        far = far.max(n + 1);
        let m = [2, 3, 4, 6][random.below(4)];
        match random.below(4) {
            0 => IntAtom::equals(Constant::RunLength, n),
            1 => IntAtom::at_least(Constant::RunLength, n),
            2 => IntAtom::at_most(Constant::RunLength, n),
            _ => {
                modulus = 12;
                IntAtom::congruent(Constant::RunLength, n % m, m)
            }
        }
    };
    let mut assumptions: Vec<Assumption> = Vec::new();
    for _ in 0..random.between(1, 2) {
        assumptions.push(Assumption::Int((0..random.between(1, 2)).map(|_| atom(random)).collect()));
    }
    if random.chance(30) {
        let thread = random.below(program.threads().len());
        let count = program.threads()[thread].states.len();
        let states = (0..count).filter(|_| random.chance(60)).map(LocalId::new).collect();
        assumptions.push(Assumption::Final { thread: ThreadId::new(thread), states });
    }
    (assumptions, far, modulus)
}

/// The evidence of an answer is written and read back, and is still accepted.
fn comes_back(problem: &Problem, answer: &Answer) {
    let claim = answer.claim.as_ref().expect("an answer has evidence");
    let mut bytes = Vec::new();
    evidence::write("p", problem, claim, &mut bytes).expect("it can be written");
    let source = Source { name: "p.json".to_owned(), bytes };
    let read = evidence::read(&source, problem, &Limits::default()).expect("it can be read");
    certify::confirm(problem, &read, &certify::Options::default(), &Stop::default()).expect("it is accepted");
}

#[test]
fn assumptions_leave_nothing_open() {
    let mut counts: BTreeMap<(bool, bool), u32> = BTreeMap::new();
    for seed in 0..400 {
        // Every third program has final states.
        let make = if seed % 3 == 2 { program_with_ends } else { program };
        let program = Arc::new(make(seed));
        let random = &mut Random::new(seed);
        let (assumptions, far, modulus) = assume(random, &program);
        let problem = Problem::of_program_with(program, &[Goal::Bad, Goal::Deadlock])
            .expect("goals of programs")
            .assuming(assumptions)
            .expect("it fits");
        for engine in [Some(&engines::EXPLICIT), None] {
            let outcome = check(&problem, &Options { engine, ..Options::default() });
            for answer in &outcome.answers {
                let goal = answer.property.goal;
                let Some(expected) =
                    truth(problem.system().as_program().expect("a program"), goal, problem.assumptions(), far, modulus)
                else {
                    continue;
                };
                let found = (answer.is_safe(), answer.is_unsafe());
                assert_eq!(found, (!expected, expected), "seed {seed}, {goal}, {engine:?}: {:?}", answer.finding);
                comes_back(&problem, answer);
                *counts.entry((engine == Some(&engines::EXPLICIT), expected)).or_default() += 1;
            }
        }
    }
    assert!(counts.len() == 4 && counts.values().all(|n| *n > 50), "{counts:?}");
}

/// A program with one event that repeats. A run may end with any of its occurrences.
fn any_length(assumed: Vec<IntAtom>) -> Problem {
    let text = "rwb 1 event a check bad thread T { state s { request a on a -> s | t } state t { bad } }";
    let problem = impasse::read_rwb(text).expect("a program");
    problem.assuming(vec![Assumption::Int(assumed)]).expect("it fits")
}

fn explicit(problem: &Problem) -> Answer {
    let mut outcome = check(problem, &Options { engine: Some(&engines::EXPLICIT), ..Options::default() });
    outcome.answers.remove(0)
}

/// With `assume length == 3`, a search that visits each state only once finds no answer for this thread of two
/// states.
#[test]
fn a_state_is_met_again_at_a_length_that_is_asked_about() {
    for n in [1, 2, 3, 100, 5_000] {
        let problem = any_length(vec![IntAtom::equals(Constant::RunLength, n)]);
        let answer = explicit(&problem);
        assert!(answer.is_unsafe(), "{n}: {:?}", answer.finding);
        comes_back(&problem, &answer);
    }
    assert!(explicit(&any_length(vec![IntAtom::equals(Constant::RunLength, 0)])).is_safe());
    assert!(explicit(&any_length(vec![IntAtom::congruent(Constant::RunLength, 6, 7)])).is_unsafe());
}

/// Assumptions about lengths that are too large to count are decided if runs do not become that long.
#[test]
fn assumptions_may_look_further_than_runs_get() {
    let far = IntAtom::at_least(Constant::RunLength, 1 << 40);
    let text = "rwb 1 event a check bad thread T { state s { request a on a -> t } state t { bad } }";
    let ends = impasse::read_rwb(text).expect("a program");
    let ends = ends.assuming(vec![Assumption::Int(vec![far.clone()])]).expect("it fits");
    let answer = explicit(&ends);
    assert!(answer.is_safe(), "{:?}", answer.finding);
    comes_back(&ends, &answer);
    let endless = explicit(&any_length(vec![far]));
    assert!(!endless.is_safe() && !endless.is_unsafe());
}

/// A set of states with too small a counter of lengths is refused.
#[test]
fn evidence_counts_lengths_as_far_as_the_model_assumes() {
    let three = any_length(vec![IntAtom::equals(Constant::RunLength, 0)]);
    let answer = explicit(&three);
    assert!(answer.is_safe());
    let claim = answer.claim.as_ref().expect("an answer has evidence");
    let confirm = |problem: &Problem| {
        certify::confirm(problem, claim, &certify::Options::default(), &Stop::default()).map(|_| ())
    };
    confirm(&three).expect("it is accepted");
    for other in [
        IntAtom::equals(Constant::RunLength, 1),
        IntAtom::at_least(Constant::RunLength, 2),
        IntAtom::at_most(Constant::RunLength, 1),
        IntAtom::congruent(Constant::RunLength, 1, 2),
    ] {
        assert!(confirm(&any_length(vec![other.clone()])).is_err(), "{other:?}");
    }
    let trace = |events: u64| {
        let mut trace = Trace::new(Box::from([0]));
        (1..events).for_each(|_| trace.push(EventId(0), Some(Box::from([0]))));
        trace.push(EventId(0), Some(Box::from([1])));
        trace
    };
    let run = |n| impasse::model::Claim::Unsafe { goal: Goal::Bad, trace: trace(n), candidate: false };
    let problem = any_length(vec![IntAtom::equals(Constant::RunLength, 3)]);
    let check = |n| certify::confirm(&problem, &run(n), &certify::Options::default(), &Stop::default()).is_ok();
    assert!(check(3) && !check(2) && !check(4));
}
