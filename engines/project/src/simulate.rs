//! Trying an abstract word on the threads that were dropped, one by one and only where they have to do with it.
//!
//! A thread alone is a finite automaton that blocks some words (subset simulation; words and languages of threads). If one
//! blocks the word, no run of a projection that keeps this thread has it. Dropped threads must not become bad: where the
//! goal is `bad` they cannot, and where it is a plain deadlock, no run to one visits a bad state.

use crate::run::AbstractRun;
use crate::threads::Threads;
use model::{EventId, LocalId, Stop, ThreadId};
use std::collections::{BTreeMap, BTreeSet};

/// Thread positions between looks at the stop flag.
const POLL_EVERY: u64 = 1 << 16;

/// Where the events of a word are.
pub(crate) struct Positions<'a> {
    threads: &'a Threads,
    length: usize,
    by_event: BTreeMap<EventId, Vec<usize>>,
}

impl<'a> Positions<'a> {
    pub(crate) fn new(threads: &'a Threads, word: &[EventId]) -> Self {
        let mut by_event: BTreeMap<EventId, Vec<usize>> = BTreeMap::new();
        for (position, &event) in word.iter().enumerate() {
            by_event.entry(event).or_default().push(position);
        }
        Self { threads, length: word.len(), by_event }
    }

    /// The threads that have to do with the word, ascending. A thread that can be bad has to do with every word: in a bad
    /// state it blocks everything.
    pub(crate) fn involved(&self) -> BTreeSet<ThreadId> {
        let mentioning = self.by_event.keys().flat_map(|&e| self.threads.mentioned_by(e)).copied();
        mentioning.chain(self.threads.markers().iter().copied()).collect()
    }

    /// The positions whose events `thread` mentions, ascending.
    pub(crate) fn of(&self, thread: ThreadId) -> Vec<usize> {
        let mentions = self.threads.mentions(thread);
        let mine = self.by_event.iter().filter(|(e, _)| mentions.binary_search(e).is_ok());
        let mut positions: Vec<usize> = Vec::new();
        let mut lists = 0;
        for (_, list) in mine {
            positions.extend_from_slice(list);
            lists += 1;
        }
        if positions.len() == self.length {
            return (0..self.length).collect();
        }
        if lists > 1 {
            positions.sort_unstable();
        }
        positions
    }
}

/// What the dropped threads say to a word.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Heard {
    /// Dropped threads that block it, whatever the others do; ascending.
    pub(crate) blockers: Vec<ThreadId>,
    /// Events of it that nobody requests at some position; ascending.
    pub(crate) lacking: Vec<EventId>,
    /// Thread positions looked at.
    pub(crate) work: u64,
}

/// Tries the word of `run` on all threads that it does not keep. `None` if `stop` was raised.
pub(crate) fn hear(threads: &Threads, positions: &Positions<'_>, run: &AbstractRun, stop: &Stop) -> Option<Heard> {
    let mut requested: Vec<bool> = (0..run.word.len()).map(|i| run.is_requested(threads, i)).collect();
    let mut heard = Heard::default();
    let mut polled = 0;
    for thread in positions.involved() {
        if run.kept.binary_search(&thread).is_ok() {
            continue;
        }
        if heard.work >= polled + POLL_EVERY {
            polled = heard.work;
            if stop.raised().is_some() {
                return None;
            }
        }
        let places = positions.of(thread);
        heard.work += places.len() as u64;
        if !accepts(threads, thread, &run.word, &places, &mut requested) {
            heard.blockers.push(thread);
        }
    }
    let lacking: BTreeSet<EventId> =
        requested.iter().zip(&run.word).filter(|(asked, _)| !**asked).map(|(_, e)| *e).collect();
    heard.lacking = lacking.into_iter().collect();
    Some(heard)
}

/// Can `thread` alone live through the word, and not be bad after it? Marks where it may request the event.
fn accepts(threads: &Threads, thread: ThreadId, word: &[EventId], places: &[usize], requested: &mut [bool]) -> bool {
    let thread = threads.program.thread(thread);
    let mut now: Vec<LocalId> = thread.initial.iter().copied().filter(|&s| !thread.state(s).bad).collect();
    let mut next: Vec<LocalId> = Vec::new();
    if now.is_empty() {
        return false;
    }
    for &place in places {
        let event = word[place];
        next.clear();
        for &s in &now {
            let state = thread.state(s);
            if state.block.contains(event) {
                continue;
            }
            requested[place] |= state.request.contains(event);
            next.extend(thread.targets(s, event).filter(|&t| !thread.state(t).bad));
        }
        if next.len() > 1 {
            next.sort_unstable();
            next.dedup();
        }
        std::mem::swap(&mut now, &mut next);
        if now.is_empty() {
            return false;
        }
    }
    true
}
