//! Tries an abstract word on the dropped threads, each alone and only if it mentions an event of the word.
//!
//! 1. A single thread is a finite automaton that blocks some words. If it blocks the word, no run of an
//!    abstraction that keeps this thread has this word. Proof: the subset simulation follows all its paths on
//!    the word, and each ends at an event that it blocks or in a bad state.
//! 2. Paths with bad states can be left out. Proof: if the goal is `bad`, all threads that can be bad are
//!    kept. If the goal is a deadlock without a bad state, no run to such a deadlock visits a bad state.

use crate::thread_abstraction::run::AbstractRun;
use crate::thread_abstraction::threads::Threads;
use model::{EventId, LocalId, Stop, ThreadId};
use std::collections::{BTreeMap, BTreeSet};

/// Positions between two checks of the stop flag.
const POLL_EVERY: u64 = 1 << 16;

/// The positions of each event in a word.
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

    /// The threads related to the word, ascending: those that mention one of its events, and those that can be
    /// bad. The latter are related to every word, because a thread in a bad state blocks everything.
    pub(crate) fn involved(&self) -> BTreeSet<ThreadId> {
        let mentioning = self.by_event.keys().flat_map(|&e| self.threads.mentioned_by(e)).copied();
        mentioning.chain(self.threads.markers().iter().copied()).collect()
    }

    /// The positions of events that `thread` mentions, ascending.
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

/// The result of trying a word on the dropped threads.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Heard {
    /// Dropped threads that block the word, whatever the other threads do; ascending.
    pub(crate) blockers: Vec<ThreadId>,
    /// Events of the word that no thread requests at some position; ascending.
    pub(crate) lacking: Vec<EventId>,
    /// Positions processed.
    pub(crate) work: u64,
}

/// Tries the word of `run` on all threads that it does not keep. Returns `None` if `stop` was raised.
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

/// True if `thread` alone has a path on the word without bad states. Marks the positions where it may request
/// the event.
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
