//! Adds states to a table by several workers, with the numbers that one worker would give.
//!
//! The states to add are listed in the order of a search, and may occur several times. None of them is in the table.
//!
//! 1. Each worker has a range of the slots, and inserts the states for which probing begins there, with provisional
//!    numbers: the positions in the list. Where probing would leave the range, the state is left for later.
//! 2. The states that were left are inserted one after the other. They are few.
//! 3. The first occurrence of each state is known now, and the final number of a state is the number of first
//!    occurrences before it. Workers write the final numbers into their slots, and copy states and parents.
//!
//! No worker writes what another one reads, so there are no locks.

use super::{MAX_STATES, StateTable, equal, max_load, reserve};
use crate::parents::Parents;
use rayon::ThreadPool;

/// Number of slots that a worker reads together. A core does not keep more reads in flight.
const TOGETHER: usize = 32;

/// The states to add, one after the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Additions<'b> {
    pub(crate) hashes: &'b [u64],
    pub(crate) states: &'b [u64],
    /// For each state: the number of the state from which it was reached.
    pub(crate) parents: &'b [u32],
}

/// The states to add, and what is known of the table.
struct View<'b> {
    list: Additions<'b>,
    words: usize,
    /// Number of states in the table before.
    len: usize,
    shift: u32,
    mask: usize,
}

impl View<'_> {
    #[inline]
    fn state(&self, position: usize) -> &[u64] {
        &self.list.states[position * self.words..][..self.words]
    }

    /// Returns the slot of the state at this position, with its provisional number.
    fn slot(&self, position: usize, hash: u64) -> u64 {
        (hash & !u64::from(u32::MAX)) | (self.len + position + 1) as u64
    }

    /// Returns true if the slot belongs to the same state as `state`, which is not one of the table.
    fn is_same(&self, slot: u64, hash: u64, state: &[u64]) -> bool {
        let number = slot as u32 as usize - 1;
        slot >> 32 == hash >> 32 && number >= self.len && equal(self.state(number - self.len), state)
    }
}

/// The slots of a worker.
struct Range<'t> {
    /// The index of the first slot in the table.
    first: usize,
    slots: &'t mut [u64],
    found: Found,
}

/// What a worker found.
#[derive(Default)]
struct Found {
    /// Positions of first occurrences, ascending, each with its slot in the range.
    new: Vec<(u32, u32)>,
    /// Positions of states that were left for later, ascending, with their hashes.
    left: Vec<(u32, u64)>,
}

impl Range<'_> {
    fn insert(&mut self, view: &View<'_>) {
        let mut own = [(0u32, 0u32); TOGETHER];
        let mut count = 0;
        for (position, &hash) in view.list.hashes.iter().enumerate() {
            let home = (hash >> view.shift) as usize;
            if let Some(at) = home.checked_sub(self.first).filter(|at| *at < self.slots.len()) {
                own[count] = (position as u32, at as u32);
                count += 1;
                if count == TOGETHER {
                    self.insert_some(view, &own);
                    count = 0;
                }
            }
        }
        self.insert_some(view, &own[..count]);
    }

    fn insert_some(&mut self, view: &View<'_>, own: &[(u32, u32)]) {
        // These reads overlap, whereas inserting one state after the other waits for memory each time.
        std::hint::black_box(own.iter().fold(0, |all, &(_, home)| all | self.slots[home as usize]));
        for &(position, home) in own {
            let position = position as usize;
            self.insert_one(view, position, view.list.hashes[position], view.state(position), home as usize);
        }
    }

    #[inline]
    fn insert_one(&mut self, view: &View<'_>, position: usize, hash: u64, state: &[u64], home: usize) {
        for at in home..self.slots.len() {
            let slot = self.slots[at];
            if slot == 0 {
                self.slots[at] = view.slot(position, hash);
                self.found.new.push((position as u32, at as u32));
                return;
            }
            if view.is_same(slot, hash, state) {
                return;
            }
        }
        self.found.left.push((position as u32, hash));
    }

    /// Replaces provisional numbers by final ones.
    fn number(&mut self, len: usize, firsts: &Firsts) {
        for &(position, at) in &self.found.new {
            let slot = &mut self.slots[at as usize];
            *slot = (*slot & !u64::from(u32::MAX)) | (len + firsts.before(position as usize) + 1) as u64;
        }
    }
}

/// The positions of first occurrences, as bits, with the number of bits before each word.
struct Firsts {
    /// Number of positions.
    total: usize,
    bits: Vec<u64>,
    before: Vec<u32>,
}

impl Firsts {
    fn new(positions: impl Iterator<Item = u32>, total: usize) -> Self {
        let mut bits = vec![0u64; total / 64 + 1];
        positions.for_each(|position| bits[position as usize / 64] |= 1 << (position % 64));
        let count = |sum: &mut u32, word: &u64| Some(std::mem::replace(sum, *sum + word.count_ones()));
        let before = bits.iter().scan(0, count).collect();
        Self { total, bits, before }
    }

    fn len(&self) -> usize {
        self.total
    }

    /// Returns the number of first occurrences before this position.
    #[inline]
    fn before(&self, position: usize) -> usize {
        let (word, bit) = (position / 64, position % 64);
        self.before[word] as usize + (self.bits[word] & ((1 << bit) - 1)).count_ones() as usize
    }

    #[inline]
    fn has(&self, position: usize) -> bool {
        self.bits[position / 64] >> (position % 64) & 1 == 1
    }
}

/// A part of the list, and the places of its new states.
struct Copy<'t> {
    positions: std::ops::Range<usize>,
    states: &'t mut [u64],
    parents: &'t mut [u32],
}

impl Copy<'_> {
    fn copy(&mut self, view: &View<'_>, firsts: &Firsts) {
        let mut to = 0;
        for position in self.positions.clone().filter(|position| firsts.has(*position)) {
            self.states[to * view.words..][..view.words].copy_from_slice(view.state(position));
            self.parents[to] = view.list.parents[position];
            to += 1;
        }
        debug_assert_eq!(to, self.parents.len(), "every first occurrence is copied");
    }
}

impl StateTable {
    /// Adds states that are not in the table, and their parents. Their numbers follow from the order of the list alone.
    ///
    /// # Panics
    /// If the table and the list have more than 2^32 - 2 states together.
    pub(crate) fn add_all(&mut self, parents: &mut Parents, list: Additions<'_>, pool: &ThreadPool, workers: usize) {
        let total = list.hashes.len();
        assert!(self.len + total <= MAX_STATES, "there are numbers for all states");
        while max_load(self.slots.len()) < self.len + total {
            self.double();
        }
        let (words, len, shift, mask) = (self.words, self.len, self.shift, self.slots.len() - 1);
        let view = View { list, words, len, shift, mask };
        let each = self.slots.len().div_ceil(workers);
        let range = |(i, slots)| Range { first: i * each, slots, found: Found::default() };
        let mut ranges: Vec<Range<'_>> = self.slots.chunks_mut(each).enumerate().map(range).collect();
        run(pool, &mut ranges, |range| range.insert(&view));
        let mut found: Vec<Found> = ranges.into_iter().map(|range| range.found).collect();
        let late = self.insert_left(&view, &found);
        let positions = found.iter().flat_map(|found| found.new.iter().map(|(position, _)| *position));
        let firsts = Firsts::new(positions.chain(late.iter().map(|(position, _)| *position)), total);
        for (position, at) in late {
            found[at / each].new.push((position, (at % each) as u32));
        }
        let added = firsts.before(total);
        reserve(&mut self.states, added * words);
        self.states.resize((len + added) * words, 0);
        let mut copies =
            copies(total.div_ceil(workers), words, &firsts, &mut self.states[len * words..], parents.grow(added));
        run(pool, &mut copies, |copy| copy.copy(&view, &firsts));
        let range = |((i, slots), found)| Range { first: i * each, slots, found };
        let mut ranges: Vec<Range<'_>> = self.slots.chunks_mut(each).enumerate().zip(found).map(range).collect();
        run(pool, &mut ranges, |range| range.number(len, &firsts));
        self.len += added;
    }

    /// Inserts the states that the workers left. Returns positions of first occurrences, with their slots.
    fn insert_left(&mut self, view: &View<'_>, found: &[Found]) -> Vec<(u32, usize)> {
        let mut left: Vec<(u32, u64)> = found.iter().flat_map(|found| found.left.iter().copied()).collect();
        left.sort_unstable();
        let mut new = Vec::new();
        for (position, hash) in left {
            let state = view.state(position as usize);
            let mut at = (hash >> view.shift) as usize;
            while self.slots[at & view.mask] != 0 && !view.is_same(self.slots[at & view.mask], hash, state) {
                at += 1;
            }
            if self.slots[at & view.mask] == 0 {
                self.slots[at & view.mask] = view.slot(position as usize, hash);
                new.push((position, at & view.mask));
            }
        }
        new
    }
}

/// Splits the list into parts of `each` positions, and the places of the new states accordingly.
fn copies<'t>(
    each: usize,
    words: usize,
    firsts: &Firsts,
    mut states: &'t mut [u64],
    mut parents: &'t mut [u32],
) -> Vec<Copy<'t>> {
    let (mut copies, mut done) = (Vec::new(), 0);
    for start in (0..).step_by(each.max(1)) {
        if parents.is_empty() {
            return copies;
        }
        let positions = start..firsts.len().min(start + each.max(1));
        let count = firsts.before(positions.end) - done;
        let (own_states, other_states) = states.split_at_mut(count * words);
        let (own_parents, other_parents) = parents.split_at_mut(count);
        copies.push(Copy { positions, states: own_states, parents: own_parents });
        (states, parents, done) = (other_states, other_parents, done + count);
    }
    copies
}

/// Does `work` on each item: on the first one in this thread, and on the others in threads of the pool.
fn run<T: Send>(pool: &ThreadPool, items: &mut [T], work: impl Fn(&mut T) + Sync) {
    let Some((first, others)) = items.split_first_mut() else { return };
    let work = &work;
    pool.in_place_scope(|scope| {
        for item in others {
            scope.spawn(move |_| work(item));
        }
        work(first);
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{StateId, hash};
    use rayon::ThreadPoolBuilder;

    /// Adds random states, many of them several times, to two tables: by workers, and one after the other.
    #[test]
    fn numbers_are_those_of_one_worker() {
        let pool = ThreadPoolBuilder::new().num_threads(2).build().expect("threads");
        for seed in 0..300 {
            let random = &mut testkit::Random::new(seed);
            let words = random.between(1, 3);
            let values = [20, 300, 5_000][random.below(3)];
            let (mut plain, mut shared) = (StateTable::new(words), StateTable::new(words));
            let (mut plain_parents, mut shared_parents) = (Parents::default(), Parents::default());
            for _ in 0..random.between(1, 6) {
                let lists = lists(random, words, values, &plain);
                for (state, &parent) in lists.states.chunks_exact(words).zip(&lists.parents) {
                    let (id, is_new) = plain.intern(state);
                    plain_parents.note_found(id, is_new, StateId::new(parent as usize));
                }
                shared.add_all(&mut shared_parents, lists.additions(), &pool, random.between(1, 4));
                assert_eq!(shared.states, plain.states, "seed {seed}");
                assert_eq!(format!("{shared_parents:?}"), format!("{plain_parents:?}"), "seed {seed}");
            }
            for index in 0..plain.len() {
                let id = StateId::new(index);
                assert_eq!(shared.find(plain.get(id)), Some(id), "seed {seed}");
            }
            assert_eq!(shared.len(), plain.len());
        }
    }

    struct Lists {
        hashes: Vec<u64>,
        states: Vec<u64>,
        parents: Vec<u32>,
    }

    impl Lists {
        fn additions(&self) -> Additions<'_> {
            Additions { hashes: &self.hashes, states: &self.states, parents: &self.parents }
        }
    }

    /// Returns states that are not in the table.
    fn lists(random: &mut testkit::Random, words: usize, values: usize, table: &StateTable) -> Lists {
        let mut lists = Lists { hashes: Vec::new(), states: Vec::new(), parents: Vec::new() };
        for _ in 0..random.below(2_000) {
            let state: Vec<u64> = (0..words).map(|_| random.below(values) as u64).collect();
            if table.find(&state).is_none() {
                lists.hashes.push(hash(&state));
                lists.parents.push(random.below(1_000) as u32);
                lists.states.extend(state);
            }
        }
        lists
    }

    #[test]
    fn states_at_the_ends_of_ranges_are_found_again() {
        let pool = ThreadPoolBuilder::new().num_threads(2).build().expect("threads");
        let mut table = StateTable::new(1);
        let mut parents = Parents::default();
        // All begin at the last slot of the first of two ranges, or of the table.
        for hash in [(1 << 63) - 1, u64::MAX] {
            let states: Vec<u64> = (0..20).flat_map(|i| [hash ^ i, hash ^ i]).collect();
            let list = Additions { hashes: &[hash; 40], states: &states, parents: &[7; 40] };
            let before = table.len();
            table.add_all(&mut parents, list, &pool, 2);
            assert_eq!(table.len(), before + 20);
            for i in 0..20 {
                let found = table.intern_hashed(hash, &[hash ^ i]);
                assert_eq!(found, (StateId::new(before + i as usize), false));
            }
        }
    }
}
