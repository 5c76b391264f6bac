//! A set of keys of a size known beforehand: open addressing with linear probing, the words of all keys in one list.
//!
//! It never grows, so the order of insertion cannot make it cluster: with linear probing the places taken in the end,
//! and their total distance from home, do not depend on it. (A set that doubles while it is fed in the order of another
//! table with the same hash would.)
//!
//! Keys come in batches: the homes of all are read before any is looked for, which the processor does side by side. Of
//! sets of millions most of the time is waiting for memory, and one by one they take twice to five times as long
//! (measured: 10.8 million states).

use crate::keys::mixed;
use crate::work::Work;
use crate::{Check, Refusal};

/// About two thirds of the places are taken, and never all. The first word of a key is never 0, so a place that starts
/// with 0 is free.
#[derive(Debug)]
pub struct Table {
    places: Vec<u64>,
    size: usize,
    words: usize,
    len: usize,
    capacity: usize,
}

/// How many keys a batch has at most.
pub const BATCH: usize = 64;

/// Why a key was not inserted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refused {
    /// That of this number in the batch is there already.
    Known(usize),
    /// There are as many keys as the table was made for.
    Full,
}

/// Where a key belongs if that is free, and the first word of what was there when its batch was looked at.
#[derive(Clone, Copy, Default)]
struct Home {
    place: usize,
    first: u64,
}

impl Table {
    /// Room for `capacity` keys of `words` words.
    ///
    /// # Errors
    /// If the memory limit does not allow that.
    pub fn new(capacity: usize, words: usize, work: &Work<'_>) -> Check<Self> {
        assert!(words > 0, "a key has a word");
        let size = capacity.checked_add(capacity / 2 + 1).ok_or(Refusal::TooDear)?;
        let all = size.checked_mul(words).ok_or(Refusal::TooDear)?;
        work.grow(all.saturating_mul(size_of::<u64>()))?;
        let mut places = Vec::new();
        places.try_reserve_exact(all).map_err(|_| Refusal::TooDear)?;
        places.resize(all, 0);
        Ok(Self { places, size, words, len: 0, capacity })
    }

    /// How many keys there are.
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Is there no key?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The numbers of all taken places.
    pub fn taken(&self) -> impl Iterator<Item = usize> {
        (0..self.size).filter(|&place| self.is_taken(place))
    }

    /// The key at a taken place.
    #[must_use]
    #[inline]
    pub fn key(&self, place: usize) -> &[u64] {
        debug_assert!(self.is_taken(place), "a free place has no key");
        &self.places[place * self.words..][..self.words]
    }

    /// Inserts the keys of a batch, one after the other.
    ///
    /// # Errors
    /// Beyond the limits.
    pub fn insert(&mut self, batch: &[u64], work: &mut Work<'_>) -> Check<Result<(), Refused>> {
        let homes = self.homes(self.words, batch);
        for (number, (key, home)) in batch.chunks_exact(self.words).zip(homes).enumerate() {
            if self.len == self.capacity {
                return Ok(Err(Refused::Full));
            }
            if !self.put(key, home, work)? {
                return Ok(Err(Refused::Known(number)));
            }
        }
        Ok(Ok(()))
    }

    /// Inserts one key; false if it is there already.
    ///
    /// # Errors
    /// If there are as many keys as the table was made for; beyond the limits.
    pub fn add(&mut self, key: &[u64], work: &mut Work<'_>) -> Check<bool> {
        match self.len < self.capacity {
            true => self.put(key, self.home(self.words, key), work),
            false if self.has(key, work)? => Ok(false),
            false => Err(Refusal::TooDear),
        }
    }

    fn put(&mut self, key: &[u64], home: Home, work: &mut Work<'_>) -> Check<bool> {
        debug_assert!(key[0] != 0, "no key looks like a free place");
        debug_assert!(self.len < self.capacity, "there is room");
        let place = self.place(self.words, key, home, work)?;
        if self.is_taken(place) {
            return Ok(false);
        }
        self.places[place * self.words..][..self.words].copy_from_slice(key);
        self.len += 1;
        assert!(self.len < self.size, "a place stays free, so every search ends");
        Ok(true)
    }

    /// Hands the keys of a batch that are not in the set to `missing`, by their numbers.
    ///
    /// # Errors
    /// Beyond the limits.
    pub fn look_up(&self, batch: &[u64], work: &mut Work<'_>, missing: impl FnMut(usize)) -> Check<()> {
        // Most keys have one word, and compiled for it the loops over words are gone.
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
        let homes = self.homes(words, batch);
        for (number, (key, home)) in batch.chunks_exact(words).zip(homes).enumerate() {
            let place = self.place(words, key, home, work)?;
            if !self.is_taken(place) {
                missing(number);
            }
        }
        Ok(())
    }

    /// Is this key in the set?
    ///
    /// # Errors
    /// Beyond the limits.
    pub fn has(&self, key: &[u64], work: &mut Work<'_>) -> Check<bool> {
        let mut found = true;
        self.look_up(key, work, |_| found = false)?;
        Ok(found)
    }

    /// The homes of the keys of a batch.
    #[inline(always)]
    fn homes(&self, words: usize, batch: &[u64]) -> [Home; BATCH] {
        assert!(batch.len() <= BATCH * words && batch.len().is_multiple_of(words), "it is a batch of keys");
        let mut homes = [Home::default(); BATCH];
        for (home, key) in homes.iter_mut().zip(batch.chunks_exact(words)) {
            *home = self.home(words, key);
        }
        homes
    }

    #[inline(always)]
    fn home(&self, words: usize, key: &[u64]) -> Home {
        let place = ((u128::from(mixed(key)) * self.size as u128) >> 64) as usize;
        Home { place, first: self.places[place * words] }
    }

    fn is_taken(&self, place: usize) -> bool {
        self.places[place * self.words] != 0
    }

    /// The place where `key` is, or else the free place where it belongs. Costs a unit per place looked at.
    #[inline(always)]
    fn place(&self, words: usize, key: &[u64], home: Home, work: &mut Work<'_>) -> Check<usize> {
        // Keys stay where they are: if there was another one at home, it is there still.
        debug_assert!(key.len() == words && home.place < self.size, "a key of this table's width, and its home");
        let mut place = if home.first == 0 || home.first == key[0] { home.place } else { self.after(home.place) };
        loop {
            work.spend(1)?;
            // Word by word: most keys have one or two, and differ in the first.
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
