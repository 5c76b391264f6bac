//! Which threads have to do with an event, without a product of threads and events: most threads have to do with few
//! events and are listed for each of them; those that have to do with many are asked.

use crate::Check;
use crate::work::Work;
use model::EventSet;

/// A set of more events than this is not listed event by event.
const WIDE: usize = 256;

/// The threads that have an event in their sets.
#[derive(Debug)]
pub struct ByEvent {
    /// Per event those with small sets, ascending.
    narrow: Vec<Vec<u32>>,
    /// Those with large sets, ascending: listing them event by event would multiply them.
    wide: Vec<u32>,
}

impl ByEvent {
    /// Of threads with these sets, one after the other, in a program with `events` events.
    ///
    /// # Errors
    /// Beyond the limits.
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

    /// The threads that have `event`; which of the wide ones do is asked.
    pub fn of(&self, event: u32, has: impl Fn(usize) -> bool) -> impl Iterator<Item = usize> {
        let narrow = self.narrow[event as usize].iter().map(|&thread| thread as usize);
        narrow.chain(self.wide.iter().map(|&thread| thread as usize).filter(move |&thread| has(thread)))
    }
}
