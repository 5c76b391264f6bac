//! The whole program with what its threads have to do with which events: what words and kept sets are judged by.

use model::{EventId, Program, ThreadId};
use reduce::{Outline, Outlines};
use std::sync::Arc;

/// A program, indexed.
#[derive(Debug)]
pub(crate) struct Threads {
    pub(crate) program: Arc<Program>,
    pub(crate) outlines: Outlines,
    /// By thread: events that it may request, block or move on, ascending.
    mentions: Vec<Vec<EventId>>,
    /// By event: the threads that mention it, ascending.
    mentioned_by: Vec<Vec<ThreadId>>,
    markers: Vec<ThreadId>,
}

impl Threads {
    /// Costs the size of the program.
    pub(crate) fn new(program: Arc<Program>) -> Self {
        let outlines = Outlines::new(&program);
        let mentions: Vec<Vec<EventId>> = outlines.threads().iter().map(Outline::mentions).collect();
        let mut mentioned_by = vec![Vec::new(); program.events().len()];
        for (t, events) in mentions.iter().enumerate() {
            events.iter().for_each(|e| mentioned_by[e.index()].push(ThreadId::new(t)));
        }
        let bad = outlines.threads().iter().enumerate().filter(|(_, o)| o.can_be_bad);
        let markers = bad.map(|(t, _)| ThreadId::new(t)).collect();
        Self { program, outlines, mentions, mentioned_by, markers }
    }

    /// How many threads there are.
    pub(crate) fn len(&self) -> usize {
        self.mentions.len()
    }

    pub(crate) fn outline(&self, thread: ThreadId) -> &Outline {
        self.outlines.thread(thread)
    }

    /// The events that `thread` has anything to do with.
    pub(crate) fn mentions(&self, thread: ThreadId) -> &[EventId] {
        &self.mentions[thread.index()]
    }

    /// The threads that have anything to do with `event`: all others stay where they are on it, and let it pass.
    pub(crate) fn mentioned_by(&self, event: EventId) -> &[ThreadId] {
        &self.mentioned_by[event.index()]
    }

    /// The threads that may request `event`.
    pub(crate) fn requesters(&self, event: EventId) -> impl Iterator<Item = ThreadId> + '_ {
        let may = move |t: &ThreadId| self.outline(*t).may_request.binary_search(&event).is_ok();
        self.mentioned_by(event).iter().copied().filter(may)
    }

    /// The threads that can be in a bad state, looked at alone; ascending.
    pub(crate) fn markers(&self) -> &[ThreadId] {
        &self.markers
    }
}
