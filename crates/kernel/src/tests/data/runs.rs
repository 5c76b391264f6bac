//! Runs, against the oracle, and damaged ones.

use super::{
    Build, Known, Oracle, arg, at_least, at_most, counter, go, input, levels, program, random, remainders, slots, var,
    words,
};
use crate::data::{DataState, Invariant, Obligation, Runs, replay};
use crate::tests::Rng;
use crate::trace::Semantics;
use crate::{Check, Refusal, Work};
use model::data::{Constraint, DataProgram, Decision, Linear, LocationKind};
use model::{DecisionId, EventId, Goal, Stop, Trace};
use num_bigint::BigInt;
use std::collections::{BTreeMap, BTreeSet};

fn replayed(program: &DataProgram, start: &[i64], steps: &[(u32, &[i64])], goal: Goal) -> Check<(u64, u64)> {
    let mut trace = Trace::new(slots(start));
    for (event, choice) in steps {
        trace.push(EventId(*event), (!choice.is_empty()).then(|| slots(choice)));
    }
    let stop = Stop::default();
    replay(program, &trace, goal, &mut Work::new(1 << 30, &stop))
}

#[track_caller]
fn rejected<T: std::fmt::Debug>(result: Check<T>, reason: &str) {
    match result {
        Err(Refusal::Rejected(why)) => assert!(why.contains(reason), "rejected for another reason: {why}"),
        other => panic!("expected a rejection ({reason}), got {other:?}"),
    }
}

#[test]
fn a_counter_is_bounded_by_a_block() {
    let tick: (u32, &[i64]) = (0, &[]);
    assert_eq!(replayed(&counter(4), &[], &[tick; 4], Goal::Bad), Ok((4, 4)));
    rejected(replayed(&counter(4), &[], &[tick; 3], Goal::Bad), "no thread is at a bad location");
    rejected(replayed(&counter(4), &[], &[tick; 5], Goal::Bad), "has no steps");
    rejected(replayed(&counter(4), &[], &[tick; 4], Goal::Deadlock), "is not a deadlock");
    rejected(replayed(&counter(3), &[], &[tick; 4], Goal::Bad), "`bounds` blocks `e0(`");
    assert_eq!(replayed(&counter(3), &[], &[tick; 3], Goal::Deadlock), Ok((3, 3)));
    rejected(replayed(&counter(3), &[], &[tick; 2], Goal::Deadlock), "`e0(` is possible");
    rejected(replayed(&counter(3), &[], &[tick; 3], Goal::Output(model::OutputId(0))), "has no goal");
    rejected(replayed(&counter(3), &[0], &[tick; 3], Goal::Deadlock), "more choices than there are");
    rejected(replayed(&counter(3), &[], &[(0, &[0])], Goal::Deadlock), "more choices than there are");
    rejected(replayed(&counter(3), &[], &[(1, &[])], Goal::Deadlock), "there is no event number 1");
    let stop = Stop::default();
    let mut trace = Trace::new(slots(&[]));
    trace.push_repeat(vec![EventId(0)], 4);
    assert_eq!(replay(&counter(4), &trace, Goal::Bad, &mut Work::new(1 << 20, &stop)), Ok((4, 4)));
    assert_eq!(replay(&counter(4), &trace, Goal::Bad, &mut Work::new(20, &stop)), Err(Refusal::ResourceLimit));
    trace.push_repeat(vec![EventId(0)], 1 << 60);
    assert!(replay(&counter(1 << 61), &trace, Goal::Bad, &mut Work::new(1 << 16, &stop)).is_err());
}

#[test]
fn events_have_arguments() {
    assert_eq!(replayed(&levels(-5), &[], &[(0, &[-3]), (0, &[-1])], Goal::Bad).unwrap_err(), {
        Refusal::Rejected("event number 2: a state with a bad location has no steps".to_owned())
    });
    assert_eq!(replayed(&levels(-5), &[], &[(0, &[-3])], Goal::Bad), Ok((1, 1)));
    rejected(replayed(&levels(0), &[], &[(0, &[0])], Goal::Bad), "no thread requests `e0(0,`");
    rejected(replayed(&levels(0), &[], &[(0, &[])], Goal::Bad), "the trace records fewer choices than there are");
    rejected(replayed(&levels(0), &[], &[(0, &[i64::MAX])], Goal::Deadlock), "is possible");
    rejected(replayed(&levels(0), &[], &[(0, &[5, 6])], Goal::Bad), "more choices");
}

#[test]
fn divisions_and_draws() {
    let program = remainders();
    let to = |start: i64, steps: &[(u32, &[i64])]| {
        let (stop, mut runs) = (Stop::default(), Runs::new(&program));
        let mut work = Work::new(1 << 20, &stop);
        let mut state = runs.start(&slots(&[start]), &mut work)?;
        for (event, choice) in steps {
            runs.step(&mut state, *event, Some(&slots(choice)), &mut work)?;
        }
        Ok(state)
    };
    let values = |state: Check<DataState>| state.map(|state| state.values()[0].clone());
    assert_eq!(values(to(-7, &[(0, &[0])])), Ok(2.into()));
    assert_eq!(values(to(8, &[(0, &[0])])), Ok(2.into()));
    assert_eq!(values(to(8, &[(0, &[1])])), Ok(1.into()));
    assert_eq!(values(to(i64::MIN, &[])), Ok(i64::MIN.into()));
    rejected(to(8, &[(0, &[2])]), "a choice that does not exist");
    rejected(to(8, &[(0, &[-1])]), "a choice that does not exist");
    rejected(to(8, &[(0, &[])]), "the trace records fewer choices than there are");
    rejected(to(8, &[(1, &[])]), "no thread requests");
    let stuck = replayed(&program, &[5], &[(0, &[0]), (2, &[])], Goal::Deadlock);
    rejected(stuck, "all threads may end here");
    rejected(replayed(&program, &[5], &[], Goal::Deadlock), "`e0(` is possible");
    let odd = Runs::new(&program).start(&[1, 2, 3], &mut Work::new(1 << 20, &Stop::default()));
    rejected(odd, "more choices");
}

fn known(state: &DataState) -> Known {
    let values = state.values().iter().map(|value| i64::try_from(value).unwrap());
    (state.locations().iter().map(|at| at.0).collect(), values.collect())
}

/// Compares all steps with up to three numbers from a small domain, in states near the start.
#[test]
fn steps_are_those_of_the_definition() {
    let (mut accepted, mut refused) = (0, 0);
    let letters: Vec<i64> = (-1..=2).collect();
    let choices: Vec<Vec<i64>> = (0..=3).flat_map(|length| words(&letters, length)).collect();
    for seed in 0..testkit::count(1000) {
        let program = random::random(&mut Rng(seed));
        let oracle = Oracle { program: &program, domain: -1..=2 };
        let (stop, mut runs) = (Stop::default(), Runs::new(&program));
        let mut work = Work::new(1 << 40, &stop);
        let initial: BTreeMap<Vec<i64>, Known> = oracle.initial().into_iter().collect();
        let mut open: Vec<DataState> = Vec::new();
        for choice in &choices {
            let started = runs.start(&slots(choice), &mut work).ok();
            assert_eq!(started.as_ref().map(known).as_ref(), initial.get(choice), "seed {seed}");
            open.extend(started);
        }
        let mut seen = BTreeSet::new();
        while let Some(state) = open.pop().filter(|_| seen.len() < 20) {
            if !seen.insert(known(&state)) {
                continue;
            }
            let steps = oracle.steps(&known(&state)).into_iter();
            let steps: BTreeMap<(u32, Vec<i64>), Known> =
                steps.map(|(event, choice, to)| ((event, choice), to)).collect();
            for (event, choice) in (0..3).flat_map(|event| choices.iter().map(move |choice| (event, choice))) {
                let mut next = state.clone();
                let taken = runs.step(&mut next, event, Some(&slots(choice)), &mut work);
                let expected = steps.get(&(event, choice.clone()));
                assert_eq!(taken.is_ok().then(|| known(&next)).as_ref(), expected, "seed {seed} {choice:?}");
                if taken.is_ok() {
                    accepted += 1;
                    open.push(next);
                } else {
                    refused += 1;
                    assert!(next == state, "a refused step changes nothing");
                }
            }
        }
    }
    assert!(accepted * 200 > refused && accepted > 500, "{accepted} {refused}");
}

/// Compares the decision whether a state is a deadlock with arguments and draws from a domain that has all
/// breakpoints.
#[test]
fn deadlocks_are_those_of_the_definition() {
    let mut counts = BTreeMap::new();
    for seed in 0..testkit::count(3000) {
        let program = random::random(&mut Rng(seed));
        let small = Oracle { program: &program, domain: -1..=2 };
        let large = Oracle { program: &program, domain: -13..=13 };
        let (stop, mut runs) = (Stop::default(), Runs::new(&program));
        let mut work = Work::new(1 << 40, &stop);
        let mut open: Vec<DataState> =
            small.initial().iter().map(|(draws, _)| runs.start(&slots(draws), &mut work).unwrap()).collect();
        let mut seen = BTreeSet::new();
        while let Some(state) = open.pop().filter(|_| seen.len() < 6) {
            let here = known(&state);
            if here.1.iter().any(|value| value.abs() > 3) || !seen.insert(here.clone()) {
                continue;
            }
            for (event, choice, _) in small.steps(&here) {
                let mut next = state.clone();
                runs.step(&mut next, event, Some(&slots(&choice)), &mut work).unwrap();
                open.push(next);
            }
            let is_stuck = large.steps(&here).is_empty() && !large.is_bad(&here) && !large.is_proper_end(&here);
            let answer = match runs.reached(&state, Goal::Deadlock, &mut work) {
                Ok(()) => Some(true),
                Err(Refusal::Rejected(_)) => Some(false),
                Err(other) => {
                    assert!(matches!(other, Refusal::Unknown(_)), "{other}");
                    assert!((0..2).any(|event| random::is_hard(&program, EventId(event))), "seed {seed}: {other}");
                    None
                }
            };
            assert!(answer.is_none_or(|answer| answer == is_stuck), "seed {seed} {here:?} {answer:?}");
            *counts.entry((answer, is_stuck)).or_insert(0) += 1;
        }
    }
    let is_seen = |answer: bool| counts.get(&(Some(answer), answer)).is_some_and(|count| *count > 20);
    assert!(is_seen(true) && is_seen(false), "{counts:?}");
}

/// A program of one thread, with this decision about an event of this arity. The initial value of v0 is 6.
fn single(arity: usize, decision: impl Fn(&mut Build) -> DecisionId) -> DataProgram {
    let mut build = Build::default();
    let initial = build.end(false, false, go(0, &[(0, super::number(6))]));
    let decision = decision(&mut build);
    build.location(LocationKind::Plain, &[(0, decision)]);
    program(&[0], &[arity], vec![build.thread("single", initial)])
}

/// A test: the event is requested if the constraint holds.
fn requested_if(build: &mut Build, constraint: Constraint, go: super::Go) -> DecisionId {
    let yes = build.end(true, false, go);
    let no = build.end(false, false, None);
    build.test(constraint, yes, no)
}

#[test]
fn deadlocks_with_several_arguments() {
    let stuck = |program: &DataProgram| replayed(program, &[], &[], Goal::Deadlock);
    let unknown = |program: &DataProgram| match stuck(program) {
        Err(Refusal::Unknown(why)) => assert!(why.contains("no rule for deadlocks decides"), "{why}"),
        other => panic!("{other:?}"),
    };
    let two = |first: Constraint, second: Constraint| {
        single(2, |build| {
            let inner = requested_if(build, second.clone(), None);
            let no = build.end(false, false, None);
            build.test(first.clone(), inner, no)
        })
    };
    rejected(stuck(&two(at_least(&arg(0), 3), at_most(&arg(1), -4))), "`e0(3,-4,` is possible");
    assert_eq!(stuck(&two(at_least(&arg(0), 3), at_most(&arg(0), 2))), Ok((0, 0)));
    rejected(stuck(&two(at_least(&arg(0), 3), at_most(&arg(0), 3))), "`e0(3,0,` is possible");
    let less = Constraint::at_most(&arg(0), &arg(1));
    unknown(&two(at_least(&arg(0), 3), less.clone()));
    assert_eq!(stuck(&two(at_most(&var(0), 5), less.clone())), Ok((0, 0)), "the second test is not reached");
    // The first argument has but one value.
    let between = |inner: Constraint| {
        single(2, |build| {
            let inner = requested_if(build, inner.clone(), None);
            let no = build.end(false, false, None);
            let least = build.test(Constraint::at_most(&var(0), &arg(0)), inner, no);
            build.test(Constraint::at_most(&arg(0), &var(0)), least, no)
        })
    };
    rejected(stuck(&between(less)), "`e0(6,6,` is possible");
    assert_eq!(stuck(&between(at_most(&arg(0), 5))), Ok((0, 0)));
    // No thread requests the event, so its tests do not matter.
    let waited = single(2, |build| {
        let yes = build.end(false, true, None);
        let no = build.end(false, false, go(0, &[]));
        build.test(Constraint::at_most(&arg(0), &arg(1)), yes, no)
    });
    assert_eq!(stuck(&waited), Ok((0, 0)));
}

#[test]
fn deadlocks_with_divisions_and_inputs() {
    let stuck = |program: &DataProgram| replayed(program, &[], &[], Goal::Deadlock);
    let divide = |term: Linear, constraint: Constraint| {
        single(1, |build| {
            let then = requested_if(build, constraint.clone(), go(0, &[(0, input(0, 0))]));
            build.add(Decision::Divide { term: term.clone(), by: 4.into(), quotient: 0, then })
        })
    };
    assert_eq!(stuck(&divide(var(0), at_most(&input(0, 1), 1))), Ok((0, 0)), "6 modulo 4 is 2");
    rejected(stuck(&divide(var(0), at_most(&input(0, 0), 1))), "is possible");
    assert!(matches!(stuck(&divide(arg(0), at_most(&input(0, 1), 1))), Err(Refusal::Unknown(_))));
    assert_eq!(stuck(&divide(arg(0), at_most(&var(0), 5))), Ok((0, 0)), "no test is about the quotient");
    let any = |low: i64, high: i64| {
        single(0, |build| {
            let inner = requested_if(build, at_least(&input(0, 0), low), None);
            let no = build.end(false, false, None);
            let then = build.test(at_most(&input(0, 0), high), inner, no);
            build.add(Decision::Any { input: 0, then })
        })
    };
    assert_eq!(stuck(&any(3, 2)), Ok((0, 0)));
    rejected(stuck(&any(3, 3)), "is possible");
}

/// Programs that `DataProgram::new` accepts, and evidence that is too large.
#[test]
fn hostile_programs_have_no_evidence() {
    let undefined = single(0, |build| requested_if(build, at_most(&input(0, 0), 0), None));
    rejected(replayed(&undefined, &[], &[(0, &[])], Goal::Bad), "i0.0 before it is defined");
    rejected(replayed(&undefined, &[], &[], Goal::Deadlock), "i0.0 before it is defined");
    let update = single(0, |build| build.end(true, false, go(0, &[(0, input(0, 0))])));
    rejected(replayed(&update, &[], &[(0, &[])], Goal::Bad), "i0.0 before it is defined");
    let last = single(0, |build| {
        let then = build.end(true, false, None);
        build.add(Decision::Divide { term: var(0), by: 2.into(), quotient: u32::MAX, then })
    });
    rejected(replayed(&last, &[], &[(0, &[])], Goal::Bad), "the number of an input is too large");
    let stop = Stop::default();
    let mut work = Work::new(1 << 20, &stop);
    let controls = [super::proofs::control(&[0], &[])];
    for program in [&undefined, &last] {
        let invariant = Invariant::new(program, &[Goal::Bad], &controls, &mut work).unwrap();
        assert!(invariant.open(Obligation::Event(0, EventId(0)), &mut work).is_err());
    }
    // Each step makes the number longer by many words.
    let factor = BigInt::from(1) << 6400;
    let growing = single(0, |build| build.end(true, false, go(0, &[(0, var(0).scaled(&factor))])));
    let mut trace = Trace::new(slots(&[]));
    trace.push_repeat(vec![EventId(0)], 1 << 40);
    assert_eq!(replay(&growing, &trace, Goal::Bad, &mut Work::new(1 << 26, &stop)), Err(Refusal::ResourceLimit));
    let limited = Stop::with_memory_limit(1 << 20, || (1 << 20) - 4096);
    let mut work = Work::new(1 << 30, &limited);
    assert_eq!(replay(&growing, &trace, Goal::Bad, &mut work), Err(Refusal::ResourceLimit));
    // Each choice doubles the number of ways.
    let doubling = single(1, |build| {
        let mut at = build.end(false, false, None);
        let request = build.end(true, false, None);
        at = build.test(Constraint::at_most(&var(0), &super::number(5)), request, at);
        for _ in 0..200 {
            at = build.add(Decision::Choose(vec![at, at]));
        }
        at
    });
    let mut work = Work::new(1 << 20, &stop);
    let empty = Trace::new(slots(&[]));
    assert_eq!(replay(&doubling, &empty, Goal::Deadlock, &mut work), Err(Refusal::ResourceLimit));
}
