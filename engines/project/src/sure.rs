//! Is a state of a projection surely no deadlock?
//!
//! It is none if some event is offered by the kept threads or by others at all times, and nobody else ever blocks it. Failing
//! that, one other thread may be looked at closely: a cell of an array blocks every read but one, whatever its value, so
//! that a reader is never stuck although each of its reads may be blocked.

use crate::threads::Threads;
use model::{EventId, EventSet, ThreadId};
use std::collections::BTreeMap;
use std::sync::Arc;
use store::{RwbStepper, Step, Successors};

/// Decides it state by state.
#[derive(Debug)]
pub(crate) struct Sure {
    threads: Arc<Threads>,
    /// Its events are enabled if the thread in `blocker` does not mind. Packs states as the projection does.
    offers: RwbStepper,
    /// By label of `offers`, as is `blocker`.
    events: Vec<EventId>,
    blocker: Vec<Option<ThreadId>>,
    scratch: Successors,
    /// What threads block in their states, each set once; filled when first asked for.
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

    /// Is some event surely enabled in the state, which has no bad local state?
    pub(crate) fn has_event(&mut self, packed: &[u64]) -> bool {
        // What kind of state it is says nothing: blockers are left out.
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

    /// Does `thread` leave one of the events open in each of its states?
    fn lets_one_pass(&mut self, thread: ThreadId, events: &[EventId]) -> bool {
        let blocks = self.blocks.entry(thread).or_insert_with(|| blocks(&self.threads, thread));
        blocks.iter().all(|block| events.iter().any(|&e| !block.contains(e)))
    }
}

/// The sets of events that the locally reachable states of `thread` block, bad states left out.
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
