//! Decides whether a state of the abstraction is surely no deadlock.
//!
//! The state is no deadlock in either of two cases:
//!
//! 1. Some event is offered: a kept thread requests it in this state, or a dropped thread requests it in
//!    all of its states, and no kept thread blocks it in this state. No dropped thread ever blocks it.
//! 2. Some events are offered in the same sense, and only one dropped thread ever blocks them, the same
//!    thread for all of these events. In each of its states, this thread leaves at least one of these events
//!    open. Example: an array element blocks all reads except that of its current value. A reader is then
//!    never stuck, although each of its reads may be blocked.

use crate::RwbStepper;
use crate::thread_abstraction::threads::Threads;
use model::{EventId, EventSet, ThreadId};
use search::{Stepper, Successors};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Decides for each state whether it is surely no deadlock.
#[derive(Debug)]
pub(crate) struct Sure {
    threads: Arc<Threads>,
    /// A stepper with the offered events. An event of it is enabled unless the thread in `blocker` blocks the
    /// event. Packs states as the abstraction does.
    offers: RwbStepper,
    /// For each label of `offers`, its event. `blocker` has the same indices.
    events: Vec<EventId>,
    blocker: Vec<Option<ThreadId>>,
    scratch: Successors,
    /// The sets of events that threads block in their states, each set once; computed on first use.
    blocks: BTreeMap<ThreadId, Vec<EventSet>>,
}

impl Sure {
    pub(crate) fn new(threads: &Arc<Threads>, kept: &[ThreadId]) -> Self {
        let offers = threads.outlines.offers(&threads.program, kept);
        let stepper = RwbStepper::new(&offers.projected.program);
        Self {
            threads: Arc::clone(threads),
            scratch: Successors::new(stepper.words()),
            offers: stepper,
            events: offers.projected.events,
            blocker: offers.blocker,
            blocks: BTreeMap::new(),
        }
    }

    /// True if some event is surely enabled in the state. The state must have no bad local state.
    pub(crate) fn has_event(&mut self, packed: &[u64]) -> bool {
        // The kind is ignored, because `offers` leaves out blockers.
        let _ = self.offers.expand(packed, &mut self.scratch);
        let mut by_blocker: BTreeMap<ThreadId, Vec<EventId>> = BTreeMap::new();
        for label in self.scratch.iter().map(|(label, _)| label as usize) {
            match self.blocker[label] {
                None => return true,
                Some(thread) => by_blocker.entry(thread).or_default().push(self.events[label]),
            }
        }
        by_blocker.into_iter().any(|(thread, events)| self.lets_one_pass(thread, &events))
    }

    /// True if `thread` leaves one of the events open in each of its states.
    fn lets_one_pass(&mut self, thread: ThreadId, events: &[EventId]) -> bool {
        let blocks = self.blocks.entry(thread).or_insert_with(|| blocks(&self.threads, thread));
        blocks.iter().all(|block| events.iter().any(|&e| !block.contains(e)))
    }
}

/// The sets of events that the locally reachable states of `thread` block, without bad states.
fn blocks(threads: &Threads, thread: ThreadId) -> Vec<EventSet> {
    let definition = threads.program.thread(thread);
    let reachable = definition.locally_reachable();
    let states = definition.states.iter().zip(reachable).filter(|(s, reachable)| *reachable && !s.bad);
    let mut sets: Vec<EventSet> = Vec::new();
    for (state, _) in states {
        if !sets.contains(&state.block) {
            sets.push(state.block.clone());
        }
    }
    sets
}
