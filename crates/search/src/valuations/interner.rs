//! Numbers rows of a few values, in the order of their arrival.
//!
//! The index uses open addressing with linear probing over 32-bit entries. An entry contains the number of a
//! row, and hash bits of the row in the bits that the number leaves free. A search compares these hash bits
//! first, so it need not read most of the rows that it passes. The index is divided into shards. A shard grows
//! by a half. The shards have different initial capacities, spread over one growth step, so they grow at
//! different times. Growth therefore never copies the whole index at once, and the load is about the same at all
//! times. (Hash bits beside the number: Cleary 1984. Tables that grow part by part: Larson 1988.)

mod rows;
mod shard;
mod together;

pub(super) use rows::{Row, WIDTH};

use rows::Rows;
use shard::{EMPTY, Shard, hash};

/// The largest number of rows. Row numbers stay below [`EMPTY`], which marks an empty entry.
const MAX_ROWS: usize = u32::MAX as usize - 1;
const SHARDS: usize = 64;

/// Maps rows to numbers, and numbers to rows.
#[derive(Debug)]
pub(super) struct Interner {
    rows: Rows,
    shards: Box<[Shard]>,
}

/// A search for a row. Its first steps are made ahead of time. If these steps find the row, the result is final.
/// If they do not, the row may still be added before the search ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ahead {
    row: Row,
    shard: u32,
    tag: u32,
    /// The first position on the probe path at which the entry may belong to the row.
    at: usize,
    /// After [`read_ahead`]: the number in the entry at position `at`. [`EMPTY`] before [`read_ahead`], and if
    /// no entry may belong to the row.
    entry: u32,
    /// True if the row with the number `entry` is the row searched for.
    is_found: bool,
}

impl Ahead {
    /// Returns a search in `shard`, which is shard `number` of the shards that [`read_ahead`] will get.
    #[inline]
    fn new(row: Row, hash: u64, number: usize, shard: &Shard) -> Self {
        let number = u32::try_from(number).expect("six bits");
        Self { row, shard: number, tag: shard.tag(hash), at: shard.start(hash), entry: EMPTY, is_found: false }
    }

    /// Returns a search for a row that cannot be in the table.
    pub(super) fn nothing(row: Row) -> Self {
        Self { row, shard: 0, tag: 0, at: usize::MAX, entry: EMPTY, is_found: false }
    }

    /// Returns the row that is searched for.
    pub(super) fn row(&self) -> Row {
        self.row
    }
}

/// Returns the shard of a hash: its upper six bits. The position in the shard takes the 32 bits below them, and
/// the tag the lowest bits.
fn shard_of(hash: u64) -> usize {
    usize::try_from(hash >> 58).expect("six bits")
}

/// Continues searches that have not read any entry yet. The previous loop determines nearly all positions that a
/// loop reads. So the memory accesses of a loop do not depend on each other, and overlap. A row that has an
/// entry but is not stored yet is not found.
fn read_ahead<T>(rows: &Rows, shards: &[Shard], searches: &mut [(T, Ahead)]) {
    for (_, search) in &mut *searches {
        // There is no entry at the start position if the shard has no entries, or if the search was made by
        // [`Ahead::nothing`].
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
    // Reads one byte of each row first, as in [`Shard::grown`], so that these accesses overlap.
    let touch = |search: &Ahead| if search.entry == EMPTY { 0 } else { rows.touch(search.entry) };
    let touched = searches.iter().fold(0_u8, |sum, (_, search)| sum ^ touch(search));
    std::hint::black_box(touched);
    for (_, search) in searches {
        if search.entry != EMPTY {
            // The comparison has no branch, because a branch would wait for this row before the next row is
            // requested.
            let differ = rows.get(search.entry).into_iter().zip(search.row).fold(0, |sum, (a, b)| sum | (a ^ b));
            search.is_found = differ == 0;
        }
    }
}

impl Interner {
    /// Returns an interner without rows.
    pub(super) fn new() -> Self {
        Self { rows: Rows::default(), shards: (0..SHARDS).map(|_| Shard::default()).collect() }
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns the row with the given number.
    #[inline]
    pub(super) fn row(&self, number: u32) -> Row {
        self.rows.get(number)
    }

    /// Returns the number of a row, and true if the row is new. A new row is added. Returns `None` if there are
    /// too many rows.
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

    /// Returns the number of a row, if the table contains it.
    fn find(&self, row: Row) -> Option<u32> {
        let hash = hash(row);
        let shard = &self.shards[shard_of(hash)];
        if shard.len == 0 {
            return None;
        }
        shard.probe(hash, |number| self.rows.get(number) == row).ok()
    }

    /// Begins a search for a row.
    #[inline]
    pub(super) fn ahead(&self, row: Row) -> Ahead {
        let hash = hash(row);
        let number = shard_of(hash);
        Ahead::new(row, hash, number, &self.shards[number])
    }

    /// Continues searches that have not read any entry yet, all at once.
    pub(super) fn read_ahead<T>(&self, searches: &mut [(T, Ahead)]) {
        read_ahead(&self.rows, &self.shards, searches);
    }

    /// Ends a search. The result is the result of [`Interner::intern`] for the row.
    #[inline]
    pub(super) fn settle(&mut self, search: &Ahead) -> Option<(u32, bool)> {
        if search.is_found { Some((search.entry, false)) } else { self.intern(search.row) }
    }

    /// Returns the number of the row, if the table contains it. The search must have been continued by
    /// [`Interner::read_ahead`], and the table must not have changed since.
    #[inline]
    pub(super) fn found(&self, search: &Ahead) -> Option<u32> {
        match search.entry {
            _ if search.is_found => Some(search.entry),
            EMPTY => None,
            _ => self.find(search.row),
        }
    }

    /// Returns the bytes in use.
    pub(super) fn bytes(&self) -> usize {
        self.rows.bytes() + self.shards.iter().map(|shard| shard.entries.len() * 4).sum::<usize>()
    }

    /// Returns an estimate of the additional bytes that the next few thousand rows may take.
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
                // Small values come first, so that chunks become wider while they are filled.
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
