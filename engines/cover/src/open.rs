//! What is still to be looked at: entries by key, the smallest key first, first come first served within a key.

use crate::store::{NodeId, Step};
use std::collections::{BTreeMap, VecDeque};

/// A successor that has not been built yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) from: NodeId,
    pub(crate) step: Step,
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

    /// The first entry of the smallest key, or, with `last`, the last one of it.
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

    /// Any entry of a key that `choose` picks among so many.
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
