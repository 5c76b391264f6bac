//! The events that threads request in locally reachable states. They do not depend on the other threads.

use model::{EventId, EventSet, Thread, ThreadId};

/// The events that threads request in locally reachable states.
#[derive(Clone, Debug)]
pub(crate) struct Requests {
    /// For each thread: the events that it requests.
    of: Vec<EventSet>,
    /// The events that some thread requests.
    all: EventSet,
    /// For each event: the number of threads that request it.
    count: Vec<u32>,
}

impl Requests {
    /// Collects the requests in time `O(event sets of all states)`, plus the cost of
    /// [`Thread::locally_reachable`].
    pub(crate) fn new(threads: &[Thread]) -> Self {
        let universe = threads.first().map_or(0, |t| t.states[0].request.universe());
        let mut all = EventSet::empty(universe);
        let mut count = vec![0; universe];
        let of: Vec<EventSet> = threads.iter().map(|t| requested(t, universe)).collect();
        for set in &of {
            all.union_with(set);
            set.iter().for_each(|e| count[e.index()] += 1);
        }
        Self { of, all, count }
    }

    /// Returns the index in which none of `threads` requests an event.
    pub(crate) fn none(threads: &[Thread]) -> Self {
        let universe = threads.first().map_or(0, |t| t.states[0].request.universe());
        let none = EventSet::empty(universe);
        Self { of: vec![none.clone(); threads.len()], all: none, count: vec![0; universe] }
    }

    /// Returns the events that some thread may request.
    pub(crate) fn all(&self) -> &EventSet {
        &self.all
    }

    /// Returns the events that `thread` may request.
    pub(crate) fn of(&self, thread: ThreadId) -> &EventSet {
        &self.of[thread.index()]
    }

    /// Returns true if exactly one thread may request `event`.
    pub(crate) fn by_one_thread(&self, event: EventId) -> bool {
        self.count[event.index()] == 1
    }

    /// Returns the events that threads outside `group` may request. `group` has no duplicates.
    pub(crate) fn outside(&self, group: &[ThreadId]) -> EventSet {
        let mut events = self.all.clone();
        for event in group.iter().flat_map(|i| self.of(*i).iter()) {
            let inside = group.iter().filter(|i| self.of(**i).contains(event)).count();
            if self.count[event.index()] as usize == inside {
                events.remove(event);
            }
        }
        events
    }
}

fn requested(thread: &Thread, universe: usize) -> EventSet {
    let mut events = EventSet::empty(universe);
    let reachable = thread.locally_reachable();
    let states = thread.states.iter().zip(reachable).filter(|(state, seen)| *seen && !state.bad);
    states.for_each(|(state, _)| events.union_with(&state.request));
    events
}
