//! The table of known states: maps packed states to dense numbers, and numbers to states.
//!
//! The index uses open addressing with linear probing. A slot has 64 bits: the upper half of the state's hash,
//! and the state's number. The leading bits of the hash determine the slot where probing starts, so doubling
//! the table is one sequential pass that reads no state. Because of the stored half hash, look-ups seldom read
//! a state that does not match. The states themselves are stored one after the other in a single vector.

mod adding;

pub(crate) use adding::Additions;

use std::num::NonZeroU32;

/// The number of a state in a [`StateTable`]. States are numbered from 0 in the order of interning.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StateId(u32);

impl StateId {
    /// Returns the id of the `index`-th state.
    ///
    /// # Panics
    /// If `index` is 2^32 - 2 or more: no table holds that many states.
    #[must_use]
    pub fn new(index: usize) -> Self {
        assert!(index < MAX_STATES, "state numbers stay below 2^32 - 2");
        Self(index as u32)
    }

    /// Returns the position in the order of interning.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Ids from this number on are markers for users of the table ("no parent"), so that an optional id takes 4
/// bytes.
pub(crate) const MAX_STATES: usize = u32::MAX as usize - 1;

const FIRST_SLOTS: usize = 1 << 8;

/// A set of packed states with a fixed number of words. States are numbered in the order of insertion.
#[derive(Clone, Debug)]
pub struct StateTable {
    words: usize,
    len: usize,
    states: Vec<u64>,
    /// The slots of the index; their number is a power of two. 0 is an empty slot. Otherwise the upper half
    /// holds hash bits, and the lower half is the id + 1.
    slots: Vec<u64>,
    /// Probing for a hash starts at slot `hash >> shift`.
    shift: u32,
}

impl StateTable {
    /// Returns an empty table for states of `words` words.
    ///
    /// # Panics
    /// If `words` is 0.
    #[must_use]
    pub fn new(words: usize) -> Self {
        assert!(words > 0, "a packed state has at least one word");
        Self { words, len: 0, states: Vec::new(), slots: vec![0; FIRST_SLOTS], shift: 64 - FIRST_SLOTS.ilog2() }
    }

    /// Returns an empty table with memory for `states` states.
    pub(crate) fn with_room(words: usize, states: usize) -> Self {
        let mut slots = FIRST_SLOTS;
        while max_load(slots) < states {
            slots *= 2;
        }
        let states = Vec::with_capacity(states * words);
        Self { words, len: 0, states, slots: vec![0; slots], shift: 64 - slots.ilog2() }
    }

    /// Returns the largest number of states of `words` words that a table can have in `bytes` bytes, at least 1.
    pub(crate) fn states_in(bytes: usize, words: usize) -> usize {
        let fits =
            |&slots: &usize| slots.saturating_mul(8).saturating_add(max_load(slots).saturating_mul(words * 8)) <= bytes;
        let slots = std::iter::successors(Some(FIRST_SLOTS), |slots| slots.checked_mul(2))
            .take_while(|slots| *slots <= 1 << 33 && fits(slots))
            .last();
        let room = slots.map_or(bytes / (8 * (words + 2)), max_load);
        room.clamp(1, MAX_STATES)
    }

    /// Ends the table and returns the states, one after the other, in the order of their numbers.
    pub(crate) fn into_states(self) -> Vec<u64> {
        self.states
    }

    /// Returns the bytes allocated.
    pub(crate) fn bytes(&self) -> usize {
        (self.slots.capacity() + self.states.capacity()) * 8
    }

    /// Returns the number of states.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns the words of a state.
    pub(crate) fn words(&self) -> usize {
        self.words
    }

    /// Returns true if the table has no states.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the state `id`.
    ///
    /// # Panics
    /// If `id` is not a state of this table.
    #[inline]
    #[must_use]
    pub fn get(&self, id: StateId) -> &[u64] {
        let at = id.index() * self.words;
        &self.states[at..at + self.words]
    }

    /// Returns the id of `state` if the table contains it.
    #[must_use]
    pub fn find(&self, state: &[u64]) -> Option<StateId> {
        self.probe(hash(state), state).ok()
    }

    /// Returns the id of `state`, which is added if it is new, and true if it is new.
    ///
    /// # Panics
    /// If the state is new and the table has 2^32 - 2 states already. [`StateTable::growth_bytes`] reports that
    /// beforehand.
    #[inline]
    pub fn intern(&mut self, state: &[u64]) -> (StateId, bool) {
        self.intern_hashed(hash(state), state)
    }

    /// Interns states that are stored one after the other. This is faster than one call for each of them, because the
    /// slots of several states are read at the same time.
    pub fn intern_all(&mut self, states: &[u64]) {
        const BATCH: usize = 32;
        let (words, mut hashes) = (self.words, [0; BATCH]);
        for batch in states.chunks(BATCH * words) {
            let hashes = &mut hashes[..batch.len() / words];
            hashes.iter_mut().zip(batch.chunks_exact(words)).for_each(|(of, state)| *of = hash(state));
            self.warm(hashes);
            for (state, &hash) in batch.chunks_exact(words).zip(hashes.iter()) {
                self.intern_hashed(hash, state);
            }
        }
    }

    /// Like [`StateTable::intern`], with the hash of the state given.
    #[inline]
    pub(crate) fn intern_hashed(&mut self, hash: u64, state: &[u64]) -> (StateId, bool) {
        match self.probe(hash, state) {
            Ok(id) => (id, false),
            Err(slot) => (self.insert(slot, hash, state), true),
        }
    }

    /// Returns true if the table contains `state`, which has this hash.
    #[inline]
    pub(crate) fn has_hashed(&self, hash: u64, state: &[u64]) -> bool {
        self.probe(hash, state).is_ok()
    }

    /// Reads the slots where probing for these hashes starts, so that they are in the cache when the states are
    /// interned. These reads overlap, whereas interning one state after the other waits for memory each time.
    #[inline]
    pub(crate) fn warm(&self, hashes: &[u64]) {
        let slot = |hash: u64| self.slots[(hash >> self.shift) as usize];
        std::hint::black_box(hashes.iter().fold(0, |all, &hash| all | slot(hash)));
    }

    /// Returns how many bytes the next [`StateTable::intern`] may allocate. This is mostly 0. It is
    /// `usize::MAX` if the table cannot hold another state.
    #[must_use]
    pub fn growth_bytes(&self) -> usize {
        self.growth_bytes_for(1)
    }

    /// Returns how many bytes the next `more` calls of [`StateTable::intern`] may allocate. It is `usize::MAX`
    /// if the table may not be able to hold their states.
    #[must_use]
    #[inline]
    pub fn growth_bytes_for(&self, more: usize) -> usize {
        let len = self.len.saturating_add(more);
        let room = max_load(self.slots.len()).min(self.states.capacity() / self.words).min(MAX_STATES);
        if len <= room { 0 } else { self.growth_bytes_beyond(len) }
    }

    #[cold]
    fn growth_bytes_beyond(&self, len: usize) -> usize {
        if len > MAX_STATES {
            return usize::MAX;
        }
        let mut bytes = 0usize;
        if len > max_load(self.slots.len()) {
            let mut slots = self.slots.len();
            while max_load(slots) < len {
                slots *= 2;
            }
            bytes = bytes.saturating_add(slots.saturating_mul(8));
        }
        let needed = len.saturating_mul(self.words);
        if needed > self.states.capacity() {
            let capacity = grown_capacity(self.states.capacity(), needed);
            bytes = bytes.saturating_add((capacity - self.states.capacity()).saturating_mul(8));
        }
        bytes
    }

    /// Returns the id of `state`, or the empty slot where it has to be inserted.
    #[inline]
    fn probe(&self, hash: u64, state: &[u64]) -> Result<StateId, usize> {
        debug_assert_eq!(state.len(), self.words, "states of one table have one size");
        let mask = self.slots.len() - 1;
        let mut at = (hash >> self.shift) as usize;
        loop {
            let slot = self.slots[at & mask];
            let Some(number) = NonZeroU32::new(slot as u32) else { return Err(at & mask) };
            if slot >> 32 == hash >> 32 {
                let id = StateId(number.get() - 1);
                if equal(self.get(id), state) {
                    return Ok(id);
                }
            }
            at += 1;
        }
    }

    fn insert(&mut self, mut slot: usize, hash: u64, state: &[u64]) -> StateId {
        let id = StateId::new(self.len);
        if self.len == max_load(self.slots.len()) {
            self.double();
            slot = self.free_slot(hash);
        }
        self.slots[slot] = (hash & !u64::from(u32::MAX)) | u64::from(id.0 + 1);
        reserve(&mut self.states, state.len());
        match state {
            [word] => self.states.push(*word),
            _ => self.states.extend_from_slice(state),
        }
        self.len += 1;
        id
    }

    fn free_slot(&self, hash: u64) -> usize {
        let mask = self.slots.len() - 1;
        let home = (hash >> self.shift) as usize;
        (home..).map(|at| at & mask).find(|&at| self.slots[at] == 0).expect("the table is never full")
    }

    /// Doubles the number of slots. Apart from probing, states are in the slots in the order of their hashes,
    /// so both the old and the new table are passed through once, in order.
    #[cold]
    fn double(&mut self) {
        let doubled = self.slots.len() * 2;
        let old = std::mem::replace(&mut self.slots, vec![0; doubled]);
        self.shift -= 1;
        for slot in old.into_iter().filter(|&slot| slot != 0) {
            let at = self.free_slot(slot);
            self.slots[at] = slot;
        }
    }
}

/// Compares two states. States have a word or two, for which a loop is faster than the call that comparing
/// slices makes.
#[inline]
pub(crate) fn equal(a: &[u64], b: &[u64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a == b)
}

/// Returns the largest number of states for `slots` slots. A load of at most three quarters keeps linear
/// probing short.
fn max_load(slots: usize) -> usize {
    slots / 4 * 3
}

/// Returns the new capacity of a vector of states that needs `needed` items. Large vectors grow by a quarter
/// instead of doubling, because unused capacity matters at hundreds of megabytes.
pub(crate) fn grown_capacity(capacity: usize, needed: usize) -> usize {
    const DOUBLE_BELOW: usize = 1 << 16;
    let more = if capacity < DOUBLE_BELOW { capacity.max(64) } else { capacity / 4 };
    needed.max(capacity + more)
}

/// Reserves capacity for `more` items.
#[inline]
pub(crate) fn reserve<T>(items: &mut Vec<T>, more: usize) {
    let needed = items.len() + more;
    if needed > items.capacity() {
        let capacity = grown_capacity(items.capacity(), needed);
        items.reserve_exact(capacity - items.len());
    }
}

/// Hashes a state by folded multiplication (as in wyhash and foldhash): the two halves of each product are
/// combined by XOR. The constants are fixed, so that all runs of the checker are the same.
#[inline]
pub(crate) fn hash(state: &[u64]) -> u64 {
    const SEED: u64 = 0x243f_6a88_85a3_08d3;
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    state.iter().fold(SEED, |h, &word| {
        let product = u128::from(h ^ word) * u128::from(FACTOR);
        ((product >> 64) as u64) ^ (product as u64)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Returns states in no particular order, some of them twice, with most words equal.
    fn states(words: usize, count: u64) -> impl Iterator<Item = Vec<u64>> {
        (0..count).map(move |i| {
            let mut state = vec![7; words];
            state[words - 1] = (i * i) % (count / 2 + 1);
            state
        })
    }

    #[test]
    fn numbers_follow_the_order_of_arrival() {
        for words in 1..=3 {
            let mut table = StateTable::new(words);
            let mut expected: BTreeMap<Vec<u64>, usize> = BTreeMap::new();
            for state in states(words, 50_000) {
                let next = expected.len();
                let index = *expected.entry(state.clone()).or_insert(next);
                assert_eq!(table.intern(&state), (StateId::new(index), index == next));
            }
            assert_eq!(table.len(), expected.len());
            for (state, &index) in &expected {
                assert_eq!(table.find(state), Some(StateId::new(index)));
                assert_eq!(table.get(StateId::new(index)), state.as_slice());
            }
            assert_eq!(table.find(&vec![u64::MAX; words]), None);
        }
    }

    #[test]
    fn states_are_interned_together_as_one_by_one() {
        for words in 1..=3 {
            let (mut one_by_one, mut together) = (StateTable::new(words), StateTable::new(words));
            let all: Vec<u64> = states(words, 5_000).flatten().collect();
            all.chunks_exact(words).for_each(|state| _ = one_by_one.intern(state));
            all.chunks(words * 777).for_each(|some| together.intern_all(some));
            assert_eq!(together.states, one_by_one.states);
        }
    }

    /// Returns the bytes allocated for slots and for states.
    fn held(table: &StateTable) -> (usize, usize) {
        (table.slots.capacity() * 8, table.states.capacity() * 8)
    }

    #[test]
    fn growth_is_announced() {
        let mut table = StateTable::new(2);
        let mut growths = 0;
        for i in 0..100_000u64 {
            let announced = table.growth_bytes();
            let before = held(&table);
            table.intern(&[i, !i]);
            let after = held(&table);
            let slots = if after.0 == before.0 { 0 } else { after.0 };
            assert_eq!(announced, slots + after.1 - before.1);
            growths += usize::from(announced > 0);
        }
        assert!(growths > 10 && growths < 100, "{growths} growths");
        assert_eq!(StateTable::new(1).growth_bytes_for(MAX_STATES + 1), usize::MAX);
        assert!(StateTable::new(1).growth_bytes_for(MAX_STATES) < usize::MAX);
    }

    #[test]
    fn growth_for_many_covers_them_all() {
        let mut table = StateTable::new(1);
        for round in 0..40u64 {
            let announced = table.growth_bytes_for(5_000);
            let before = held(&table);
            (0..5_000).for_each(|i| _ = table.intern(&[round << 32 | i]));
            let after = held(&table);
            assert!(announced > 0 || before == after, "round {round}");
            assert!(announced >= after.0 - before.0, "round {round}");
        }
    }

    #[test]
    fn equal_hashes_are_told_apart() {
        let mut table = StateTable::new(2);
        let states = [[1, 2], [1, 3], [2, 2], [0, 0]];
        for (index, state) in states.iter().enumerate() {
            assert_eq!(
                table.intern_hashed(u64::MAX, state),
                (StateId::new(index), true),
                "at the table's end, and round it"
            );
        }
        for (index, state) in states.iter().enumerate() {
            assert_eq!(table.intern_hashed(u64::MAX, state), (StateId::new(index), false));
        }
    }

    #[test]
    fn probing_stays_short_on_structured_states() {
        for shift in [0, 13, 40] {
            let mut table = StateTable::new(1);
            (0..100_000u64).for_each(|i| _ = table.intern(&[i << shift]));
            let mask = table.slots.len() - 1;
            let walked = |(at, &slot): (usize, &u64)| at.wrapping_sub((slot >> table.shift) as usize) & mask;
            let total: usize = table.slots.iter().enumerate().filter(|(_, slot)| **slot != 0).map(walked).sum();
            assert!(total < 3 * table.len(), "shift {shift}: {total} steps for {} states", table.len());
        }
    }
}
