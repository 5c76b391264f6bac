//! A map from the numbers of clauses to their places in the clause store. Numbers mostly count up without gaps,
//! so they index a table. Numbers that are far greater than the count of clauses are stored in a hash table.
//! Otherwise a file of one line could force a table of gigabytes.

use hashbrown::HashMap;

/// The table may have `SLACK` entries for each clause ever added, plus `FIRST` entries.
const SLACK: u64 = 4;
const FIRST: u64 = 1 << 10;

const NOWHERE: u32 = u32::MAX;

/// A map from clause numbers to places. No place is `u32::MAX`.
#[derive(Default, Debug)]
pub(crate) struct Places {
    dense: Vec<u32>,
    sparse: HashMap<u64, u32>,
    added: u64,
}

impl Places {
    pub(crate) fn get(&self, id: u64) -> Option<u32> {
        match usize::try_from(id).ok().and_then(|i| self.dense.get(i)) {
            Some(&place) if place != NOWHERE => Some(place),
            _ if self.sparse.is_empty() => None,
            _ => self.sparse.get(&id).copied(),
        }
    }

    /// Stores the place of a number that has no place yet.
    pub(crate) fn add(&mut self, id: u64, place: u32) {
        debug_assert!(self.get(id).is_none() && place != NOWHERE, "numbers are given out once");
        self.added += 1;
        if id >= SLACK * self.added + FIRST {
            self.sparse.insert(id, place);
            return;
        }
        let index = id as usize;
        if index >= self.dense.len() {
            self.dense.resize(index + 1, NOWHERE);
        }
        self.dense[index] = place;
    }

    /// Changes the place of a number that has one.
    pub(crate) fn set(&mut self, id: u64, place: u32) {
        debug_assert!(self.get(id).is_some() && place != NOWHERE, "it has a place");
        match self.dense.get_mut(id as usize).filter(|slot| **slot != NOWHERE) {
            Some(slot) => *slot = place,
            None => _ = self.sparse.insert(id, place),
        }
    }

    pub(crate) fn remove(&mut self, id: u64) -> Option<u32> {
        match usize::try_from(id).ok().and_then(|i| self.dense.get_mut(i)).filter(|slot| **slot != NOWHERE) {
            Some(slot) => Some(std::mem::replace(slot, NOWHERE)),
            None => self.sparse.remove(&id),
        }
    }

    /// Number of bytes that one more number may take in the worst case.
    pub(crate) fn growth(&self) -> usize {
        (self.dense.capacity() + 2 * SLACK as usize) * size_of::<u32>()
    }
}
