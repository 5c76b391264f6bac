//! Keys on their way to the parts that own them.

use crate::Check;
use crate::keys::mixed;

/// Words for one part that are sent together.
const FULL: usize = 1 << 15;

/// The most bytes that an outbox needs for one part.
pub(super) const BYTES: usize = 4 * FULL * size_of::<u64>();

/// Returns the number of the part that owns this key.
#[must_use]
#[inline]
pub fn owner(key: &[u64], parts: usize) -> usize {
    // The leading bits of this hash determine the entry in a table. If they chose the part, too, each table would
    // be full in some places and empty in others.
    ((u128::from(mixed(key).rotate_left(32)) * parts as u128) >> 64) as usize
}

/// A count of keys, and the sum of their hashes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tally {
    /// Number of keys.
    pub keys: u64,
    /// Sum of their hashes, modulo 2^64.
    pub sum: u64,
}

impl Tally {
    /// Adds a key.
    #[inline]
    pub fn add(&mut self, key: &[u64]) {
        self.keys = self.keys.wrapping_add(1);
        self.sum = self.sum.wrapping_add(mixed(key).rotate_left(17));
    }

    /// Adds the keys of another tally.
    pub fn merge(&mut self, other: Self) {
        self.keys = self.keys.wrapping_add(other.keys);
        self.sum = self.sum.wrapping_add(other.sum);
    }
}

/// Takes keys for the part with this number.
pub type Send<'a> = dyn FnMut(usize, &[u64]) -> Check<()> + 'a;

/// Collects keys for all parts, and sends them in batches.
#[derive(Debug)]
pub struct Outbox {
    words: usize,
    /// True if a key that occurs twice in a batch is sent once.
    merges: bool,
    waiting: Vec<Vec<u64>>,
    sent: Vec<Tally>,
}

impl Outbox {
    /// Creates an outbox for listed states. A state that is listed twice is sent twice, so that its part sees it.
    #[must_use]
    pub fn of_listed(words: usize, parts: usize) -> Self {
        Self { words, merges: false, waiting: vec![Vec::new(); parts], sent: vec![Tally::default(); parts] }
    }

    /// Creates an outbox for successors. Many steps lead to the same states, so batches are sorted, and each key of
    /// a batch is sent once.
    #[must_use]
    pub fn of_steps(words: usize, parts: usize) -> Self {
        Self { merges: true, ..Self::of_listed(words, parts) }
    }

    /// Adds a key.
    ///
    /// # Errors
    /// The errors of `send`.
    #[inline]
    pub fn push(&mut self, key: &[u64], send: &mut Send<'_>) -> Check<()> {
        let to = owner(key, self.waiting.len());
        self.waiting[to].extend_from_slice(key);
        if self.waiting[to].len() >= FULL { self.send(to, send) } else { Ok(()) }
    }

    /// Sends all keys that wait.
    ///
    /// # Errors
    /// The errors of `send`.
    pub fn flush(&mut self, send: &mut Send<'_>) -> Check<()> {
        (0..self.waiting.len()).try_for_each(|to| self.send(to, send))
    }

    fn send(&mut self, to: usize, send: &mut Send<'_>) -> Check<()> {
        let Self { words, merges, waiting, sent } = self;
        let keys = &mut waiting[to];
        if *merges {
            sort_and_merge(keys, *words);
        }
        keys.chunks_exact(*words).for_each(|key| sent[to].add(key));
        if !keys.is_empty() {
            send(to, keys)?;
        }
        keys.clear();
        Ok(())
    }

    /// Returns, for each part, the tally of the keys sent to it.
    #[must_use]
    pub fn sent(&self) -> &[Tally] {
        &self.sent
    }
}

fn sort_and_merge(keys: &mut Vec<u64>, words: usize) {
    if words == 1 {
        keys.sort_unstable();
        keys.dedup();
        return;
    }
    let mut order: Vec<&[u64]> = keys.chunks_exact(words).collect();
    order.sort_unstable();
    order.dedup();
    *keys = order.concat();
}
