//! Explains why a violation of an abstraction is no violation of the program, by threads that should have been
//! kept.

use crate::thread_abstraction::threads::Threads;
use model::{EventId, ThreadId};

/// A violation that is excluded by keeping one of `any_of`, or all threads of one of `all_of`.
///
/// With nondeterministic threads, a list of `all_of` may not suffice. Then the violation is found again, which
/// only costs time.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Spurious {
    /// Ascending.
    pub(crate) any_of: Vec<ThreadId>,
    /// Each list is ascending.
    pub(crate) all_of: Vec<Vec<ThreadId>>,
}

impl Spurious {
    /// Makes the explanation for a word: the threads `blockers` block it, and for each event of `lacking`, no
    /// thread requests it at some position of the word.
    pub(crate) fn word(threads: &Threads, blockers: Vec<ThreadId>, lacking: &[EventId]) -> Self {
        let all_of = lacking.iter().map(|&event| threads.requesters(event).collect());
        Self { any_of: blockers, all_of: all_of.collect() }
    }

    /// Makes the explanation for a state that is no deadlock, because these events are enabled, each with a
    /// thread that requests it.
    pub(crate) fn deadlock(threads: &Threads, enabled: &[(EventId, ThreadId)]) -> Self {
        let mut all_of: Vec<Vec<ThreadId>> = Vec::new();
        for &(event, requester) in enabled {
            let mut needed: Vec<ThreadId> = threads.outlines.blockers(event).to_vec();
            if !threads.outlines.is_always_requested(event) {
                needed.push(requester);
                needed.sort_unstable();
                needed.dedup();
            }
            all_of.push(needed);
        }
        all_of.sort_unstable();
        all_of.dedup();
        Self { any_of: Vec::new(), all_of }
    }

    /// True if keeping `kept` (ascending) excludes the violation.
    pub(crate) fn is_excluded_by(&self, kept: &[ThreadId]) -> bool {
        let has = |t: &ThreadId| kept.binary_search(t).is_ok();
        kept.iter().any(|t| self.any_of.binary_search(t).is_ok()) || self.all_of.iter().any(|all| all.iter().all(has))
    }

    /// The sets of threads that exclude the violation if they are kept in addition to `kept`.
    pub(crate) fn remedies<'a>(&'a self, kept: &'a [ThreadId]) -> impl Iterator<Item = Vec<ThreadId>> + 'a {
        let missing = |all: &Vec<ThreadId>| all.iter().copied().filter(|t| kept.binary_search(t).is_err()).collect();
        self.any_of.iter().map(|&t| vec![t]).chain(self.all_of.iter().map(missing))
    }
}
