//! Which threads may request or block an event, so that asking about one event need not look at all threads.

use crate::clock::Clock;
use model::{EventId, EventSet, LocalState, Thread, ThreadId};

/// Pairs of an event and a thread worth keeping: some 20 MB. With more of them every thread is looked at for every event.
const PAIRS: usize = 4_000_000;

/// Per event the threads that request it and those that block it in some state they take; or more threads than these.
pub(super) struct Users {
    all: Vec<ThreadId>,
    /// Requests, blocks; `None` if there are too many.
    lists: Option<[Vec<Vec<ThreadId>>; 2]>,
}

impl Users {
    /// `reachable`: per thread its locally reachable states. Of a clock only the states in its table count.
    pub(super) fn new(threads: &[Thread], clocks: &[Option<Clock>], reachable: &[Vec<bool>]) -> Self {
        let all: Vec<ThreadId> = (0..threads.len()).map(ThreadId::new).collect();
        let universe = threads.first().map_or(0, |t| t.states[0].request.universe());
        let mut lists = [vec![Vec::new(); universe], vec![Vec::new(); universe]];
        let mut pairs = 0;
        for &i in &all {
            let thread = &threads[i.index()];
            let takes = reachable[i.index()].iter().zip(&thread.states).filter(|(seen, _)| **seen).map(|(_, s)| s);
            let states: Vec<&LocalState> = match &clocks[i.index()] {
                Some(clock) => clock.states().iter().map(|&s| thread.state(s)).collect(),
                None => takes.collect(),
            };
            for state in states {
                let sets = [&state.request, &state.block];
                pairs += sets.map(EventSet::len).iter().sum::<usize>();
                if pairs > PAIRS {
                    return Self { all, lists: None };
                }
                for (list, set) in lists.iter_mut().zip(sets) {
                    let new = set.iter().filter(|e| list[e.index()].last() != Some(&i)).collect::<Vec<_>>();
                    new.into_iter().for_each(|e| list[e.index()].push(i));
                }
            }
        }
        Self { all, lists: Some(lists) }
    }

    /// At least the threads that request `event` in some state they take, ascending.
    pub(super) fn requesting(&self, event: EventId) -> Vec<ThreadId> {
        self.lists.as_ref().map_or(&self.all, |lists| &lists[0][event.index()]).clone()
    }

    /// At least the threads that block `event` in some state they take, ascending.
    pub(super) fn blocking(&self, event: EventId) -> Vec<ThreadId> {
        self.lists.as_ref().map_or(&self.all, |lists| &lists[1][event.index()]).clone()
    }
}
