//! Compares verdicts with brute force on random programs. Checks certificates by their definition with a
//! separate stepper. Tests programs with known sets of kept threads.

mod many;

use super::*;
use model::{Certificate, EventId, EventSet, LocalId, LocalState, Stop, Thread, ThreadId, Trace};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use testkit::choices;
use testkit::program::{goal as goal_of, replay, truth};

const BOTH: [Goal; 2] = [Goal::Bad, Goal::Deadlock];
type State = Vec<LocalId>;

/// The engine's answer for a goal.
#[derive(Debug)]
enum Verdict {
    Safe(Vec<ThreadId>),
    Unsafe(Trace),
    Unknown(Reason),
}

impl Verdict {
    fn is_unsafe(&self) -> bool {
        matches!(self, Verdict::Unsafe(_))
    }
}

/// Runs the engine in turns of `turn` units, and checks all evidence.
fn run(program: &Program, goals: &[Goal], turn: u64) -> (BTreeMap<Goal, Verdict>, Stats) {
    let mut engine = ThreadAbstraction::new(&ProgramTask::new(Arc::new(program.clone()), goals.iter().copied()));
    let stop = Arc::new(Stop::default());
    let mut said = BTreeMap::new();
    for _ in 0..2_000_000 {
        let claim = match engine.run(&mut Budget::new(turn, Arc::clone(&stop))) {
            Turn::Claims(claim) => claim,
            Turn::More => continue,
            Turn::Done => return (said, engine.stats()),
        };
        let (goal, verdict) = match claim {
            Claim::Safe { goals, certificate: Certificate::Projection(projection) } => {
                check_projection(program, &projection, goals[0]);
                (goals[0], Verdict::Safe(projection.kept))
            }
            Claim::Unsafe { goal, trace, candidate } => {
                assert!(!candidate);
                let end = replay(program, &trace).expect("the trace is a run");
                assert_eq!(goal_of(program, &end), Some(goal));
                (goal, Verdict::Unsafe(trace))
            }
            Claim::Unknown { goals, reason } => (goals[0], Verdict::Unknown(reason)),
            claim => panic!("unexpected {claim:?}"),
        };
        assert!(said.insert(goal, verdict).is_none(), "{goal} is claimed twice");
    }
    panic!("it does not end");
}

fn local(program: &Program, thread: ThreadId, s: LocalId) -> &LocalState {
    program.thread(thread).state(s)
}

fn ids(program: &Program) -> Vec<ThreadId> {
    (0..program.threads().len()).map(ThreadId::new).collect()
}

/// The possible states of `threads` after `event` in `state`.
fn after(program: &Program, threads: &[ThreadId], state: &State, event: EventId) -> Vec<State> {
    choices(threads.iter().zip(state).map(|(t, s)| program.thread(*t).targets(*s, event).collect()))
}

fn is_bad(program: &Program, threads: &[ThreadId], state: &State) -> bool {
    threads.iter().zip(state).any(|(t, s)| local(program, *t, *s).bad)
}

/// Checks the conditions of [`model::Projection`] one by one.
fn check_projection(program: &Program, projection: &model::Projection, goal: Goal) {
    let kept = &projection.kept;
    let others: Vec<ThreadId> = ids(program).into_iter().filter(|t| !kept.contains(t)).collect();
    assert!(kept.is_sorted());
    let reachable = |t: ThreadId| -> Vec<&LocalState> {
        let thread = program.thread(t);
        let seen = thread.locally_reachable();
        (0..thread.states.len()).filter(|&s| seen[s]).map(|s| &thread.states[s]).collect()
    };
    let good = |t: &ThreadId| -> Vec<&LocalState> { reachable(*t).into_iter().filter(|s| !s.bad).collect() };
    let events: Vec<EventId> = (0..program.events().len()).map(EventId::new).collect();
    let may_request = |e: EventId| others.iter().any(|t| good(t).iter().any(|s| s.request.contains(e)));
    let may_block = |t: ThreadId, e: EventId| good(&t).iter().any(|s| s.block.contains(e));
    let must_request = |e: EventId| others.iter().any(|t| good(t).iter().all(|s| s.request.contains(e)));
    let mut listed: BTreeSet<State> = BTreeSet::new();
    let _ = projection.states.for_each(&mut |state| {
        assert_eq!(state.len(), kept.len());
        assert!(listed.insert(state.iter().map(|&s| LocalId(s)).collect()), "listed twice");
        ControlFlow::Continue(())
    });
    assert_eq!(listed.len() as u64, projection.states.len());
    for state in choices(kept.iter().map(|t| program.thread(*t).initial.clone())) {
        assert!(listed.contains(&state));
    }
    for state in listed.iter().filter(|state| !is_bad(program, kept, state)) {
        let locals = || kept.iter().zip(state).map(|(t, s)| local(program, *t, *s));
        let open = |e: EventId| !locals().any(|s| s.block.contains(e));
        let asked = |e: EventId| locals().any(|s| s.request.contains(e));
        for &e in events.iter().filter(|&&e| open(e) && (asked(e) || may_request(e))) {
            assert!(after(program, kept, state, e).iter().all(|next| listed.contains(next)), "not closed");
        }
        let offered: Vec<EventId> =
            events.iter().copied().filter(|&e| open(e) && (asked(e) || must_request(e))).collect();
        let passes = |k: Option<ThreadId>, e: EventId| others.iter().all(|&t| Some(t) == k || !may_block(t, e));
        let known = |k: ThreadId| {
            let lets = |s: &&LocalState| offered.iter().any(|&e| passes(Some(k), e) && !s.block.contains(e));
            good(&k).iter().all(lets)
        };
        let alive = match others.is_empty() {
            true => !offered.is_empty(),
            false => others.iter().any(|&k| known(k)),
        };
        assert!(goal != Goal::Deadlock || alive, "may be a deadlock");
    }
    if goal == Goal::Bad {
        assert!(listed.iter().all(|state| !is_bad(program, kept, state)));
        assert!(others.iter().all(|t| reachable(*t).iter().all(|s| !s.bad)));
    }
}

/// Compares the engine's answers with the truth. Returns the number of refinements.
fn agree(program: &Program) -> Result<u64, TestCaseError> {
    let truth = truth(program, usize::MAX).expect("there is no limit").shortest;
    let (whole, stats) = run(program, &BOTH, u64::MAX);
    let (turns, same) = run(program, &BOTH, 1);
    prop_assert_eq!(whole.len(), 2);
    for goal in BOTH {
        for said in [&whole[&goal], &turns[&goal]] {
            match said {
                Verdict::Safe(_) => prop_assert!(!truth.contains_key(&goal), "{} is reachable", goal),
                Verdict::Unsafe(_) => prop_assert!(truth.contains_key(&goal), "{} is unreachable", goal),
                Verdict::Unknown(reason) => prop_assert!(false, "{}: {:?}", goal, reason),
            }
        }
        let alone = run(program, &[goal], 7).0;
        prop_assert_eq!(format!("{:?}", &alone[&goal]), format!("{:?}", &whole[&goal]));
    }
    prop_assert_eq!(stats.transitions, same.transitions);
    Ok(stats.more["refinements"])
}

/// A random local state: requests, blocks, moves, and a number that makes it bad if it is 0.
type Drawn = (Vec<bool>, Vec<bool>, Vec<Vec<usize>>, u8);

fn build(events: usize, drawn: &[(Vec<Drawn>, Vec<bool>)]) -> Program {
    let set = |marks: &[bool]| {
        let marked = marks.iter().take(events).enumerate().filter(|(_, m)| **m);
        EventSet::from_events(events, marked.map(|(e, _)| EventId::new(e)))
    };
    let ascending = |mut list: Vec<LocalId>| {
        list.sort_unstable();
        list.dedup();
        list
    };
    let thread = |(t, (states, initial)): (usize, &(Vec<Drawn>, Vec<bool>))| {
        let count = states.len();
        let local = |(s, (request, block, moves, bad)): (usize, &Drawn)| LocalState {
            name: format!("s{s}"),
            request: set(request),
            block: set(block),
            bad: *bad == 0 && s > 0,
            on: moves
                .iter()
                .take(events)
                .enumerate()
                .filter(|(_, to)| !to.is_empty())
                .map(|(e, to)| (EventId::new(e), ascending(to.iter().map(|s| LocalId::new(s % count)).collect())))
                .collect(),
        };
        let starts = initial.iter().enumerate().filter(|(s, yes)| **yes && *s < count);
        let starts: Vec<LocalId> = starts.map(|(s, _)| LocalId::new(s)).collect();
        Thread {
            name: format!("t{t}"),
            states: states.iter().enumerate().map(local).collect(),
            initial: if starts.is_empty() { vec![LocalId(0)] } else { starts },
        }
    };
    let names = (0..events).map(|e| format!("e{e}")).collect();
    Program::new(names, drawn.iter().enumerate().map(thread).collect(), BOTH.to_vec()).expect("a program")
}

fn programs(most_targets: usize, bad_of: u8) -> impl Strategy<Value = Program> {
    let marks = |percent: f64| prop::collection::vec(prop::bool::weighted(percent), 4);
    let target = prop::collection::vec(0usize..4, 0..=most_targets);
    let state = (marks(0.4), marks(0.2), prop::collection::vec(target, 4), 0..bad_of);
    let starts = prop::collection::vec(prop::bool::weighted(0.2), 4);
    let thread = (prop::collection::vec(state, 1..4), starts);
    (2usize..=4, prop::collection::vec(thread, 1..5)).prop_map(|(events, drawn)| build(events, &drawn))
}

proptest! {
    #![proptest_config(testkit::config(600))]

    /// Deterministic threads; one of eight states is bad.
    #[test]
    fn agrees_with_brute_force(program in programs(1, 8)) {
        agree(&program)?;
    }

    /// Nondeterministic threads.
    #[test]
    fn agrees_on_nondeterministic_programs(program in programs(2, 8)) {
        agree(&program)?;
    }

    /// Many bad states, so dropped threads may become bad.
    #[test]
    fn agrees_where_many_states_are_bad(program in programs(2, 2)) {
        agree(&program)?;
    }
}

/// A state of a thread: requests, blocks, moves to single states, and whether it is bad.
type Row<'a> = (&'a [usize], &'a [usize], &'a [(usize, usize)], bool);

fn named(events: usize, name: &str, rows: &[Row<'_>]) -> Thread {
    let set = |list: &[usize]| EventSet::from_events(events, list.iter().map(|&e| EventId::new(e)));
    let state = |(s, (request, block, on, bad)): (usize, &Row<'_>)| LocalState {
        name: format!("s{s}"),
        request: set(request),
        block: set(block),
        bad: *bad,
        on: on.iter().map(|&(e, to)| (EventId::new(e), vec![LocalId::new(to)])).collect(),
    };
    Thread { name: name.to_owned(), states: rows.iter().enumerate().map(state).collect(), initial: vec![LocalId(0)] }
}

fn assemble(events: usize, threads: Vec<Thread>) -> Program {
    let names = (0..events).map(|e| format!("e{e}")).collect();
    Program::new(names, threads, BOTH.to_vec()).expect("a program")
}

/// For each pair of events 2i and 2i + 1, a source requests both, and a switch lets them pass alternately.
fn switches(count: usize, watch: &[(usize, usize)]) -> Program {
    let events = 2 * count;
    let mut threads = Vec::new();
    for i in 0..count {
        let (a, b) = (2 * i, 2 * i + 1);
        threads.push(named(events, &format!("source{i}"), &[(&[a, b], &[], &[], false)]));
        let rows: [Row<'_>; 2] = [(&[], &[b], &[(a, 1)], false), (&[], &[a], &[(b, 0)], false)];
        threads.push(named(events, &format!("switch{i}"), &rows));
    }
    threads.push(named(
        events,
        "marker",
        &[(&[], &[], watch, false), (&[], &[], &[(0, 2)], false), (&[], &[], &[], true)],
    ));
    assemble(events, threads)
}

fn kept(verdict: &Verdict) -> Vec<u32> {
    match verdict {
        Verdict::Safe(kept) => kept.iter().map(|t| t.0).collect(),
        other => panic!("{other:?}"),
    }
}

/// Switch 0 excludes event 0 twice in a row. Of a thousand threads only this switch and the marker are kept.
/// For the deadlock no thread is kept: it suffices to examine one dropped switch.
#[test]
fn few_threads_of_many_are_kept() {
    let program = switches(500, &[(0, 1)]);
    let watch_resets: Vec<(usize, usize)> = vec![(0, 2), (1, 0)];
    let mut threads = program.threads().to_vec();
    let rows: [Row<'_>; 3] = [(&[], &[], &[(0, 1)], false), (&[], &[], &watch_resets, false), (&[], &[], &[], true)];
    *threads.last_mut().unwrap() = named(1000, "marker", &rows);
    let (said, stats) = run(&assemble(1000, threads), &BOTH, u64::MAX);
    assert_eq!(kept(&said[&Goal::Bad]), [1, 1000]);
    assert_eq!(kept(&said[&Goal::Deadlock]), [] as [u32; 0]);
    assert!(stats.more["projected"] + stats.states < 20, "{stats:?}");
}

/// The marker waits for event 1 and then event 0. Switch 0 allows this word after a first event 0, so the
/// violation is real. At most two threads are kept.
#[test]
fn a_word_that_every_thread_allows_is_a_violation() {
    let (said, stats) = run(&switches(500, &[(1, 1)]), &[Goal::Bad], u64::MAX);
    // The switch must be taken into account: event 1 requires an event 0 before.
    let Verdict::Unsafe(trace) = &said[&Goal::Bad] else { panic!("{said:?}") };
    assert_eq!(trace.len(), Some(3));
    assert!(stats.more["kept"] <= 2);
}

/// A run that breaks the assumptions is no answer, and the search does not find it again forever.
#[test]
fn runs_that_break_assumptions_are_not_claimed() {
    let program = Arc::new(switches(1, &[(1, 1)]));
    let claim = |state| {
        let ends = Assumption::Final { thread: ThreadId(2), states: vec![LocalId(state)] };
        let task = ProgramTask::new(Arc::clone(&program), [Goal::Bad]).assuming(vec![ends]);
        let mut engine = ThreadAbstraction::new(&task);
        let mut budget = Budget::unlimited(Arc::default());
        match engine.run(&mut budget) {
            Turn::Claims(claim) => (claim, engine),
            turn => panic!("{turn:?}"),
        }
    };
    let (said, mut engine) = claim(2);
    assert!(matches!(said, Claim::Unsafe { candidate: true, .. }));
    engine.refused(Goal::Bad);
    let turn = engine.run(&mut Budget::unlimited(Arc::default()));
    assert!(matches!(turn, Turn::Claims(Claim::Unknown { reason: Reason::GaveUp, .. })));
    assert!(matches!(claim(1).0, Claim::Unknown { reason: Reason::GaveUp, .. }));
}

/// The engine reports that it has run out of memory.
#[test]
fn a_memory_limit_ends_the_search() {
    let mut engine = ThreadAbstraction::new(&ProgramTask::of_program(Arc::new(switches(3, &[(1, 1)]))));
    let stop = Arc::new(Stop::with_memory_limit(1, || 1));
    let turn = engine.run(&mut Budget::new(u64::MAX, stop));
    assert!(matches!(turn, Turn::Claims(Claim::Unknown { reason: Reason::Memory, .. })), "{turn:?}");
}

/// An array element blocks all reads except that of its value. A reader is never stuck, and the element is not
/// kept.
#[test]
fn one_dropped_thread_may_be_looked_at_closely() {
    // read 0, read 1, write 0, write 1
    let rows: [Row<'_>; 2] = [(&[], &[1], &[(3, 1)], false), (&[], &[0], &[(2, 0)], false)];
    let reader = named(4, "reader", &[(&[0, 1], &[2, 3], &[], false)]);
    let program = assemble(4, vec![named(4, "cell", &rows), reader.clone()]);
    let (said, _) = run(&program, &[Goal::Deadlock], u64::MAX);
    assert_eq!(kept(&said[&Goal::Deadlock]), [] as [u32; 0], "the reader asks at all times");
    // If some value blocks both reads, the element must be kept. If this value is reachable, there is a
    // deadlock.
    let both: [Row<'_>; 2] = [(&[], &[1], &[(0, 1)], false), (&[], &[0, 1], &[], false)];
    let program = assemble(4, vec![named(4, "cell", &both), reader]);
    let (said, _) = run(&program, &[Goal::Deadlock], u64::MAX);
    assert!(said[&Goal::Deadlock].is_unsafe());
}
