//! Every kind of run finds the violations made for it, every claim is a run, and a seed determines the run.

use super::*;
use model::{EventId, EventSet, LocalId, LocalState, Stop, Thread};
use std::collections::BTreeMap;

/// A state: requested events, blocked events, and the targets for each event.
type State<'a> = (&'a [usize], &'a [usize], &'a [(usize, &'a [usize])]);

fn thread(name: String, events: usize, states: &[State<'_>]) -> Thread {
    let set = |of: &[usize]| EventSet::from_events(events, of.iter().map(|e| EventId::new(*e)));
    let state = |(i, &(request, block, on)): (usize, &State<'_>)| LocalState {
        name: format!("s{i}"),
        request: set(request),
        block: set(block),
        bad: false,
        on: on.iter().map(|(e, to)| (EventId::new(*e), to.iter().map(|s| LocalId::new(*s)).collect())).collect(),
    };
    Thread { name, states: states.iter().enumerate().map(state).collect(), initial: vec![LocalId::new(0)] }
}

/// All philosophers take the left stick first, then the right one.
fn philosophers(n: usize) -> Program {
    let (left, right, down) = (|i: usize| 3 * i, |i: usize| 3 * i + 1, |i: usize| 3 * i + 2);
    let events = 3 * n;
    let mut threads = Vec::new();
    for i in 0..n {
        let before = (i + n - 1) % n;
        threads.push(thread(
            format!("phil{i}"),
            events,
            &[
                (&[left(i)], &[], &[(left(i), &[1])]),
                (&[right(i)], &[], &[(right(i), &[2])]),
                (&[down(i)], &[], &[(down(i), &[0])]),
            ],
        ));
        threads.push(thread(
            format!("stick{i}"),
            events,
            &[
                (&[], &[], &[(left(i), &[1]), (right(before), &[1])]),
                (&[], &[left(i), right(before)], &[(down(i), &[0]), (down(before), &[0])]),
            ],
        ));
    }
    Program::new((0..events).map(|e| format!("e{e}")).collect(), threads, vec![Goal::Deadlock]).expect("a program")
}

/// A counter with one event that counts up and one that resets to zero. The state after the last step up is
/// bad.
fn staircase(steps: usize) -> Program {
    let up = |i: usize| -> Vec<(usize, Vec<usize>)> { vec![(0, vec![i + 1]), (1, vec![0])] };
    let mut states: Vec<LocalState> = (0..steps)
        .map(|i| LocalState {
            name: format!("s{i}"),
            request: EventSet::full(2),
            block: EventSet::empty(2),
            bad: false,
            on: up(i)
                .into_iter()
                .map(|(e, to)| (EventId::new(e), to.into_iter().map(LocalId::new).collect()))
                .collect::<BTreeMap<_, _>>(),
        })
        .collect();
    states.push(LocalState::bad("top".to_owned(), 2));
    let stairs = Thread { name: "stairs".to_owned(), states, initial: vec![LocalId::new(0)] };
    Program::new(vec!["up".to_owned(), "down".to_owned()], vec![stairs], vec![Goal::Bad]).expect("a program")
}

/// Returns the number of steps until a run of this kind finds `goal`, or `None` if no run does.
fn steps_to(program: &Program, goal: Goal, taste: Taste, goes_back: bool, runs: usize, length: u64) -> Option<u64> {
    let mut search = Search::new(program, &[], 7);
    for _ in 0..runs {
        search.begin(taste, goes_back, length);
        loop {
            match search.step(&[goal]) {
                Progress::On => {}
                Progress::Hit(_) => return Some(search.steps),
                Progress::Over => break,
            }
        }
    }
    None
}

#[test]
fn every_taste_finds_a_deadlock_of_four() {
    let program = philosophers(4);
    for taste in TASTES {
        for goes_back in [false, true] {
            let found = steps_to(&program, Goal::Deadlock, taste, goes_back, 50, 400);
            assert!(found.is_some(), "{taste:?}, goes back: {goes_back}");
        }
    }
}

#[test]
fn few_enabled_events_lead_to_large_deadlocks() {
    let program = philosophers(300);
    let found = steps_to(&program, Goal::Deadlock, Taste::Fewest, true, 3, 5_000);
    assert!(found.is_some_and(|steps| steps < 3_000), "{found:?}");
}

#[test]
fn distances_climb_where_chance_falls() {
    let program = staircase(40);
    for taste in [Taste::Sum, Taste::One] {
        assert_eq!(steps_to(&program, Goal::Bad, taste, true, 1, 100), Some(40), "{taste:?}");
    }
    assert_eq!(steps_to(&program, Goal::Bad, Taste::Uniform, false, 100, 100), None);
}

fn first_claim(program: &Program, goal: Goal, seed: u64, turn: u64) -> (model::Trace, Stats) {
    let task = ProgramTask::new(Arc::new(program.clone()), [goal]);
    let mut engine = ProgramWalk::new(&task, seed);
    for _ in 0..10_000 {
        match engine.run(&mut Budget::new(turn, Arc::new(Stop::default()))) {
            Turn::Claims(Claim::Unsafe { trace, candidate: false, .. }) => return (trace, engine.stats()),
            Turn::More => {}
            other => panic!("{other:?}"),
        }
    }
    panic!("nothing found");
}

#[test]
fn a_seed_is_a_run_whatever_the_turns() {
    let program = philosophers(12);
    let mut lengths = std::collections::BTreeSet::new();
    for seed in 0..8 {
        let (trace, stats) = first_claim(&program, Goal::Deadlock, seed, 1_000_000);
        let again = first_claim(&program, Goal::Deadlock, seed, 50);
        assert_eq!((&trace, &stats), (&again.0, &again.1));
        lengths.insert(trace.len());
    }
    assert!(lengths.len() > 1, "seeds differ");
}

#[test]
fn where_nothing_can_happen_it_ends() {
    let events = vec!["a".to_owned()];
    let stuck = thread("t".to_owned(), 1, &[(&[], &[], &[])]);
    let program = Program::new(events, vec![stuck], vec![Goal::Bad]).expect("a program");
    let mut engine = ProgramWalk::new(&ProgramTask::of_program(Arc::new(program)), 0);
    assert!(matches!(engine.run(&mut Budget::unlimited(Arc::default())), Turn::Done));
}

/// Runs to the deadlock of the philosophers are shortened until each takes exactly one stick. The shortener
/// replays every shorter run, and the test replays the result by the definition of programs.
#[test]
fn runs_are_cut_down_to_what_matters() {
    use crate::ProgramShortener;
    for (n, taste) in [(4, Taste::Uniform), (20, Taste::Fewest), (60, Taste::Fewest), (200, Taste::Fewest)] {
        let program = philosophers(n);
        let mut search = Search::new(&program, &[], 3);
        let long = 'found: loop {
            search.begin(taste, taste != Taste::Uniform, 10_000);
            loop {
                match search.step(&[Goal::Deadlock]) {
                    Progress::On => {}
                    Progress::Hit(_) => break 'found search.script(),
                    Progress::Over => break,
                }
            }
        };
        let before = long.steps.len();
        let mut shortener =
            ProgramShortener { rows: &search.rows, goal: Goal::Deadlock, assumptions: &[], work: 4_000_000 };
        let short = shortener.shorten(long);
        assert_eq!(short.steps.len(), n, "of {before}, work left {}", shortener.work);
        assert_eq!(replayed(&program, &short.trace(&search.rows)), Some(Goal::Deadlock));
    }
}

/// Replays a run by the definition of programs, for programs without choices. Returns the goal in which it
/// ends.
fn replayed(program: &Program, trace: &model::Trace) -> Option<Goal> {
    let mut at: Vec<LocalId> = trace.start.iter().map(|s| LocalId(*s)).collect();
    let is_enabled = |at: &[LocalId], e: EventId| {
        let states = || program.threads().iter().zip(at).map(|(t, s)| t.state(*s));
        states().any(|s| s.request.contains(e)) && !states().any(|s| s.block.contains(e))
    };
    for run in trace.runs() {
        for step in (0..run.times).flat_map(|_| &run.word) {
            if !is_enabled(&at, step.event) {
                return None;
            }
            for (thread, s) in program.threads().iter().zip(&mut at) {
                *s = thread.targets(*s, step.event).next()?;
            }
        }
    }
    let events = (0..program.events().len()).map(EventId::new);
    let is_bad = program.threads().iter().zip(&at).any(|(t, s)| t.state(*s).bad);
    (is_bad || !events.into_iter().any(|e| is_enabled(&at, e))).then_some(if is_bad {
        Goal::Bad
    } else {
        Goal::Deadlock
    })
}

/// A run that the checker refuses is not claimed again. The program has no other run.
#[test]
fn a_refused_run_is_not_claimed_again() {
    let falls = thread("t".to_owned(), 1, &[(&[0], &[], &[(0, &[1])]), (&[], &[], &[])]);
    let program = Program::new(vec!["a".to_owned()], vec![falls], vec![Goal::Deadlock]).expect("a program");
    let mut engine = ProgramWalk::new(&ProgramTask::of_program(Arc::new(program)), 0);
    let mut claims = 0;
    for _ in 0..100 {
        match engine.run(&mut Budget::new(1_000, Arc::new(Stop::default()))) {
            Turn::Claims(Claim::Unsafe { goal, .. }) => {
                claims += 1;
                engine.refused(goal);
            }
            Turn::More => {}
            _ => break,
        }
    }
    assert_eq!(claims, 1);
}
