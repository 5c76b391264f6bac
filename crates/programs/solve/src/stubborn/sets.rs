//! Sets of events as bit vectors, and a pool that stores each different set once.

use std::collections::HashMap;

/// Identifier of a set in a [`Pool`]. The default is the empty set.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct SetId(u32);

/// A store of different sets of events, `words` words each, numbered in order of insertion.
#[derive(Clone, Debug)]
pub(crate) struct Pool {
    words: usize,
    sets: Vec<u64>,
    ids: HashMap<Box<[u64]>, SetId>,
}

impl Pool {
    pub(crate) fn new(words: usize) -> Self {
        let empty = vec![0; words];
        let ids = HashMap::from([(empty.clone().into_boxed_slice(), SetId::default())]);
        Self { words, sets: empty, ids }
    }

    pub(crate) fn intern(&mut self, set: &[u64]) -> SetId {
        if let Some(id) = self.ids.get(set) {
            return *id;
        }
        let id = SetId(u32::try_from(self.ids.len()).expect("fewer sets than table entries, which are counted first"));
        self.ids.insert(set.into(), id);
        self.sets.extend_from_slice(set);
        id
    }

    #[inline]
    pub(crate) fn get(&self, id: SetId) -> &[u64] {
        let at = id.0 as usize * self.words;
        &self.sets[at..at + self.words]
    }
}

#[inline]
pub(crate) fn contains(set: &[u64], event: usize) -> bool {
    set[event / 64] >> (event % 64) & 1 == 1
}

#[inline]
pub(crate) fn insert(set: &mut [u64], event: usize) {
    set[event / 64] |= 1 << (event % 64);
}

#[inline]
pub(crate) fn add(set: &mut [u64], more: &[u64]) {
    set.iter_mut().zip(more).for_each(|(all, more)| *all |= more);
}

pub(crate) fn count(set: &[u64]) -> u32 {
    set.iter().map(|word| word.count_ones()).sum()
}

/// Returns the events of `set`, ascending.
pub(crate) fn events(set: &[u64]) -> impl Iterator<Item = usize> + '_ {
    set.iter().enumerate().flat_map(|(index, &word)| {
        let rest = |&word: &u64| Some(word & (word - 1)).filter(|&word| word != 0);
        std::iter::successors(Some(word).filter(|&word| word != 0), rest)
            .map(move |word| index * 64 + word.trailing_zeros() as usize)
    })
}
