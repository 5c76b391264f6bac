//! Tests of traces: valid ones replay, damaged ones do not, and random ones do iff the brute force agrees.
//! Jumps over repetitions are exact.

use super::brute::{self, Rng};
use super::{check, rejected};
use crate::{Confirmed, Options, Refusal, confirm};
use model::{Claim, EventId, Goal, Problem, Program, Reason, Stop, Trace};
use std::sync::Arc;

fn claim(program: &Arc<Program>, goal: Goal, trace: Trace) -> Result<Confirmed, Refusal> {
    check(program, &Claim::Unsafe { goal, trace, candidate: true })
}

fn trace(start: &[u32], runs: &[(&[u32], u64)]) -> Trace {
    let mut trace = Trace::new(start.into());
    for (word, times) in runs {
        trace.push_repeat(word.iter().map(|&e| EventId(e)).collect(), *times);
    }
    trace
}

/// The program of numbers from the format's first example: event 1 at t = 1 mod 2 and t = 2 mod 3.
fn numbers() -> Arc<Program> {
    brute::program(2, vec![brute::clock("Half", 2, &[1]), brute::clock("Third", 3, &[2]), brute::marker()])
}

#[test]
fn a_valid_trace_is_confirmed() {
    let confirmed = claim(&numbers(), Goal::Bad, trace(&[0, 0, 0], &[(&[0], 5), (&[1], 1)])).unwrap();
    assert!(confirmed.verdict.is_unsafe() && !confirmed.verdict.is_safe());
    assert_eq!((confirmed.length, confirmed.goals), (6, vec![Goal::Bad]));
}

#[test]
fn each_damage_to_a_trace_is_named() {
    let p = numbers();
    rejected(claim(&p, Goal::Deadlock, trace(&[0, 0, 0], &[(&[0], 5), (&[1], 1)])), "of goal `bad`, not `deadlock`");
    rejected(claim(&p, Goal::Bad, trace(&[0, 0, 0], &[(&[0], 4), (&[1], 1)])), "blocked by `Half`");
    rejected(claim(&p, Goal::Bad, trace(&[0, 0, 0], &[(&[0], 5)])), "an event is enabled");
    rejected(claim(&p, Goal::Bad, trace(&[0, 0, 0], &[(&[0], 5), (&[1], 2)])), "the run ended before");
    rejected(claim(&p, Goal::Bad, trace(&[1, 0, 0], &[(&[0], 4), (&[1], 1)])), "not initial in `Half`");
    rejected(claim(&p, Goal::Bad, trace(&[0, 0], &[(&[0], 5), (&[1], 1)])), "which is not a state");
    rejected(claim(&p, Goal::Bad, trace(&[0, 9, 0], &[(&[0], 5), (&[1], 1)])), "which is not a state");
    rejected(claim(&p, Goal::Bad, trace(&[0, 0, 0], &[(&[0], 5), (&[7], 1)])), "unknown");
    rejected(claim(&p, Goal::Bad, trace(&[0, 0, 0], &[(&[0], 5), (&[7], 1 << 40)])), "unknown event");
    rejected(claim(&p, Goal::Bad, trace(&[0, 0, 0], &[(&[0], 1 << 62), (&[0, 1], 1 << 61)])), "the run ended before");
}

#[test]
fn events_that_no_thread_requests_are_refused() {
    let idle = brute::thread("Idle", &[0], vec![brute::local("s", 2, &[0], &[], &[])]);
    let p = brute::program(2, vec![idle, brute::marker()]);
    rejected(claim(&p, Goal::Bad, trace(&[0, 0], &[(&[1], 1)])), "no thread requests");
}

#[test]
fn choices_must_be_recorded_and_right() {
    let fork = brute::thread(
        "Fork",
        &[0],
        vec![
            brute::local("s", 2, &[0], &[1], &[(0, &[1, 2])]),
            brute::local("t", 2, &[1], &[], &[]),
            brute::local("u", 2, &[0], &[], &[]),
        ],
    );
    let p = brute::program(2, vec![fork, brute::marker()]);
    let with = |choice: Option<&[u32]>| {
        let mut trace = Trace::new([0, 0].into());
        trace.push(EventId(0), choice.map(Into::into));
        trace.push(EventId(1), None);
        claim(&p, Goal::Bad, trace)
    };
    assert!(with(Some(&[1, 0])).is_ok());
    rejected(with(None), "does not record the target");
    rejected(with(Some(&[2, 0])), "no thread requests");
    rejected(with(Some(&[0, 0])), "`Fork` cannot go there");
    rejected(with(Some(&[1, 1])), "`Marker` cannot go there");
    rejected(with(Some(&[1])), "is not a state");
    rejected(with(Some(&[1, 0, 0])), "is not a state");
    rejected(with(Some(&[7, 0])), "is not a state");
    // A repetition would need the same choice each time, so it must be written out.
    rejected(claim(&p, Goal::Bad, trace(&[0, 0], &[(&[0], 2), (&[1], 1)])), "does not record the target");
}

#[test]
fn an_initial_goal_state_needs_no_event() {
    let p = brute::program(2, vec![brute::thread("Stuck", &[0], vec![brute::local("s", 2, &[], &[], &[])])]);
    let confirmed = claim(&p, Goal::Deadlock, trace(&[0], &[])).unwrap();
    assert_eq!(confirmed.length, 0);
    rejected(claim(&p, Goal::Bad, trace(&[0], &[])), "of goal `deadlock`, not `bad`");
    for p in [brute::program(0, vec![]), brute::program(3, vec![])] {
        assert!(claim(&p, Goal::Deadlock, trace(&[], &[])).is_ok());
        assert!(claim(&p, Goal::Bad, trace(&[], &[])).is_err());
    }
}

#[test]
fn goals_must_be_asked_for() {
    let p = numbers();
    let problem = Problem::of_program_with(p, &[Goal::Deadlock]).expect("goals of programs");
    let trace = trace(&[0, 0, 0], &[(&[0], 5), (&[1], 1)]);
    let claim = Claim::Unsafe { goal: Goal::Bad, trace, candidate: false };
    rejected(confirm(&problem, &claim, &Options::default(), &Stop::default()), "not asked for");
    let unknown = Claim::Unknown { goals: vec![Goal::Deadlock], reason: Reason::GaveUp };
    let refusal = confirm(&problem, &unknown, &Options::default(), &Stop::default());
    assert!(matches!(refusal, Err(Refusal::Unknown(_))));
}

#[test]
fn a_thousand_billion_steps_take_no_time() {
    let times = 1_000_000_000_001u64;
    let p = numbers();
    assert_eq!(times % 6, 5);
    let confirmed = claim(&p, Goal::Bad, trace(&[0, 0, 0], &[(&[0], times), (&[1], 1)])).unwrap();
    assert_eq!(confirmed.length, times + 1);
    assert!(confirmed.replayed < 100);
    rejected(claim(&p, Goal::Bad, trace(&[0, 0, 0], &[(&[0], times + 1), (&[1], 1)])), "blocked");
}

/// With these periods the composite state repeats only after 9,699,690 events, so the jump must use the tables.
#[test]
fn tables_jump_where_cycles_are_too_long() {
    let periods = [2, 3, 5, 7, 11, 13, 17, 19];
    let mut threads: Vec<_> = periods.iter().map(|&n| brute::clock(&format!("C{n}"), n, &[n - 1])).collect();
    threads.push(brute::marker());
    let p = brute::program(2, threads);
    let start = [0; 9];
    let confirmed = claim(&p, Goal::Bad, trace(&start, &[(&[0], 9_699_689), (&[1], 1)])).unwrap();
    assert!(confirmed.replayed < 100);
    let odd = claim(&p, Goal::Bad, trace(&start, &[(&[0], 9_699_690 * 100_000_000 - 1), (&[1], 1)])).unwrap();
    assert!(odd.replayed < 100);
    rejected(claim(&p, Goal::Bad, trace(&start, &[(&[0], 9_699_688), (&[1], 1)])), "blocked");
}

/// No single thread requests event 0 at every pass, so the tables do not suffice. The composite cycle of 6
/// suffices, and is exact.
#[test]
fn composite_cycles_jump_where_requests_take_turns() {
    let turn = |name: &str, on: u32| {
        let state = |k: u32| {
            let next = [1 - k];
            let request: &[u32] = if k == on { &[0] } else { &[] };
            brute::local(&format!("s{k}"), 2, request, &[], &[(0, &next)])
        };
        brute::thread(name, &[0], vec![state(0), state(1)])
    };
    let mut third = brute::clock("Third", 3, &[2]);
    third.states.iter_mut().for_each(|s| s.request.remove(EventId(0)));
    let p = brute::program(2, vec![turn("Even", 0), turn("Odd", 1), third, brute::marker()]);
    for base in [2, 599_999_999_999] {
        for times in base..base + 100 {
            let result = claim(&p, Goal::Bad, trace(&[0; 4], &[(&[0], times), (&[1], 1)]));
            if times % 3 == 2 {
                assert!(result.unwrap().replayed < 50, "{times}");
            } else {
                rejected(result, "blocked by `Third`");
            }
        }
    }
}

/// If a thread has a choice in a repetition, no table may choose for it.
#[test]
fn jumps_leave_no_choice_out() {
    let state = |name| brute::local(name, 2, &[0, 1], &[], &[(0, &[0, 1])]);
    let fork = brute::thread("Fork", &[0], vec![state("s"), state("t")]);
    let p = brute::program(2, vec![fork, brute::marker()]);
    for times in [1, 3, 1000, 1 << 40] {
        let result = claim(&p, Goal::Bad, trace(&[0, 0], &[(&[0], times), (&[1], 1)]));
        rejected(result, "does not record the target of `Fork`");
    }
}

/// A clock that stops: the repetition runs into the state that blocks everything, and not beyond it.
#[test]
fn jumps_stop_where_a_clock_stops() {
    let states = (0..50).map(|k| {
        let next = [(k + 1).min(49)];
        let block: &[u32] = if k == 49 { &[0, 1] } else { &[] };
        brute::local(&format!("s{k}"), 2, &[0], block, &[(0, &next)])
    });
    let p = brute::program(2, vec![brute::thread("Stops", &[0], states.collect()), brute::clock("C", 2, &[])]);
    assert!(claim(&p, Goal::Deadlock, trace(&[0, 0], &[(&[0], 49)])).is_ok());
    rejected(claim(&p, Goal::Deadlock, trace(&[0, 0], &[(&[0], 48)])), "an event is enabled");
    rejected(claim(&p, Goal::Deadlock, trace(&[0, 0], &[(&[0], 1 << 50)])), "the run ended before");
}

#[test]
fn limits_end_long_replays() {
    let p = numbers();
    let problem = Problem::of_program(p);
    let claim = || Claim::Unsafe { goal: Goal::Bad, trace: trace(&[0, 0, 0], &[(&[0, 0], 1 << 40)]), candidate: true };
    let options = Options { max_steps: 5, ..Options::default() };
    assert_eq!(confirm(&problem, &claim(), &options, &Stop::default()), Err(Refusal::ResourceLimit));
    let stop = Stop::default();
    stop.raise(Reason::Timeout);
    assert_eq!(confirm(&problem, &claim(), &Options::default(), &stop), Err(Refusal::ResourceLimit));
}

/// Random traces, half random walks and half noise, with repetitions and choices. They are confirmed iff the
/// reference says that the run exists and ends in the goal.
#[test]
fn random_traces_agree_with_brute_force() {
    let mut rng = Rng(1);
    let mut confirmed = 0;
    for _ in 0..6000 {
        let p = if rng.one_in(2) { brute::random_lockstep(&mut rng) } else { brute::random_program(&mut rng) };
        let (trace, spelled) = random_trace(&mut rng, &p);
        for goal in [Goal::Bad, Goal::Deadlock] {
            let expected = spelled.as_ref().is_some_and(|last| brute::goal(&p, last) == Some(goal));
            let got = claim(&p, goal, trace.clone());
            assert_eq!(got.is_ok(), expected, "{p:#?}\n{trace:?}\n{got:?}");
            confirmed += usize::from(expected);
        }
    }
    assert!(confirmed > 500, "only {confirmed} traces were good: the generator is too weak");
}

/// A trace, and the state it leads to if it is a run.
fn random_trace(rng: &mut Rng, p: &Program) -> (Trace, Option<Vec<u32>>) {
    let starts = brute::initial(p);
    let start = starts[rng.below(starts.len())].clone();
    let mut trace = Trace::new(start.clone().into());
    let mut state = Some(start);
    for _ in 0..rng.below(8) {
        let open = state.as_ref().map(|s| brute::enabled(p, s)).unwrap_or_default();
        let event = if open.is_empty() || rng.one_in(20) {
            if !rng.one_in(4) {
                break;
            }
            EventId::new(rng.below(p.events().len()))
        } else {
            open[rng.below(open.len())]
        };
        let targets = state.as_ref().filter(|_| open.contains(&event)).map(|s| brute::targets(p, s, event));
        let targets = targets.unwrap_or_default();
        if targets.len() <= 1 && rng.one_in(2) {
            let times = 1 + rng.below(60) as u64;
            let word: Vec<EventId> =
                (0..1 + rng.below(2)).map(|i| EventId::new((event.index() + i) % p.events().len())).collect();
            trace.push_repeat(word.clone(), times);
            for _ in 0..times {
                for &e in &word {
                    state = state.and_then(|s| only_step(p, &s, e));
                }
            }
        } else if targets.len() > 1 && !rng.one_in(30) {
            let to = targets[rng.below(targets.len())].clone();
            trace.push(event, Some(to.clone().into()));
            state = Some(to);
        } else {
            trace.push(event, None);
            state = state.and_then(|s| only_step(p, &s, event));
        }
    }
    (trace, state)
}

fn only_step(p: &Program, state: &[u32], event: EventId) -> Option<Vec<u32>> {
    let mut targets = brute::targets(p, state, event);
    (brute::enabled(p, state).contains(&event) && targets.len() == 1).then(|| targets.remove(0))
}
