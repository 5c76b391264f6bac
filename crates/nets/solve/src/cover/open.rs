//! Queue of entries by key, smallest key first. Entries with equal keys are taken in the order of their
//! arrival, or in the reverse order.

use crate::cover::store::{Move, NodeId};
use std::collections::{BTreeMap, VecDeque};

/// A successor that has not been computed yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) from: NodeId,
    pub(crate) step: Move,
}

#[derive(Default)]
pub(crate) struct Open {
    buckets: BTreeMap<u64, VecDeque<Entry>>,
    len: usize,
}

impl Open {
    pub(crate) fn push(&mut self, key: u64, entry: Entry) {
        self.buckets.entry(key).or_default().push_back(entry);
        self.len += 1;
    }

    /// Takes an entry with the smallest key: the first, or the last if `last`.
    pub(crate) fn pop(&mut self, last: bool) -> Option<(u64, Entry)> {
        let mut first = self.buckets.first_entry()?;
        let key = *first.key();
        let entry = if last { first.get_mut().pop_back() } else { first.get_mut().pop_front() };
        if first.get().is_empty() {
            first.remove();
        }
        self.len -= 1;
        entry.map(|entry| (key, entry))
    }

    /// Takes an arbitrary entry. `choose(n)` picks a number below n, first for the key, then for the entry.
    pub(crate) fn pop_any(&mut self, mut choose: impl FnMut(usize) -> usize) -> Option<(u64, Entry)> {
        let nth = choose(self.buckets.len().max(1));
        let key = *self.buckets.keys().nth(nth)?;
        let bucket = self.buckets.get_mut(&key)?;
        let at = choose(bucket.len());
        let entry = bucket.swap_remove_back(at);
        if bucket.is_empty() {
            self.buckets.remove(&key);
        }
        self.len -= 1;
        entry.map(|entry| (key, entry))
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }
}
