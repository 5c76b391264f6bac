//! Checks the worked examples of the format page with their exact numbers, and random programs against brute
//! force.

mod disk;
mod limits;
mod lossy;
use model::{
    Budget, Certificate, Claim, Engine, EventId, EventSet, Goal, LocalId, LocalState, Program, ProgramTask, Reason,
    StateSet, Stats, Stop, Thread, Trace, Turn,
};
use proptest::prelude::*;
use search::explicit::Options;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Arc;
use testkit::program::{goal as goal_of, replay, truth};

const BOTH: [Goal; 2] = [Goal::Bad, Goal::Deadlock];

/// All claims of an engine, and its final counts.
#[derive(Debug, Default)]
struct Said {
    hits: Vec<(Goal, Trace)>,
    safe: Vec<Goal>,
    states: Option<Box<dyn StateSet>>,
    unknown: Vec<(Goal, Reason)>,
    stats: Stats,
    complete: bool,
}

fn run(program: &Program, goals: &[Goal], explore_all: bool, turn: u64, stop: &Arc<Stop>) -> Said {
    run_with(program, goals, Options { explore_all, ..Options::default() }, turn, stop)
}

fn run_with(program: &Program, goals: &[Goal], options: Options, turn: u64, stop: &Arc<Stop>) -> Said {
    let task = ProgramTask::new(Arc::new(program.clone()), goals.iter().copied());
    let mut engine = crate::explore(&task, options);
    let mut said = Said::default();
    loop {
        match engine.run(&mut Budget::new(turn, stop.clone())) {
            Turn::Claims(Claim::Unsafe { goal, trace, candidate }) => {
                assert!(!candidate);
                said.hits.push((goal, trace));
            }
            Turn::Claims(Claim::Safe { goals, certificate: Certificate::StateSet(set) }) => {
                said.safe.extend(goals);
                said.states = Some(set);
            }
            Turn::Claims(Claim::Unknown { goals, reason }) => said.unknown.extend(goals.iter().map(|&g| (g, reason))),
            Turn::Claims(claim) => panic!("unexpected {claim:?}"),
            Turn::More if stop.raised().is_some() => break,
            Turn::More => {}
            Turn::Done => break,
        }
    }
    said.stats = engine.stats();
    said.complete = engine.is_complete();
    assert!(said.complete || said.states.is_none());
    said
}

fn check(program: &Program, goals: &[Goal], explore_all: bool) -> Said {
    run(program, goals, explore_all, u64::MAX, &Arc::default())
}

/// A local state: its requests, blocks, and targets by event.
#[derive(Clone, Default, Debug)]
struct Does {
    request: Vec<usize>,
    block: Vec<usize>,
    on: Vec<(Vec<usize>, Vec<usize>)>,
    bad: bool,
}

fn set(events: usize, members: &[usize]) -> EventSet {
    EventSet::from_events(events, members.iter().map(|&e| EventId::new(e)))
}

/// Returns a program from the states of its threads. State 0 is initial unless `initial` names another one for
/// a thread.
fn program(events: usize, threads: &[Vec<Does>], initial: &[(usize, Vec<usize>)]) -> Program {
    let local = |(s, does): (usize, &Does)| LocalState {
        name: format!("s{s}"),
        request: set(events, &does.request),
        block: set(events, &does.block),
        bad: does.bad,
        on: moves(&does.on),
    };
    let thread = |(t, states): (usize, &Vec<Does>)| Thread {
        name: format!("t{t}"),
        states: states.iter().enumerate().map(local).collect(),
        initial: initial.iter().find(|i| i.0 == t).map_or(vec![LocalId(0)], |i| ids(&i.1)),
    };
    let names = (0..events).map(|e| format!("e{e}")).collect();
    Program::new(names, threads.iter().enumerate().map(thread).collect(), BOTH.to_vec()).unwrap()
}

fn ids(states: &[usize]) -> Vec<LocalId> {
    states.iter().map(|&s| LocalId::new(s)).collect()
}

fn moves(on: &[(Vec<usize>, Vec<usize>)]) -> BTreeMap<EventId, Vec<LocalId>> {
    on.iter().flat_map(|(events, to)| events.iter().map(|&e| (EventId::new(e), ids(to)))).collect()
}

/// The requested, awaited and blocked events of a sync.
type Sync<'a> = (&'a [usize], &'a [usize], &'a [usize]);

/// A body `loop { sync request .. wait .. block .. }` of several syncs.
fn looped(syncs: &[Sync]) -> Vec<Does> {
    let next = |k: usize| vec![(k + 1) % syncs.len()];
    let does = |(k, &(request, wait, block)): (usize, &Sync)| Does {
        request: request.to_vec(),
        block: block.to_vec(),
        on: vec![([request, wait].concat(), next(k))],
        bad: false,
    };
    syncs.iter().enumerate().map(does).collect()
}

fn bad() -> Does {
    Does { bad: true, ..Does::default() }
}

/// Section 5.1: two clocks that agree every six events.
fn numbers() -> Program {
    let clock = |period: usize| {
        let state = |k| match k == period - 1 {
            true => Does { request: vec![0, 1], on: vec![(vec![0, 1], vec![0])], ..Does::default() },
            false => Does { request: vec![0], block: vec![1], on: vec![(vec![0, 1], vec![k + 1])], ..Does::default() },
        };
        (0..period).map(state).collect::<Vec<_>>()
    };
    let marker = vec![Does { on: vec![(vec![1], vec![1])], ..Does::default() }, bad()];
    program(2, &[clock(2), clock(3), marker], &[])
}

/// Section 5.2: a water tank, with or without the thread that makes it stable. Events: hot, cold, low, drain.
fn tank(stable: bool) -> Program {
    let add =
        |what: &'static [usize]| looped(&[(&[], &[2], &[]), (what, &[], &[]), (what, &[], &[]), (what, &[], &[])]);
    let mut sensor: Vec<Sync> = vec![(&[2], &[], &[])];
    sensor.extend([(&[][..], &[0, 1][..], &[][..]); 6]);
    sensor.extend([(&[3][..], &[][..], &[][..]); 6]);
    let marker = vec![
        Does { on: vec![(vec![0], vec![1]), (vec![1], vec![0])], ..Does::default() },
        Does { on: vec![(vec![0], vec![2]), (vec![1], vec![0])], ..Does::default() },
        bad(),
    ];
    let mut threads = vec![add(&[0]), add(&[1]), looped(&sensor), marker];
    if stable {
        threads.push(looped(&[(&[], &[0], &[1]), (&[], &[1], &[0])]));
    }
    program(4, &threads, &[])
}

/// Section 5.3: three cells, three writers that may choose to write, and an auditor. Events: w[i][k], r[i][k],
/// tick.
fn cells() -> Program {
    let (write, read, tick) = (|i: usize, k: usize| 2 * i + k, |i: usize, k: usize| 6 + 2 * i + k, 12);
    let mut threads = Vec::new();
    let mut initial = Vec::new();
    for i in 0..3 {
        let cell = |k: usize| Does {
            block: vec![read(i, 1 - k)],
            on: vec![(vec![write(i, 1 - k)], vec![1 - k])],
            ..Does::default()
        };
        threads.push(vec![cell(0), cell(1)]);
    }
    for i in 0..3 {
        let asks = |e| Does { request: vec![e], on: vec![(vec![e], vec![2])], ..Does::default() };
        initial.push((threads.len(), vec![0, 1]));
        threads.push(vec![asks(write(i, 1)), asks(tick), Does::default()]);
    }
    let audit = |i: usize| Does {
        request: vec![read(i, 0), read(i, 1)],
        on: vec![(vec![read(i, 1)], vec![i + 1]), (vec![read(i, 0)], vec![0])],
        ..Does::default()
    };
    threads.push(vec![audit(0), audit(1), audit(2), bad()]);
    program(13, &threads, &initial)
}

/// Section 5.5: three philosophers that deadlock. Events: pick[i][side], rel[i][side].
fn philosophers() -> Program {
    let (pick, rel) = (|i: usize, side: usize| 2 * (i % 3) + side, |i: usize, side: usize| 6 + 2 * (i % 3) + side);
    let mut threads = Vec::new();
    for i in 0..3 {
        let (picks, rels) = ([pick(i, 0), pick(i + 2, 1)], [rel(i, 0), rel(i + 2, 1)]);
        threads.push(looped(&[(&[], &picks, &rels), (&[], &rels, &picks)]));
        let asks = [[pick(i, 0)], [pick(i, 1)], [rel(i, 1)], [rel(i, 0)]];
        threads.push(looped(&asks.each_ref().map(|a| (&a[..], &[][..], &[][..]))));
    }
    program(12, &threads, &[])
}

#[test]
fn worked_examples_have_their_numbers() {
    let numbers = check(&numbers(), &BOTH, true);
    assert_eq!((numbers.stats.states, numbers.stats.transitions), (7, 7));
    assert_eq!(numbers.hits.len(), 1);
    let events: Vec<u32> = events_of(&numbers.hits[0].1);
    assert_eq!((numbers.hits[0].0, events), (Goal::Bad, vec![0, 0, 0, 0, 0, 1]));
    assert_eq!(numbers.safe, [Goal::Deadlock]);

    let tank_3 = check(&tank(true), &BOTH, false);
    assert_eq!((tank_3.stats.states, tank_3.stats.transitions), (13, 13));
    assert_eq!((tank_3.safe, tank_3.hits.len()), (BOTH.to_vec(), 0));

    let tank_3_free = check(&tank(false), &BOTH, true);
    assert_eq!((tank_3_free.stats.states, tank_3_free.stats.transitions), (40, 44));
    assert_eq!((tank_3_free.hits[0].0, tank_3_free.hits[0].1.len()), (Goal::Bad, Some(3)));

    let cells = check(&cells(), &[Goal::Bad], false);
    assert_eq!(cells.hits[0].1.len(), Some(6));

    let phil_3 = check(&philosophers(), &BOTH, true);
    assert_eq!((phil_3.stats.states, phil_3.stats.transitions), (35, 75));
    assert_eq!((phil_3.hits[0].0, phil_3.hits[0].1.len()), (Goal::Deadlock, Some(3)));
    assert_eq!(phil_3.safe, [Goal::Bad]);
}

fn events_of(trace: &Trace) -> Vec<u32> {
    let steps = |r: &model::Run| (0..r.times).flat_map(|_| r.word.iter().map(|m| m.event.0)).collect::<Vec<_>>();
    trace.runs().iter().flat_map(steps).collect()
}

#[test]
fn it_stops_when_the_asked_goals_are_settled() {
    let all = check(&philosophers(), &[Goal::Deadlock], true);
    let first = check(&philosophers(), &[Goal::Deadlock], false);
    assert_eq!(first.hits.len(), 1);
    assert!(!first.complete && all.complete);
    assert!(first.stats.states < all.stats.states && all.stats.states == 35);
    assert!(first.states.is_none() && all.states.is_none(), "nothing is left to be safe");
}

#[test]
fn a_goal_that_is_not_asked_for_is_no_hit() {
    let said = check(&philosophers(), &[Goal::Bad], false);
    assert_eq!((said.safe, said.hits.len()), (vec![Goal::Bad], 0));
    assert_eq!(said.states.map(|s| s.len()), Some(35));
}

#[test]
fn progress_is_reported() {
    let stop = Arc::new(Stop::default());
    run(&philosophers(), &BOTH, true, 3, &stop);
    assert_eq!(stop.reported_states(), 35);
}

fn does(states: usize, events: usize) -> impl Strategy<Value = Does> {
    let some = move |most| proptest::collection::vec(0..events, 0..=most);
    let to = proptest::collection::btree_set(0..states, 1..=2);
    let on = proptest::collection::vec((some(2), to.prop_map(|to| to.into_iter().collect())), 0..4);
    (some(2), some(2), on, prop::bool::weighted(0.05)).prop_map(|(request, block, on, bad)| Does {
        request,
        block,
        on,
        bad,
    })
}

fn random_program() -> impl Strategy<Value = Program> {
    (1..5usize, 1..4usize).prop_flat_map(|(events, threads)| {
        let thread = (1..5usize).prop_flat_map(move |n| (proptest::collection::vec(does(n, events), n), 0..n, 0..n));
        proptest::collection::vec(thread, threads).prop_map(move |threads| {
            let initial =
                |(t, &(_, a, b)): (usize, &(_, usize, usize))| (t, BTreeSet::from([a, b]).into_iter().collect());
            let initial: Vec<_> = threads.iter().enumerate().map(initial).collect();
            let states: Vec<Vec<Does>> = threads.into_iter().map(|t| t.0).collect();
            program(events, &states, &initial)
        })
    })
}

proptest! {
    #![proptest_config(testkit::config(600))]

    /// Verdicts are right, traces are shortest, counts are exact, and state sets are closed. This holds for
    /// turns of any size.
    #[test]
    fn it_agrees_with_brute_force(program in random_program(), asked in 0..3usize, turn in 1..50u64) {
        let truth = truth(&program, usize::MAX).expect("there is no limit");
        let asked = [&BOTH[..], &BOTH[..1], &BOTH[1..]][asked];
        let said = check(&program, asked, true);
        prop_assert_eq!(said.stats.states, truth.states);
        prop_assert_eq!(said.stats.transitions, truth.transitions);
        prop_assert!(said.complete);
        for goal in asked {
            let hit = said.hits.iter().find(|h| h.0 == *goal);
            prop_assert_eq!(hit.and_then(|h| h.1.len()), truth.shortest.get(goal).copied());
            prop_assert_eq!(said.safe.contains(goal), hit.is_none());
            if let Some((_, trace)) = hit {
                let end = replay(&program, trace);
                prop_assert_eq!(end.and_then(|s| goal_of(&program, &s)), Some(*goal));
            }
        }
        prop_assert_eq!(said.states.is_some(), !said.safe.is_empty());
        if let Some(set) = &said.states {
            let mut streamed = BTreeSet::new();
            let _ = set.for_each(&mut |s| {
                assert!(streamed.insert(s.to_vec()));
                ControlFlow::Continue(())
            });
            prop_assert!(streamed.iter().eq(truth.depths.keys()));
        }
        let in_turns = run(&program, asked, true, turn, &Arc::default());
        prop_assert_eq!(in_turns.hits, said.hits);
        prop_assert_eq!((in_turns.safe, in_turns.stats), (said.safe, said.stats));
    }
}
