//! A hash set of keys with a capacity fixed in advance: open addressing with linear probing, the words of all
//! keys in one vector.
//!
//! The table never grows, so the order of insertion cannot make it cluster: with linear probing neither the set
//! of occupied entries nor the total probe distance depends on that order. (A set that doubles would cluster if
//! keys were inserted in the order of another table with the same hash.)
//!
//! Keys are handled in batches: the first entries of all keys in a batch are read before any key is compared,
//! and the processor performs these reads in parallel. With millions of keys most of the time is spent waiting
//! for memory. Handling keys one by one takes two to five times as long (measured with 10.8 million states).

use crate::keys::mixed;
use crate::work::Work;
use crate::{Check, Refusal};

/// A hash set of keys. About two thirds of its entries can be occupied, and never all. The first word of a key
/// is never 0, so an entry that starts with 0 is free.
#[derive(Debug)]
pub struct Table {
    places: Vec<u64>,
    size: usize,
    words: usize,
    len: usize,
    capacity: usize,
}

/// Greatest number of keys in a batch.
pub const BATCH: usize = 64;

/// The reason why a key was not inserted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refused {
    /// The set already contains the key with this number in the batch.
    Known(usize),
    /// The table already contains as many keys as its capacity.
    Full,
}

/// The entry at which the search for a key starts, and the first word that this entry had when the batch was
/// read.
#[derive(Clone, Copy, Default)]
struct HashSlot {
    place: usize,
    first: u64,
}

impl Table {
    /// Creates a table for `capacity` keys of `words` words each.
    ///
    /// # Errors
    /// If the memory limit does not allow a table of this size.
    pub fn new(capacity: usize, words: usize, work: &Work<'_>) -> Check<Self> {
        assert!(words > 0, "a key has a word");
        let size = capacity.checked_add(capacity / 2 + 1).ok_or(Refusal::ResourceLimit)?;
        let all = size.checked_mul(words).ok_or(Refusal::ResourceLimit)?;
        work.grow(Self::bytes(capacity as u64, words))?;
        let mut places = Vec::new();
        places.try_reserve_exact(all).map_err(|_| Refusal::ResourceLimit)?;
        places.resize(all, 0);
        Ok(Self { places, size, words, len: 0, capacity })
    }

    /// Returns the number of bytes of a table for `capacity` keys of `words` words each. Saturates.
    #[must_use]
    pub fn bytes(capacity: u64, words: usize) -> usize {
        let size = capacity.saturating_add(capacity / 2 + 1);
        usize::try_from(size).unwrap_or(usize::MAX).saturating_mul(words).saturating_mul(size_of::<u64>())
    }

    /// Number of keys.
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns true if the table contains no key.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the indices of all occupied entries.
    pub fn taken(&self) -> impl Iterator<Item = usize> {
        (0..self.size).filter(|&place| self.is_taken(place))
    }

    /// Returns the index of the first occupied entry from `place` on.
    #[must_use]
    pub fn taken_from(&self, place: usize) -> Option<usize> {
        (place..self.size).find(|&place| self.is_taken(place))
    }

    /// Returns the key at an occupied entry.
    #[must_use]
    #[inline]
    pub fn key(&self, place: usize) -> &[u64] {
        debug_assert!(self.is_taken(place), "a free place has no key");
        &self.places[place * self.words..][..self.words]
    }

    /// Inserts the keys of a batch in order. The inner result tells why a key was not inserted; the keys before
    /// it are inserted.
    ///
    /// # Errors
    /// If a resource limit is exceeded.
    pub fn insert(&mut self, batch: &[u64], work: &mut Work<'_>) -> Check<Result<(), Refused>> {
        let hash_slots = self.hash_slots(self.words, batch);
        for (number, (key, hash_slot)) in batch.chunks_exact(self.words).zip(hash_slots).enumerate() {
            if self.len == self.capacity {
                return Ok(Err(Refused::Full));
            }
            if !self.put(key, hash_slot, work)? {
                return Ok(Err(Refused::Known(number)));
            }
        }
        Ok(Ok(()))
    }

    /// Inserts one key. Returns false if the table already contains it.
    ///
    /// # Errors
    /// If the table is full, or if a resource limit is exceeded.
    pub fn add(&mut self, key: &[u64], work: &mut Work<'_>) -> Check<bool> {
        match self.len < self.capacity {
            true => self.put(key, self.hash_slot(self.words, key), work),
            false if self.has(key, work)? => Ok(false),
            false => Err(Refusal::ResourceLimit),
        }
    }

    fn put(&mut self, key: &[u64], hash_slot: HashSlot, work: &mut Work<'_>) -> Check<bool> {
        debug_assert!(key[0] != 0, "no key looks like a free place");
        debug_assert!(self.len < self.capacity, "there is room");
        let place = self.place(self.words, key, hash_slot, work)?;
        if self.is_taken(place) {
            return Ok(false);
        }
        self.places[place * self.words..][..self.words].copy_from_slice(key);
        self.len += 1;
        assert!(self.len < self.size, "a place stays free, so every search ends");
        Ok(true)
    }

    /// Passes the number of each key of a batch that is not in the set to `missing`.
    ///
    /// # Errors
    /// If a resource limit is exceeded.
    pub fn look_up(&self, batch: &[u64], work: &mut Work<'_>, missing: impl FnMut(usize)) -> Check<()> {
        // Most keys have one word. For the constant 1, the compiler removes the loops over words.
        match self.words {
            1 => self.look_up_words(1, batch, work, missing),
            words => self.look_up_words(words, batch, work, missing),
        }
    }

    #[inline(always)]
    fn look_up_words(
        &self,
        words: usize,
        batch: &[u64],
        work: &mut Work<'_>,
        mut missing: impl FnMut(usize),
    ) -> Check<()> {
        let hash_slots = self.hash_slots(words, batch);
        for (number, (key, hash_slot)) in batch.chunks_exact(words).zip(hash_slots).enumerate() {
            let place = self.place(words, key, hash_slot, work)?;
            if !self.is_taken(place) {
                missing(number);
            }
        }
        Ok(())
    }

    /// Returns true if the set contains this key.
    ///
    /// # Errors
    /// If a resource limit is exceeded.
    pub fn has(&self, key: &[u64], work: &mut Work<'_>) -> Check<bool> {
        let mut found = true;
        self.look_up(key, work, |_| found = false)?;
        Ok(found)
    }

    /// Returns the entry that contains this key, if the set contains it.
    ///
    /// # Errors
    /// If a resource limit is exceeded.
    pub fn find(&self, key: &[u64], work: &mut Work<'_>) -> Check<Option<usize>> {
        let place = self.place(self.words, key, self.hash_slot(self.words, key), work)?;
        Ok(self.is_taken(place).then_some(place))
    }

    /// Passes the entry that contains each key of a batch to `found`, in order; `None` if the set does not contain it.
    ///
    /// # Errors
    /// If a resource limit is exceeded.
    pub fn find_all(&self, batch: &[u64], work: &mut Work<'_>, mut found: impl FnMut(Option<usize>)) -> Check<()> {
        let hash_slots = self.hash_slots(self.words, batch);
        for (key, hash_slot) in batch.chunks_exact(self.words).zip(hash_slots) {
            let place = self.place(self.words, key, hash_slot, work)?;
            found(self.is_taken(place).then_some(place));
        }
        Ok(())
    }

    /// Computes where the search for each key of a batch starts.
    #[inline(always)]
    fn hash_slots(&self, words: usize, batch: &[u64]) -> [HashSlot; BATCH] {
        assert!(batch.len() <= BATCH * words && batch.len().is_multiple_of(words), "it is a batch of keys");
        let mut hash_slots = [HashSlot::default(); BATCH];
        for (hash_slot, key) in hash_slots.iter_mut().zip(batch.chunks_exact(words)) {
            *hash_slot = self.hash_slot(words, key);
        }
        hash_slots
    }

    #[inline(always)]
    fn hash_slot(&self, words: usize, key: &[u64]) -> HashSlot {
        let place = ((u128::from(mixed(key)) * self.size as u128) >> 64) as usize;
        HashSlot { place, first: self.places[place * words] }
    }

    fn is_taken(&self, place: usize) -> bool {
        self.places[place * self.words] != 0
    }

    /// Returns the entry that contains `key`, or else the free entry in which `key` can be inserted. Costs one
    /// work unit per entry read.
    #[inline(always)]
    fn place(&self, words: usize, key: &[u64], hash_slot: HashSlot, work: &mut Work<'_>) -> Check<usize> {
        // Keys never move. If the first entry held another key when the batch was read, it still holds that
        // key.
        debug_assert!(key.len() == words && hash_slot.place < self.size, "a key of this table's width, and its slot");
        let mut place = if hash_slot.first == 0 || hash_slot.first == key[0] {
            hash_slot.place
        } else {
            self.after(hash_slot.place)
        };
        loop {
            work.spend(1)?;
            // Compares word by word, because most keys have one or two words and differ in the first.
            let found = &self.places[place * words..][..words];
            if found[0] == 0 || found.iter().zip(key).all(|(a, b)| a == b) {
                return Ok(place);
            }
            place = self.after(place);
        }
    }

    fn after(&self, place: usize) -> usize {
        if place + 1 == self.size { 0 } else { place + 1 }
    }
}
