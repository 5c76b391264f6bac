//! Stepping through a behavioral program by hand: what is enabled, who asks for it, who forbids it, where it leads.
//!
//! For explaining and simulating, one state at a time. Searches use compiled steppers (`store`), and the checker has its
//! own (`certify`): this one proves nothing.

use model::{EventId, EventSet, Goal, LocalId, LocalState, Program, ThreadId};

/// The local state of each thread in the composite state `at`.
pub fn locals<'p>(program: &'p Program, at: &[u32]) -> impl Iterator<Item = (ThreadId, &'p LocalState)> {
    let threads = program.threads().iter().enumerate();
    threads.zip(at).map(|((i, thread), &s)| (ThreadId::new(i), thread.state(LocalId(s))))
}

/// The threads that request `event` at `at`.
#[must_use]
pub fn requesters(program: &Program, at: &[u32], event: EventId) -> Vec<ThreadId> {
    locals(program, at).filter(|(_, s)| s.request.contains(event)).map(|(t, _)| t).collect()
}

/// The threads that block `event` at `at`.
#[must_use]
pub fn blockers(program: &Program, at: &[u32], event: EventId) -> Vec<ThreadId> {
    locals(program, at).filter(|(_, s)| s.block.contains(event)).map(|(t, _)| t).collect()
}

/// The events that somebody requests at `at`.
#[must_use]
pub fn requested(program: &Program, at: &[u32]) -> EventSet {
    let mut all = EventSet::empty(program.events().len());
    for (_, state) in locals(program, at) {
        all.union_with(&state.request);
    }
    all
}

/// The events that can fire at `at`: requested by some thread, blocked by none.
#[must_use]
pub fn enabled(program: &Program, at: &[u32]) -> EventSet {
    let mut all = requested(program, at);
    for (_, state) in locals(program, at) {
        all.subtract(&state.block);
    }
    all
}

/// Is `at` a goal state, and of which kind? A proper end is none.
#[must_use]
pub fn goal(program: &Program, at: &[u32]) -> Option<Goal> {
    if locals(program, at).any(|(_, s)| s.bad) {
        return Some(Goal::Bad);
    }
    (enabled(program, at).is_empty() && !program.all_final(at)).then_some(Goal::Deadlock)
}

/// Where each thread may go when `event` fires at `at`. The composite successors are all ways to choose one of each.
#[must_use]
pub fn targets(program: &Program, at: &[u32], event: EventId) -> Vec<Vec<LocalId>> {
    program.threads().iter().zip(at).map(|(t, &s)| t.targets(LocalId(s), event).collect()).collect()
}

/// Which threads an event may move, without a product of threads and events: those that mention many events are asked at each.
#[derive(Clone, Debug)]
pub struct Movers {
    /// Per event, ascending.
    listed: Vec<Vec<ThreadId>>,
    /// Ascending.
    asked: Vec<ThreadId>,
}

/// Threads whose states mention more events than this are asked.
const MANY: usize = 256;

impl Movers {
    /// Linear in the moves of `program`.
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

    /// The threads that `event` may move, ascending: the others stay where they are, in any state.
    #[must_use]
    pub fn on(&self, event: EventId) -> Vec<ThreadId> {
        let mut threads = [&self.listed[event.index()][..], &self.asked].concat();
        threads.sort_unstable();
        threads
    }
}

/// Where each thread may start.
#[must_use]
pub fn initial(program: &Program) -> Vec<Vec<LocalId>> {
    program.threads().iter().map(|t| t.initial.clone()).collect()
}

/// The only way to choose one of each, if there is only one.
#[must_use]
pub fn only(choices: &[Vec<LocalId>]) -> Option<Vec<u32>> {
    choices.iter().map(|c| if let [s] = c[..] { Some(s.0) } else { None }).collect()
}
