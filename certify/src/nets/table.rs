//! A set of packed markings of a size known beforehand, of any width: as [`crate::key_set`], but with the words of all keys
//! in one list, since markings of contest nets take dozens of words and a list per marking would double their cost.

use crate::key_set::{BATCH, Refused};
use crate::keys::mixed;
use crate::work::Work;
use crate::{Check, Refusal};
use std::hint::black_box;

/// Open addressing with linear probing. About two thirds of the places are taken, and never all. The first word of a key is
/// never 0, so a place that starts with 0 is free.
pub(crate) struct Table {
    places: Vec<u64>,
    size: usize,
    words: usize,
    len: usize,
    capacity: usize,
}

impl Table {
    /// Room for `capacity` keys of `words` words, if the memory limit allows.
    pub(crate) fn new(capacity: usize, words: usize, work: &Work<'_>) -> Check<Self> {
        let size = capacity.checked_add(capacity / 2 + 1).ok_or(Refusal::TooDear)?;
        let all = size.checked_mul(words).ok_or(Refusal::TooDear)?;
        work.grow(all.saturating_mul(size_of::<u64>()))?;
        let mut places = Vec::new();
        places.try_reserve_exact(all).map_err(|_| Refusal::TooDear)?;
        places.resize(all, 0);
        Ok(Self { places, size, words, len: 0, capacity })
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The numbers of all taken places.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> {
        (0..self.size).filter(|&place| self.is_taken(place))
    }

    /// The first taken place from this one on.
    pub(crate) fn next(&self, from: usize) -> Option<usize> {
        (from..self.size).find(|&place| self.is_taken(place))
    }

    /// The key at a taken place.
    pub(crate) fn key(&self, place: usize) -> &[u64] {
        &self.places[place * self.words..][..self.words]
    }

    /// Inserts the keys of `batch`, one after the other and at most [`BATCH`], or says which is in the set already or finds
    /// no room.
    pub(crate) fn insert(&mut self, batch: &[u64], work: &mut Work<'_>) -> Check<Result<(), Refused>> {
        let homes = self.homes(batch);
        for (index, (key, home)) in batch.chunks_exact(self.words).zip(homes).enumerate() {
            if self.len == self.capacity {
                return Ok(Err(Refused::Full));
            }
            let place = self.place(key, home, work)?;
            if self.is_taken(place) {
                return Ok(Err(Refused::Known(index)));
            }
            self.places[place * self.words..][..self.words].copy_from_slice(key);
            self.len += 1;
        }
        Ok(Ok(()))
    }

    /// Writes the indices of those keys of `batch` that are not in the set into `missing`.
    pub(crate) fn look_up(&self, batch: &[u64], missing: &mut Vec<usize>, work: &mut Work<'_>) -> Check<()> {
        missing.clear();
        let homes = self.homes(batch);
        for (index, (key, home)) in batch.chunks_exact(self.words).zip(homes).enumerate() {
            let place = self.place(key, home, work)?;
            if !self.is_taken(place) {
                missing.push(index);
            }
        }
        Ok(())
    }

    /// Where to look for the keys first. Reads these places, so that they are near when looked at one by one.
    fn homes(&self, batch: &[u64]) -> [usize; BATCH] {
        let mut homes = [0; BATCH];
        assert!(batch.len() <= BATCH * self.words, "a batch is small");
        let mut taken = 0;
        for (home, key) in homes.iter_mut().zip(batch.chunks_exact(self.words)) {
            *home = ((u128::from(mixed(key)) * self.size as u128) >> 64) as usize;
        }
        for &home in &homes[..batch.len() / self.words] {
            taken += usize::from(self.is_taken(home));
        }
        black_box(taken);
        homes
    }

    fn is_taken(&self, place: usize) -> bool {
        self.places[place * self.words] != 0
    }

    /// The place where `key` is, or else the free place where it belongs. Costs a unit per place looked at.
    fn place(&self, key: &[u64], home: usize, work: &mut Work<'_>) -> Check<usize> {
        let mut place = home;
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
