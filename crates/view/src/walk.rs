//! Single steps of a behavioral program, for explanation and simulation: which events are enabled, which
//! threads request or block an event, and to which states an event leads.
//!
//! This code handles one state at a time. No verdict depends on it: searches use compiled steppers (crate
//! `store`), and the checker has its own stepper (crate `certify`).

use model::{EventId, EventSet, Goal, LocalId, LocalState, Program, ThreadId};

/// Iterates over the threads, each with its local state in the composite state `at`.
pub fn locals<'p>(program: &'p Program, at: &[u32]) -> impl Iterator<Item = (ThreadId, &'p LocalState)> {
    let threads = program.threads().iter().enumerate();
    threads.zip(at).map(|((i, thread), &s)| (ThreadId::new(i), thread.state(LocalId(s))))
}

/// Returns the threads that request `event` in the state `at`.
#[must_use]
pub fn requesters(program: &Program, at: &[u32], event: EventId) -> Vec<ThreadId> {
    locals(program, at).filter(|(_, s)| s.request.contains(event)).map(|(t, _)| t).collect()
}

/// Returns the threads that block `event` in the state `at`.
#[must_use]
pub fn blockers(program: &Program, at: &[u32], event: EventId) -> Vec<ThreadId> {
    locals(program, at).filter(|(_, s)| s.block.contains(event)).map(|(t, _)| t).collect()
}

/// Returns the events that some thread requests in the state `at`.
#[must_use]
pub fn requested(program: &Program, at: &[u32]) -> EventSet {
    let mut all = EventSet::empty(program.events().len());
    for (_, state) in locals(program, at) {
        all.union_with(&state.request);
    }
    all
}

/// Returns the events that are enabled in the state `at`: some thread requests them, no thread blocks them, and no such
/// event has a request of higher priority.
#[must_use]
pub fn enabled(program: &Program, at: &[u32]) -> EventSet {
    let mut open = open(program, at);
    let greatest = open.iter().map(|event| priority(program, at, event)).max();
    let lower: Vec<EventId> = open.iter().filter(|event| Some(priority(program, at, *event)) < greatest).collect();
    lower.into_iter().for_each(|event| open.remove(event));
    open
}

/// Returns the greatest priority of a request for `event` in the state `at`; 0 if no thread requests it.
#[must_use]
pub fn priority(program: &Program, at: &[u32], event: EventId) -> i64 {
    if !program.has_priorities() {
        return 0;
    }
    let own = |t: ThreadId| program.priority(t, LocalId(at[t.index()]));
    requesters(program, at, event).into_iter().map(own).max().unwrap_or(0)
}

/// Returns the events that some thread requests and no thread blocks in the state `at`, whatever their priority.
#[must_use]
pub fn open(program: &Program, at: &[u32]) -> EventSet {
    let mut all = requested(program, at);
    for (_, state) in locals(program, at) {
        all.subtract(&state.block);
    }
    all
}

/// Returns the goal (`bad` or `deadlock`) that the state `at` belongs to; `None` for other states, including
/// proper ends.
#[must_use]
pub fn goal(program: &Program, at: &[u32]) -> Option<Goal> {
    if locals(program, at).any(|(_, s)| s.bad) {
        return Some(Goal::Bad);
    }
    (enabled(program, at).is_empty() && !program.may_end(at)).then_some(Goal::Deadlock)
}

/// Returns, for each thread, its possible local states after `event` fires in the state `at`. Each combination
/// of one target per thread is a composite successor.
#[must_use]
pub fn targets(program: &Program, at: &[u32], event: EventId) -> Vec<Vec<LocalId>> {
    program.threads().iter().zip(at).map(|(t, &s)| t.targets(LocalId(s), event).collect()).collect()
}

/// An index of the threads that an event may move. To avoid a table of size threads times events, threads that
/// mention many events are not indexed: they are always included.
#[derive(Clone, Debug)]
pub struct Movers {
    /// For each event, the indexed threads that it may move, ascending.
    listed: Vec<Vec<ThreadId>>,
    /// The threads that are not indexed, ascending.
    asked: Vec<ThreadId>,
}

/// Threads with moves on more events than this are not indexed.
const MANY: usize = 256;

impl Movers {
    /// Creates the index. The cost is linear in the number of moves of `program`.
    #[must_use]
    pub fn of(program: &Program) -> Self {
        let mut this = Self { listed: vec![Vec::new(); program.events().len()], asked: Vec::new() };
        for (t, thread) in program.threads().iter().enumerate() {
            let mut events: Vec<EventId> = thread.states.iter().flat_map(|s| s.on.keys().copied()).collect();
            events.sort_unstable();
            events.dedup();
            match events.len() > MANY {
                true => this.asked.push(ThreadId::new(t)),
                false => events.iter().for_each(|e| this.listed[e.index()].push(ThreadId::new(t))),
            }
        }
        this
    }

    /// Returns the threads that `event` may move, ascending. All other threads stay in their local state,
    /// whatever it is.
    #[must_use]
    pub fn on(&self, event: EventId) -> Vec<ThreadId> {
        let mut threads = [&self.listed[event.index()][..], &self.asked].concat();
        threads.sort_unstable();
        threads
    }
}

/// Returns the initial local states of each thread.
#[must_use]
pub fn initial(program: &Program) -> Vec<Vec<LocalId>> {
    program.threads().iter().map(|t| t.initial.clone()).collect()
}

/// Returns the composite state that takes one local state from each list, if each list has exactly one.
#[must_use]
pub fn only(choices: &[Vec<LocalId>]) -> Option<Vec<u32>> {
    choices.iter().map(|c| if let [s] = c[..] { Some(s.0) } else { None }).collect()
}
