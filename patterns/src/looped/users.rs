//! The threads that may request or block each event. With these lists, code that handles one event need not
//! read all threads.

use crate::clock::Clock;
use model::{EventId, EventSet, LocalState, Thread, ThreadId};

/// Maximum number of pairs of an event and a thread that are stored: about 20 MB. Beyond this limit, every
/// thread is read for every event.
const PAIRS: usize = 4_000_000;

/// For each event: the threads that request it in a state that they take, and the threads that block it. The
/// lists may contain other threads, too.
pub(super) struct Users {
    all: Vec<ThreadId>,
    /// The lists of requests and of blocks. `None` if they are too large.
    lists: Option<[Vec<Vec<ThreadId>>; 2]>,
}

impl Users {
    /// Builds the lists. `reachable` gives the locally reachable states of each thread. For a clock, only the
    /// states in its table count.
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

    /// Returns the threads that request `event` in a state that they take, ascending. The result may contain
    /// other threads.
    pub(super) fn requesting(&self, event: EventId) -> Vec<ThreadId> {
        self.lists.as_ref().map_or(&self.all, |lists| &lists[0][event.index()]).clone()
    }

    /// Returns the threads that block `event` in a state that they take, ascending. The result may contain
    /// other threads.
    pub(super) fn blocking(&self, event: EventId) -> Vec<ThreadId> {
        self.lists.as_ref().map_or(&self.all, |lists| &lists[1][event.index()]).clone()
    }
}
