//! Rows of a few values, numbered in the order they come.
//!
//! The index is open
//! addressing with linear probing over 32-bit entries: a number in as few bits as numbers need for some time, and bits of the hash
//! in the others, so that most rows one meets on the way need not be read. It is cut into shards that grow one at a time, by a
//! half, from capacities that are spread over a whole growth step: there is no moment at which everything is there twice, and
//! the load is about the same at all times. (Hash bits beside the number: Cleary 1984; tables that grow part by part: Larson 1988.)

mod rows;
mod shard;
mod together;

pub(super) use rows::{Row, WIDTH};

use rows::Rows;
use shard::{Shard, hash};

/// No number is as large as an empty entry.
const MAX_ROWS: usize = u32::MAX as usize - 1;
const EMPTY: u32 = u32::MAX;
/// Rows that are read together.
const TOGETHER: usize = 64;
const SHARDS: usize = 64;

/// Numbers rows.
#[derive(Debug)]
pub(super) struct Interner {
    rows: Rows,
    shards: Box<[Shard]>,
}

/// A search whose first steps were made ahead of time. What they found stays true; what they did not find may be there by now.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ahead {
    row: Row,
    shard: u32,
    tag: u32,
    /// Where the first entry on the way is that may be that of the row.
    at: usize,
    /// That entry, then the number in it; [`EMPTY`] if there is none.
    entry: u32,
    /// Is the row of that number the one?
    is_found: bool,
}

impl Ahead {
    /// A search in a shard, of which it has to be known which one it is among those it reads from.
    #[inline]
    fn new(row: Row, hash: u64, number: usize, shard: &Shard) -> Self {
        let number = u32::try_from(number).expect("six bits");
        Self { row, shard: number, tag: shard.tag(hash), at: shard.start(hash), entry: EMPTY, is_found: false }
    }

    /// A search for what cannot be there.
    pub(super) fn nothing(row: Row) -> Self {
        Self { row, shard: 0, tag: 0, at: usize::MAX, entry: EMPTY, is_found: false }
    }

    /// What is looked for.
    pub(super) fn row(&self) -> Row {
        self.row
    }
}

/// The shard takes the upper six bits, the place in it the 32 below, the tag the lowest.
fn shard_of(hash: u64) -> usize {
    usize::try_from(hash >> 58).expect("six bits")
}

/// Goes on with searches for which nothing was read yet. Each loop reads what the one before has found the places of, and little
/// else, so that many places are waited for at once. Of rows that are entered and not there yet it finds nothing.
fn read_ahead<T>(rows: &Rows, shards: &[Shard], searches: &mut [(T, Ahead)]) {
    for (_, search) in &mut *searches {
        // A shard without entries begins where it ends; so does a search for nothing.
        search.entry = shards[search.shard as usize].entries.get(search.at).copied().unwrap_or(EMPTY);
    }
    for (_, search) in &mut *searches {
        let shard = &shards[search.shard as usize];
        let mask = shard.mask();
        while search.entry != EMPTY && search.entry & !mask != search.tag {
            search.at = shard.after(search.at);
            search.entry = shard.entries[search.at];
        }
        if search.entry != EMPTY {
            search.entry &= mask;
        }
        if search.entry as usize >= rows.len() {
            search.entry = EMPTY;
        }
    }
    // The same as when growing.
    let touch = |search: &Ahead| if search.entry == EMPTY { 0 } else { rows.touch(search.entry) };
    let touched = searches.iter().fold(0_u8, |sum, (_, search)| sum ^ touch(search));
    std::hint::black_box(touched);
    for (_, search) in searches {
        if search.entry != EMPTY {
            // Without a branch, which would wait for the one row before the next is asked for.
            let differ = rows.get(search.entry).into_iter().zip(search.row).fold(0, |sum, (a, b)| sum | (a ^ b));
            search.is_found = differ == 0;
        }
    }
}

impl Interner {
    /// Knows no row.
    pub(super) fn new() -> Self {
        Self { rows: Rows::default(), shards: (0..SHARDS).map(|_| Shard::default()).collect() }
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The row of this number.
    #[inline]
    pub(super) fn row(&self, number: u32) -> Row {
        self.rows.get(number)
    }

    /// The number of a row, and whether it is new. `None` if there are too many.
    pub(super) fn intern(&mut self, row: Row) -> Option<(u32, bool)> {
        let Self { rows, shards } = self;
        let (hash, len) = (hash(row), rows.len());
        let index = shard_of(hash);
        let shard = &mut shards[index];
        if !shard.has_room(1, len) && len < MAX_ROWS {
            *shard = shard.grown(rows, 1, len, (index, SHARDS));
        }
        let at = match shard.probe(hash, |number| rows.get(number) == row) {
            Ok(number) => return Some((number, false)),
            Err(at) => at,
        };
        if len >= MAX_ROWS {
            return None;
        }
        let number = u32::try_from(len).expect("fewer than that");
        shard.entries[at] = shard.entry(number, hash);
        shard.len += 1;
        rows.push(row);
        Some((number, true))
    }

    /// The number of a row.
    fn find(&self, row: Row) -> Option<u32> {
        let hash = hash(row);
        let shard = &self.shards[shard_of(hash)];
        if shard.len == 0 {
            return None;
        }
        shard.probe(hash, |number| self.rows.get(number) == row).ok()
    }

    /// Begins a search.
    #[inline]
    pub(super) fn ahead(&self, row: Row) -> Ahead {
        let hash = hash(row);
        let number = shard_of(hash);
        Ahead::new(row, hash, number, &self.shards[number])
    }

    /// Goes on with searches for which nothing was read yet, with all at once.
    pub(super) fn read_ahead<T>(&self, searches: &mut [(T, Ahead)]) {
        read_ahead(&self.rows, &self.shards, searches);
    }

    /// Ends it: as [`Interner::intern`].
    #[inline]
    pub(super) fn settle(&mut self, search: &Ahead) -> Option<(u32, bool)> {
        if search.is_found { Some((search.entry, false)) } else { self.intern(search.row) }
    }

    /// What a search that has read ahead found, in tables that nobody has changed since.
    #[inline]
    pub(super) fn found(&self, search: &Ahead) -> Option<u32> {
        match search.entry {
            _ if search.is_found => Some(search.entry),
            EMPTY => None,
            _ => self.find(search.row),
        }
    }

    /// Bytes in use.
    pub(super) fn bytes(&self) -> usize {
        self.rows.bytes() + self.shards.iter().map(|shard| shard.entries.len() * 4).sum::<usize>()
    }

    /// About the bytes that the next few thousand rows may take beyond that.
    pub(super) fn growth_bytes(&self) -> usize {
        let largest = self.shards.iter().map(|shard| shard.entries.len()).max().unwrap_or(0);
        4 * (largest + largest / 2) * 4 + self.rows.growth_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::rows::low;
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn rows_are_numbered_in_order() {
        let widths =
            [[0; 4], [1, 0, 0, 0], [0, 8, 0, 0], [13, 7, 0, 5], [32, 9, 9, 0], [31, 30, 30, 30], [32, 32, 32, 32]];
        for columns in widths {
            let mut interner = Interner::new();
            let mut known: BTreeMap<Row, u32> = BTreeMap::new();
            let mut random = testkit::Random::new(1);
            for round in 0..100_000_u64 {
                // Small values first: chunks become wider while they are filled.
                let key = u128::from((random.bits() >> 20) % (60 + round) * 0x1_0001_0001);
                let row = std::array::from_fn(|i| low(key >> (7 * i), columns[i]));
                let next = u32::try_from(known.len()).unwrap();
                let found = interner.find(row);
                assert_eq!(found, known.get(&row).copied());
                let expected = *known.entry(row).or_insert(next);
                assert_eq!(interner.intern(row), Some((expected, expected == next)));
            }
            assert_eq!(interner.len(), known.len());
            for (&row, &number) in &known {
                assert_eq!(interner.row(number), row);
            }
        }
    }
}
