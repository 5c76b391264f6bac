//! A part of the index of a table, with open addressing and linear probing.

use super::rows::{Row, Rows, low};

/// The entries of all rows with the same upper bits of the hash.
#[derive(Debug, Default)]
pub(super) struct Shard {
    pub(super) entries: Box<[u32]>,
    pub(super) len: usize,
    /// Bits of an entry that hold the number. The bits above hold hash bits.
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
    /// Returns the position where the search for a row with this hash begins.
    #[inline]
    pub(super) fn start(&self, hash: u64) -> usize {
        let part = (hash >> 26) & 0xffff_ffff;
        usize::try_from((part * self.entries.len() as u64) >> 32).expect("within the entries")
    }

    /// Returns the entry for a number.
    pub(super) fn entry(&self, number: u32, hash: u64) -> u32 {
        number | self.tag(hash)
    }

    /// Returns the hash bits that the entry of a row with this hash has above the number.
    #[inline]
    pub(super) fn tag(&self, hash: u64) -> u32 {
        u32::try_from(hash & 0x3f_ffff).expect("22 bits").checked_shl(self.shift).unwrap_or(0)
    }

    /// Returns the mask of the bits of entries that hold numbers.
    #[inline]
    pub(super) fn mask(&self) -> u32 {
        low(u128::MAX, self.shift)
    }

    /// Returns the position after `at`, cyclically.
    #[inline]
    pub(super) fn after(&self, at: usize) -> usize {
        if at + 1 == self.entries.len() { 0 } else { at + 1 }
    }

    /// Returns true if there is room for `count` more rows with numbers up to `number`.
    pub(super) fn has_room(&self, count: usize, number: usize) -> bool {
        (self.len + count) * 8 <= self.entries.len() * 7 && number < (1 << self.shift) - 1
    }

    /// Returns the number of the row that has this hash and for which `is_row` is true, or the position for its
    /// entry. The shard must not be full.
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

    /// Returns a shard with the same entries and room for `count` more. There will be `numbers` rows in all.
    /// `spread` is different for each shard, and less than `shards`.
    #[cold]
    pub(super) fn grown(&self, rows: &Rows, count: usize, numbers: usize, (spread, shards): (usize, usize)) -> Self {
        let mut capacity = self.entries.len();
        while (self.len + count) * 8 > capacity * 7 {
            capacity += match capacity {
                // Initial capacities are spread over a growth step.
                0 => 8 + spread * 2 / shards,
                // In small steps, the spread would be lost to rounding.
                1..4096 => capacity / 2 + spread % 5,
                _ => capacity / 2,
            };
        }
        // Numbers grow by about a half until the shard grows again, so one bit more, for twice as many numbers,
        // is usually enough. If it is not, the shard grows earlier.
        let shift = (usize::BITS - numbers.leading_zeros() + 1).clamp(10, 32);
        let mut new = Self { entries: vec![EMPTY; capacity].into(), len: self.len, shift };
        let mask = self.mask();
        let numbers = self.entries.iter().filter(|&&entry| entry != EMPTY).map(|&entry| entry & mask);
        let numbers: Vec<u32> = numbers.collect();
        let mut rest: Vec<(u32, u64)> = Vec::with_capacity(numbers.len());
        for some in numbers.chunks(TOGETHER) {
            // Reads one byte of each row first and nothing else, so that these memory accesses overlap.
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

pub(super) const EMPTY: u32 = u32::MAX;

/// Number of rows that are read together.
pub(super) const TOGETHER: usize = 64;
