//! A part of the index of a table: open addressing with linear probing.

use super::rows::{Row, Rows, low};
use super::{EMPTY, TOGETHER};

/// The entries of the rows that have the same upper bits of their hash.
#[derive(Debug, Default)]
pub(super) struct Shard {
    pub(super) entries: Box<[u32]>,
    pub(super) len: usize,
    /// Bits of numbers; those of hashes lie above.
    shift: u32,
}

#[inline]
pub(super) fn hash([a, b, c, d]: Row) -> u64 {
    let (left, right) = (u64::from(a) | u64::from(b) << 32, u64::from(c) | u64::from(d) << 32);
    let mixed = (left ^ (left >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let other = (right ^ (right >> 32)).wrapping_mul(0x94d0_49bb_1331_11eb);
    let mixed = (mixed ^ (mixed >> 29) ^ other ^ (other >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed ^ (mixed >> 32)
}

impl Shard {
    /// Where the search for a row with this hash begins.
    #[inline]
    pub(super) fn start(&self, hash: u64) -> usize {
        let part = (hash >> 26) & 0xffff_ffff;
        usize::try_from((part * self.entries.len() as u64) >> 32).expect("within the entries")
    }

    /// The entry of a number.
    pub(super) fn entry(&self, number: u32, hash: u64) -> u32 {
        number | self.tag(hash)
    }

    /// What the entry of a row with this hash has above the number.
    #[inline]
    pub(super) fn tag(&self, hash: u64) -> u32 {
        u32::try_from(hash & 0x3f_ffff).expect("22 bits").checked_shl(self.shift).unwrap_or(0)
    }

    /// The bits of entries that are numbers.
    #[inline]
    pub(super) fn mask(&self) -> u32 {
        low(u128::MAX, self.shift)
    }

    /// The place behind a place.
    #[inline]
    pub(super) fn after(&self, at: usize) -> usize {
        if at + 1 == self.entries.len() { 0 } else { at + 1 }
    }

    /// Is there room for so many rows with numbers up to this one?
    pub(super) fn has_room(&self, count: usize, number: usize) -> bool {
        (self.len + count) * 8 <= self.entries.len() * 7 && number < (1 << self.shift) - 1
    }

    /// The number of a row with this hash, or where it would have its entry; the shard is not full.
    pub(super) fn probe(&self, hash: u64, is_row: impl Fn(u32) -> bool) -> Result<u32, usize> {
        let (tag, mask) = (self.tag(hash), self.mask());
        let mut at = self.start(hash);
        loop {
            let entry = self.entries[at];
            if entry == EMPTY {
                return Err(at);
            }
            if entry & !mask == tag && is_row(entry & mask) {
                return Ok(entry & mask);
            }
            at = self.after(at);
        }
    }

    /// The same entries, with room for so many more; there will be `numbers` rows in all. `spread` differs from shard to shard, and
    /// is less than `shards`.
    #[cold]
    pub(super) fn grown(&self, rows: &Rows, count: usize, numbers: usize, (spread, shards): (usize, usize)) -> Self {
        let mut capacity = self.entries.len();
        while (self.len + count) * 8 > capacity * 7 {
            capacity += match capacity {
                // Spread over a growth step.
                0 => 8 + spread * 2 / shards,
                // In small steps the spread would be lost to rounding.
                1..4096 => capacity / 2 + spread % 5,
                _ => capacity / 2,
            };
        }
        // Numbers grow by a half until the shard grows again; twice as many is safe enough, and if not, this is done again.
        let shift = (usize::BITS - numbers.leading_zeros() + 1).clamp(10, 32);
        let mut new = Self { entries: vec![EMPTY; capacity].into(), len: self.len, shift };
        let mask = self.mask();
        let numbers = self.entries.iter().filter(|&&entry| entry != EMPTY).map(|&entry| entry & mask);
        let numbers: Vec<u32> = numbers.collect();
        let mut rest: Vec<(u32, u64)> = Vec::with_capacity(numbers.len());
        for some in numbers.chunks(TOGETHER) {
            // One byte of each row first, with nothing else to do: memory is waited for once for all of them.
            let touched = some.iter().fold(0_u8, |sum, &number| sum ^ rows.touch(number));
            std::hint::black_box(touched);
            rest.extend(some.iter().map(|&number| (number, hash(rows.get(number)))));
        }
        for (number, hash) in rest {
            let mut at = new.start(hash);
            while new.entries[at] != EMPTY {
                at = new.after(at);
            }
            new.entries[at] = new.entry(number, hash);
        }
        new
    }
}
