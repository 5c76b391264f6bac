//! Rows of a few values, numbered in the order they come.
//!
//! The rows lie in chunks that never move, each column with as many bits as the largest value in the chunk needs. The index is open
//! addressing with linear probing over 32-bit entries: a number in as few bits as numbers need for some time, and bits of the hash
//! in the others, so that most rows one meets on the way need not be read. It is cut into shards that grow one at a time, by a
//! half, from capacities that are spread over a whole growth step: there is no moment at which everything is there twice, and
//! the load is about the same at all times. (Hash bits beside the number: Cleary 1984; tables that grow part by part: Larson 1988.)

/// Values in a row; those that a table does not need are 0, and take no room.
pub(super) const WIDTH: usize = 4;
pub(super) type Row = [u32; WIDTH];

/// No number is as large as an empty entry.
const MAX_ROWS: usize = u32::MAX as usize - 1;
const EMPTY: u32 = u32::MAX;
/// Rows that are read together.
const TOGETHER: usize = 64;
const SHARDS: usize = 64;
const CHUNK: usize = 1 << 13;
/// Room behind a chunk, so that two whole words can be read everywhere.
const SLACK: usize = 16;

/// Numbers rows.
#[derive(Debug)]
pub(super) struct Interner {
    len: usize,
    chunks: Vec<Chunk>,
    shards: Box<[Shard]>,
}

/// Rows one after the other, without gaps between them.
#[derive(Debug)]
struct Chunk {
    /// Bits of each column.
    columns: [u32; WIDTH],
    /// As many low bits each.
    masks: [u32; WIDTH],
    /// Bits of a row.
    row: u32,
    bytes: Box<[u8]>,
}

impl Chunk {
    /// For values of so many bits.
    fn new(columns: [u32; WIDTH]) -> Self {
        let bits: u32 = columns.iter().sum();
        // A row and the bits before it in its first byte have to fit into two words.
        let row = if bits + 7 > u128::BITS { u128::BITS } else { bits };
        let bytes = (CHUNK * row as usize).div_ceil(8) + SLACK;
        let masks = columns.map(|bits| u32::MAX.checked_shr(32 - bits).unwrap_or(0));
        Self { columns, masks, row, bytes: vec![0; bytes].into() }
    }

    /// Where a row begins: byte and bit.
    #[inline]
    fn place(&self, at: usize) -> (usize, u32) {
        let bit = at * self.row as usize;
        (bit / 8, u32::try_from(bit % 8).expect("bits of a byte"))
    }

    #[inline]
    fn words(&self, byte: usize) -> u128 {
        u128::from_le_bytes(self.bytes[byte..byte + SLACK].try_into().expect("two words"))
    }

    #[inline]
    fn get(&self, at: usize) -> Row {
        let (byte, bit) = self.place(at);
        let words = self.words(byte) >> bit;
        let (mut word, mut high) = (half(words), half(words >> 64));
        std::array::from_fn(|i| {
            let (bits, mask) = (self.columns[i], self.masks[i]);
            let value = low(word.into(), 32) & mask;
            // Two words shifted as one, by at most 32 bits.
            word = word >> bits | (high << 1) << (63 - bits);
            high >>= bits;
            value
        })
    }

    /// Puts a row where none is yet.
    fn put(&mut self, at: usize, row: Row) {
        let (byte, mut bit) = self.place(at);
        let mut words = self.words(byte);
        for (value, column) in row.into_iter().zip(self.columns) {
            debug_assert!(bits(value) <= column, "it fits");
            // Behind the last bit there is nothing to put.
            words |= u128::from(value).checked_shl(bit).unwrap_or(0);
            bit += column;
        }
        self.bytes[byte..byte + SLACK].copy_from_slice(&words.to_le_bytes());
    }
}

/// The low bits of a word, as a number.
#[inline]
fn low(words: u128, bits: u32) -> u32 {
    let mask = u32::MAX.checked_shr(32 - bits).unwrap_or(0);
    u32::try_from(words & u128::from(mask)).expect("a mask of 32 bits")
}

/// The low word of two.
fn half(words: u128) -> u64 {
    u64::try_from(words & u128::from(u64::MAX)).expect("a mask of 64 bits")
}

/// Bits that a value needs.
fn bits(value: u32) -> u32 {
    u32::BITS - value.leading_zeros()
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
    /// A search for what cannot be there.
    pub(super) fn nothing(row: Row) -> Self {
        Self { row, shard: 0, tag: 0, at: usize::MAX, entry: EMPTY, is_found: false }
    }

    /// What is looked for.
    pub(super) fn row(&self) -> Row {
        self.row
    }
}

#[derive(Debug, Default)]
struct Shard {
    entries: Box<[u32]>,
    len: usize,
    /// Bits of numbers; those of hashes lie above.
    shift: u32,
}

impl Shard {
    /// Where the search for a row with this hash begins.
    #[inline]
    fn start(&self, hash: u64) -> usize {
        let part = (hash >> 26) & 0xffff_ffff;
        usize::try_from((part * self.entries.len() as u64) >> 32).expect("within the entries")
    }

    /// The entry of a number.
    fn entry(&self, number: u32, hash: u64) -> u32 {
        number | self.tag(hash)
    }

    /// What the entry of a row with this hash has above the number.
    #[inline]
    fn tag(&self, hash: u64) -> u32 {
        u32::try_from(hash & 0x3f_ffff).expect("22 bits").checked_shl(self.shift).unwrap_or(0)
    }

    fn number(&self, entry: u32) -> u32 {
        low(u128::from(entry), self.shift)
    }

    /// Is there room for a row of this number?
    fn has_room(&self, number: usize) -> bool {
        (self.len + 1) * 8 <= self.entries.len() * 7 && number < (1 << self.shift) - 1
    }
}

#[inline]
fn hash([a, b, c, d]: Row) -> u64 {
    let (left, right) = (u64::from(a) | u64::from(b) << 32, u64::from(c) | u64::from(d) << 32);
    let mixed = (left ^ (left >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let other = (right ^ (right >> 32)).wrapping_mul(0x94d0_49bb_1331_11eb);
    let mixed = (mixed ^ (mixed >> 29) ^ other ^ (other >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed ^ (mixed >> 32)
}

/// The shard takes the upper six bits, the place in it the 32 below, the tag the lowest.
fn shard_of(hash: u64) -> usize {
    usize::try_from(hash >> 58).expect("six bits")
}

impl Interner {
    /// Knows no row.
    pub(super) fn new() -> Self {
        Self { len: 0, chunks: Vec::new(), shards: (0..SHARDS).map(|_| Shard::default()).collect() }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The row of this number.
    #[inline]
    pub(super) fn row(&self, number: u32) -> Row {
        let number = number as usize;
        self.chunks[number / CHUNK].get(number % CHUNK)
    }

    /// The byte where the row of this number begins.
    #[inline]
    fn touch(&self, number: u32) -> u8 {
        let chunk = &self.chunks[number as usize / CHUNK];
        chunk.bytes[chunk.place(number as usize % CHUNK).0]
    }

    /// The number of a row, and whether it is new. `None` if there are too many.
    pub(super) fn intern(&mut self, row: Row) -> Option<(u32, bool)> {
        let hash = hash(row);
        let shard = shard_of(hash);
        if !self.shards[shard].has_room(self.len) && self.len < MAX_ROWS {
            self.grow(shard);
        }
        let at = match self.probe(row, hash) {
            Ok(number) => return Some((number, false)),
            Err(at) => at,
        };
        if self.len >= MAX_ROWS {
            return None;
        }
        let number = u32::try_from(self.len).expect("fewer than that");
        let shard = &mut self.shards[shard];
        shard.entries[at] = shard.entry(number, hash);
        shard.len += 1;
        self.append(row);
        Some((number, true))
    }

    /// The number of a row.
    fn find(&self, row: Row) -> Option<u32> {
        let hash = hash(row);
        if self.shards[shard_of(hash)].len == 0 {
            return None;
        }
        self.probe(row, hash).ok()
    }

    /// The number of a row, or where in its shard, which is not full, it would have its entry.
    fn probe(&self, row: Row, hash: u64) -> Result<u32, usize> {
        let shard = &self.shards[shard_of(hash)];
        let (tag, mask) = (shard.tag(hash), low(u128::MAX, shard.shift));
        let mut at = shard.start(hash);
        loop {
            let entry = shard.entries[at];
            if entry == EMPTY {
                return Err(at);
            }
            if entry & !mask == tag && self.row(entry & mask) == row {
                return Ok(entry & mask);
            }
            at = if at + 1 == shard.entries.len() { 0 } else { at + 1 };
        }
    }

    /// Begins a search.
    #[inline]
    pub(super) fn ahead(&self, row: Row) -> Ahead {
        let hash = hash(row);
        let number = shard_of(hash);
        let shard = &self.shards[number];
        let number = u32::try_from(number).expect("six bits");
        Ahead { row, shard: number, tag: shard.tag(hash), at: shard.start(hash), entry: EMPTY, is_found: false }
    }

    /// Goes on with searches for which nothing was read yet. Each loop reads what the one before has found the places of, and little
    /// else, so that many places are waited for at once.
    pub(super) fn read_ahead<T>(&self, searches: &mut [(T, Ahead)]) {
        for (_, search) in &mut *searches {
            // A shard without entries begins where it ends; so does a search for nothing.
            search.entry = self.shards[search.shard as usize].entries.get(search.at).copied().unwrap_or(EMPTY);
        }
        for (_, search) in &mut *searches {
            let shard = &self.shards[search.shard as usize];
            let mask = low(u128::MAX, shard.shift);
            while search.entry != EMPTY && search.entry & !mask != search.tag {
                search.at = if search.at + 1 == shard.entries.len() { 0 } else { search.at + 1 };
                search.entry = shard.entries[search.at];
            }
            if search.entry != EMPTY {
                search.entry &= mask;
            }
        }
        // The same as when growing.
        let touched = searches
            .iter()
            .fold(0_u8, |sum, (_, search)| sum ^ if search.entry == EMPTY { 0 } else { self.touch(search.entry) });
        std::hint::black_box(touched);
        for (_, search) in searches {
            if search.entry != EMPTY {
                // Without a branch, which would wait for the one row before the next is asked for.
                let differ = self.row(search.entry).into_iter().zip(search.row).fold(0, |sum, (a, b)| sum | (a ^ b));
                search.is_found = differ == 0;
            }
        }
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

    fn append(&mut self, row: Row) {
        let at = self.len % CHUNK;
        if at == 0 {
            // Values seldom become smaller.
            let columns = self.chunks.last().map_or([0; WIDTH], |chunk| chunk.columns);
            self.chunks.push(Chunk::new(columns));
        }
        let chunk = self.chunks.last_mut().expect("it was opened");
        let columns = std::array::from_fn(|i| chunk.columns[i].max(bits(row[i])));
        if columns != chunk.columns {
            let mut wide = Chunk::new(columns);
            (0..at).for_each(|at| wide.put(at, chunk.get(at)));
            *chunk = wide;
        }
        chunk.put(at, row);
        self.len += 1;
    }

    #[cold]
    fn grow(&mut self, shard: usize) {
        let old = std::mem::take(&mut self.shards[shard]);
        let capacity = match old.entries.len() {
            // Spread over a growth step.
            0 => 8 + shard * 2 / SHARDS,
            capacity if (old.len + 1) * 8 <= capacity * 7 => capacity,
            // In small steps the spread would be lost to rounding.
            capacity if capacity < 4096 => capacity + capacity / 2 + shard % 5,
            capacity => capacity + capacity / 2,
        };
        // Numbers grow by a half until the shard grows again; twice as many is safe enough, and if not, this is done again.
        let shift = (usize::BITS - self.len.leading_zeros() + 1).clamp(10, 32);
        let mut new = Shard { entries: vec![EMPTY; capacity].into(), len: old.len, shift };
        let numbers = old.entries.iter().filter(|&&entry| entry != EMPTY).map(|&entry| old.number(entry));
        let numbers: Vec<u32> = numbers.collect();
        let mut rest: Vec<(u32, u64)> = Vec::with_capacity(numbers.len());
        for some in numbers.chunks(TOGETHER) {
            // One byte of each row first, with nothing else to do: memory is waited for once for all of them.
            let touched = some.iter().fold(0_u8, |sum, &number| sum ^ self.touch(number));
            std::hint::black_box(touched);
            rest.extend(some.iter().map(|&number| (number, hash(self.row(number)))));
        }
        for (number, hash) in rest {
            let mut at = new.start(hash);
            while new.entries[at] != EMPTY {
                at = if at + 1 == capacity { 0 } else { at + 1 };
            }
            new.entries[at] = new.entry(number, hash);
        }
        self.shards[shard] = new;
    }

    /// Bytes in use.
    pub(super) fn bytes(&self) -> usize {
        let index: usize = self.shards.iter().map(|shard| shard.entries.len() * 4).sum();
        index + self.chunks.iter().map(|chunk| chunk.bytes.len() + size_of::<Chunk>()).sum::<usize>()
    }

    /// About the bytes that the next few thousand rows may take beyond that.
    pub(super) fn growth_bytes(&self) -> usize {
        let largest = self.shards.iter().map(|shard| shard.entries.len()).max().unwrap_or(0);
        4 * (largest + largest / 2) * 4 + (CHUNK * 16 + SLACK) * 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn rows_are_numbered_in_order() {
        let widths =
            [[0; 4], [1, 0, 0, 0], [0, 8, 0, 0], [13, 7, 0, 5], [32, 9, 9, 0], [31, 30, 30, 30], [32, 32, 32, 32]];
        for columns in widths {
            let mut interner = Interner::new();
            let mut known: BTreeMap<Row, u32> = BTreeMap::new();
            let mut random = 1_u64;
            for round in 0..100_000_u64 {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                // Small values first: chunks become wider while they are filled.
                let key = u128::from((random >> 20) % (60 + round) * 0x1_0001_0001);
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
