//! A set of keys of a size known beforehand: open addressing with linear probing, of our own.
//!
//! It never grows, so the order of insertion cannot make it cluster: with linear probing the places taken in the end, and
//! their total distance from home, do not depend on it. (A set that doubles while it is fed in the order of another table
//! with the same hash would.) Keys are inserted and looked up in batches: the homes of a batch are read first, which the
//! processor does side by side, so that the time is not spent waiting for memory one key after the other.

use crate::keys::Key;
use crate::work::Work;
use crate::{Check, Refusal};
use std::hint::black_box;

/// How many keys to hand over at once.
pub(crate) const BATCH: usize = 64;

/// A set of at most as many keys as it was made for.
pub(crate) struct KeySet<K> {
    /// About two thirds taken, and never all.
    places: Vec<K>,
    len: usize,
    capacity: usize,
}

impl<K: Key> KeySet<K> {
    /// Room for `capacity` keys of `words` words, if the memory limit allows.
    pub(crate) fn new(capacity: usize, words: usize, work: &Work<'_>) -> Check<Self> {
        let size = capacity.checked_add(capacity / 2 + 1).ok_or(Refusal::TooDear)?;
        let outside = if size_of::<K>() < words * 8 { words * 8 + 16 } else { 0 };
        work.grow(size.saturating_mul(size_of::<K>()).saturating_add(capacity.saturating_mul(outside)))?;
        let mut places = Vec::new();
        places.try_reserve_exact(size).map_err(|_| Refusal::TooDear)?;
        places.resize(size, K::default());
        Ok(Self { places, len: 0, capacity })
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// All keys, in an order that depends on nothing but how they were inserted.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &K> {
        self.places.iter().filter(|key| key.is_taken())
    }

    /// Inserts all of `keys`, at most [`BATCH`], or says which is in the set already or finds no room.
    pub(crate) fn insert(&mut self, keys: &[K], work: &mut Work<'_>) -> Check<Result<(), Refused>> {
        let homes = self.homes(keys);
        for (index, (key, home)) in keys.iter().zip(homes).enumerate() {
            if self.len == self.capacity {
                return Ok(Err(Refused::Full));
            }
            let place = self.place(key, home, work)?;
            if self.places[place].is_taken() {
                return Ok(Err(Refused::Known(index)));
            }
            self.places[place] = key.clone();
            self.len += 1;
        }
        Ok(Ok(()))
    }

    /// The first of `keys`, at most [`BATCH`], that is not in the set, if any.
    pub(crate) fn missing(&self, keys: &[K], work: &mut Work<'_>) -> Check<Option<usize>> {
        let homes = self.homes(keys);
        for (index, (key, home)) in keys.iter().zip(homes).enumerate() {
            let place = self.place(key, home, work)?;
            if !self.places[place].is_taken() {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }

    /// Where to look for `keys` first. Reads these places, so that they are near when looked at one by one.
    fn homes(&self, keys: &[K]) -> [usize; BATCH] {
        let mut homes = [0; BATCH];
        assert!(keys.len() <= BATCH, "a batch is small");
        for (home, key) in homes.iter_mut().zip(keys) {
            *home = ((u128::from(key.mixed()) * self.places.len() as u128) >> 64) as usize;
        }
        let taken = homes[..keys.len()].iter().filter(|&&home| self.places[home].is_taken()).count();
        black_box(taken);
        homes
    }

    /// The place where `key` is, or else the free place where it belongs. Costs a unit per place looked at.
    fn place(&self, key: &K, home: usize, work: &mut Work<'_>) -> Check<usize> {
        let mut place = home;
        loop {
            work.spend(1)?;
            let found = &self.places[place];
            if found == key || !found.is_taken() {
                return Ok(place);
            }
            place += 1;
            if place == self.places.len() {
                place = 0;
            }
        }
    }
}

/// Why a batch was not inserted.
pub(crate) enum Refused {
    /// More keys than announced.
    Full,
    /// The key with this index is in the set already.
    Known(usize),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::Layout;
    use model::Stop;

    /// Dense keys, sparse keys, keys fed in the order of their own hash: about a probe and a half each at two thirds full.
    #[test]
    fn keys_do_not_cluster() {
        let count = 60_000;
        let layout = Layout::new(&[1 << 20, 1 << 31]);
        let keys = |state: &dyn Fn(u32) -> [u32; 2]| -> Vec<[u64; 1]> {
            (0..count).map(|i| layout.pack(&state(i)).expect("a state")).collect()
        };
        let mut hashed = keys(&|i| [i, 0]);
        hashed.sort_by_key(Key::mixed);
        let streams =
            [keys(&|i| [i, 0]), keys(&|i| [i % 16, (i / 16) << 15]), keys(&|i| [(i % 256) << 12, i >> 8]), hashed];
        for (number, stream) in streams.iter().enumerate() {
            let stop = Stop::default();
            let mut work = Work::new(5 * u64::from(count), &stop);
            let mut set = KeySet::new(stream.len(), 1, &work).expect("there is room");
            for batch in stream.chunks(BATCH) {
                assert!(matches!(set.insert(batch, &mut work), Ok(Ok(()))), "stream {number} clusters");
            }
            for batch in stream.chunks(BATCH) {
                assert_eq!(set.missing(batch, &mut work), Ok(None), "stream {number} clusters");
            }
        }
    }

    #[test]
    fn a_set_knows_its_keys_and_its_limits() {
        let stop = Stop::default();
        let mut work = Work::new(10_000, &stop);
        let key = |k: u64| [1 << 63 | k];
        let mut set = KeySet::new(3, 1, &work).unwrap();
        assert!(matches!(set.insert(&[key(5), key(0)], &mut work), Ok(Ok(()))));
        assert!(matches!(set.insert(&[key(0)], &mut work), Ok(Err(Refused::Known(0)))));
        assert_eq!(set.missing(&[key(0), key(5)], &mut work), Ok(None));
        assert_eq!(set.missing(&[key(0), key(1), key(5)], &mut work), Ok(Some(1)));
        assert!(matches!(set.insert(&[key(9), key(7)], &mut work), Ok(Err(Refused::Full))));
        assert_eq!((set.len(), set.iter().count()), (3, 3));
        for k in 10..200 {
            assert_eq!(set.missing(&[key(k)], &mut work), Ok(Some(0)), "a full set still answers");
        }
    }
}
