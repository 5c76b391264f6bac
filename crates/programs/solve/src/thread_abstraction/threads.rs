//! The whole program, with the relation between threads and events. It is used to check words, and to choose
//! the threads to keep.

use crate::{Outline, Outlines};
use model::{EventId, Program, ThreadId};
use std::sync::Arc;

/// A program with indices.
#[derive(Debug)]
pub(crate) struct Threads {
    pub(crate) program: Arc<Program>,
    pub(crate) outlines: Outlines,
    /// For each thread, the events that it may request, block or move on, ascending.
    mentions: Vec<Vec<EventId>>,
    /// For each event, the threads that mention it, ascending.
    mentioned_by: Vec<Vec<ThreadId>>,
    markers: Vec<ThreadId>,
}

impl Threads {
    /// Computes the indices in time linear in the size of the program.
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

    /// The number of threads.
    pub(crate) fn len(&self) -> usize {
        self.mentions.len()
    }

    pub(crate) fn outline(&self, thread: ThreadId) -> &Outline {
        self.outlines.thread(thread)
    }

    /// The events that `thread` mentions.
    pub(crate) fn mentions(&self, thread: ThreadId) -> &[EventId] {
        &self.mentions[thread.index()]
    }

    /// The threads that mention `event`. All other threads ignore the event. They neither block it nor move on
    /// it.
    pub(crate) fn mentioned_by(&self, event: EventId) -> &[ThreadId] {
        &self.mentioned_by[event.index()]
    }

    /// The threads that may request `event`.
    pub(crate) fn requesters(&self, event: EventId) -> impl Iterator<Item = ThreadId> + '_ {
        let may = move |t: &ThreadId| self.outline(*t).may_request.binary_search(&event).is_ok();
        self.mentioned_by(event).iter().copied().filter(may)
    }

    /// The threads that can reach a bad state if they run alone; ascending.
    pub(crate) fn markers(&self) -> &[ThreadId] {
        &self.markers
    }
}
