//! A set of keys of a size known beforehand: open addressing with linear probing, the words of all keys in one list.
//!
//! It never grows, so the order of insertion cannot make it cluster: with linear probing the places taken in the end, and
//! their total distance from home, do not depend on it. (A set that doubles while it is fed in the order of another table
//! with the same hash would.)

use crate::keys::mixed;
use crate::work::Work;
use crate::{Check, Refusal};

/// About two thirds of the places are taken, and never all. The first word of a key is never 0, so a place that starts with 0
/// is free.
#[derive(Debug)]
pub struct Table {
    places: Vec<u64>,
    size: usize,
    words: usize,
    len: usize,
    capacity: usize,
}

/// What became of a key that was to be inserted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inserted {
    /// It is in the set now.
    New,
    /// It was there already.
    Known,
    /// There are as many keys as the table was made for.
    Full,
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
    pub fn key(&self, place: usize) -> &[u64] {
        &self.places[place * self.words..][..self.words]
    }

    /// Inserts a key.
    ///
    /// # Errors
    /// Beyond the limits.
    pub fn insert(&mut self, key: &[u64], work: &mut Work<'_>) -> Check<Inserted> {
        debug_assert!(key.len() == self.words && key[0] != 0, "this is a key");
        if self.len == self.capacity {
            return Ok(Inserted::Full);
        }
        let place = self.place(key, work)?;
        if self.is_taken(place) {
            return Ok(Inserted::Known);
        }
        self.places[place * self.words..][..self.words].copy_from_slice(key);
        self.len += 1;
        assert!(self.len < self.size, "a place stays free, so every search ends");
        Ok(Inserted::New)
    }

    /// Is this key in the set?
    ///
    /// # Errors
    /// Beyond the limits.
    pub fn has(&self, key: &[u64], work: &mut Work<'_>) -> Check<bool> {
        let place = self.place(key, work)?;
        Ok(self.is_taken(place))
    }

    fn is_taken(&self, place: usize) -> bool {
        self.places[place * self.words] != 0
    }

    /// The place where `key` is, or else the free place where it belongs. Costs a unit per place looked at.
    fn place(&self, key: &[u64], work: &mut Work<'_>) -> Check<usize> {
        debug_assert_eq!(key.len(), self.words);
        let mut place = ((u128::from(mixed(key)) * self.size as u128) >> 64) as usize;
        loop {
            work.spend(1)?;
            // Word by word: most keys have one or two, and differ in the first.
            let found = self.key(place);
            if found[0] == 0 || found.iter().zip(key).all(|(a, b)| a == b) {
                return Ok(place);
            }
            place += 1;
            if place == self.size {
                place = 0;
            }
        }
    }
}
