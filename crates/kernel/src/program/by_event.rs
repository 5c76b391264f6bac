//! An index of threads by events. Each thread has a set of events. For a given event, the index finds the
//! threads with sets that contain the event. A table with an entry for each thread and event would be too large.
//! Most threads have few events, so they are listed under each of their events. Threads with many events are
//! tested on each query.

use crate::Check;
use crate::work::Work;
use model::EventSet;

/// A set with more events than this is not listed event by event.
const WIDE: usize = 256;

/// The index that finds, for an event, the threads with sets that contain it.
#[derive(Debug)]
pub struct ByEvent {
    /// For each event: the threads with small sets that contain it, in ascending order.
    narrow: Vec<Vec<u32>>,
    /// The threads with large sets, in ascending order. Listing each of these threads under each of its events
    /// would take too much memory.
    wide: Vec<u32>,
}

impl ByEvent {
    /// Creates the index of the threads with these sets, one set per thread, in a program with `events` events.
    ///
    /// # Errors
    /// If a resource limit is exceeded.
    pub fn new<'s>(events: usize, sets: impl Iterator<Item = &'s EventSet>, work: &mut Work<'_>) -> Check<Self> {
        let mut this = Self { narrow: vec![Vec::new(); events], wide: Vec::new() };
        for (thread, set) in sets.enumerate() {
            debug_assert_eq!(set.universe(), events, "sets are over the events of the program");
            work.spend(1 + set.size() as u64)?;
            if set.len() > WIDE {
                this.wide.push(thread as u32);
                continue;
            }
            work.spend(set.len() as u64)?;
            work.grow(set.len() * size_of::<u32>())?;
            set.iter().for_each(|event| this.narrow[event.index()].push(thread as u32));
        }
        Ok(this)
    }

    /// Returns the threads with sets that contain `event`. `has` must return true for a thread with a large set
    /// iff the set contains the event.
    pub fn of(&self, event: u32, has: impl Fn(usize) -> bool) -> impl Iterator<Item = usize> {
        let narrow = self.narrow[event as usize].iter().map(|&thread| thread as usize);
        narrow.chain(self.wide.iter().map(|&thread| thread as usize).filter(move |&thread| has(thread)))
    }
}
