//! Stores rows of a few values one after the other. Each column has as many bits as the largest value in the
//! same chunk needs.
//!
//! Rows are stored in chunks, and are never removed. A full chunk never moves.

/// Values in a row. Those that a table does not need are 0, and take no bits.
pub(crate) const WIDTH: usize = 4;
pub(crate) type Row = [u32; WIDTH];

/// Rows in a chunk.
const CHUNK: usize = 1 << 13;
/// Number of rows that the first chunk has room for at the beginning. It is small, because many tables stay
/// small.
const FIRST: usize = 1 << 6;
/// Bytes behind a chunk, so that two whole words can be read at any position.
const SLACK: usize = 16;

/// Rows, indexed by their numbers.
#[derive(Debug, Default)]
pub(super) struct Rows {
    len: usize,
    chunks: Vec<Chunk>,
}

/// Rows one after the other, without gaps.
#[derive(Debug)]
struct Chunk {
    /// Bits of each column.
    columns: [u32; WIDTH],
    /// For each column: a mask of low bits, as many as the column has.
    masks: [u32; WIDTH],
    /// Bits of a row.
    row: u32,
    /// Rows that the chunk has room for.
    room: usize,
    bytes: Box<[u8]>,
}

impl Chunk {
    /// Returns a chunk for `room` rows with columns of the given numbers of bits.
    fn new(columns: [u32; WIDTH], room: usize) -> Self {
        let bits: u32 = columns.iter().sum();
        // A row, and the bits before it in its first byte, must fit into two words.
        let row = if bits + 7 > u128::BITS { u128::BITS } else { bits };
        let bytes = (room * row as usize).div_ceil(8) + SLACK;
        let masks = columns.map(|bits| u32::MAX.checked_shr(32 - bits).unwrap_or(0));
        Self { columns, masks, row, room, bytes: vec![0; bytes].into() }
    }

    /// Returns the byte and the bit in it where a row begins.
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
            // Shifts two words as one, by at most 32 bits.
            word = word >> bits | (high << 1) << (63 - bits);
            high >>= bits;
            value
        })
    }

    /// Writes a row at a position that has no row yet.
    fn put(&mut self, at: usize, row: Row) {
        let (byte, mut bit) = self.place(at);
        let mut words = self.words(byte);
        for (value, column) in row.into_iter().zip(self.columns) {
            debug_assert!(bits(value) <= column, "it fits");
            // Columns that begin behind the last bit have no bits, so nothing is written for them.
            words |= u128::from(value).checked_shl(bit).unwrap_or(0);
            bit += column;
        }
        self.bytes[byte..byte + SLACK].copy_from_slice(&words.to_le_bytes());
    }
}

/// Returns the low bits of a word as a number.
#[inline]
pub(super) fn low(words: u128, bits: u32) -> u32 {
    let mask = u32::MAX.checked_shr(32 - bits).unwrap_or(0);
    u32::try_from(words & u128::from(mask)).expect("a mask of 32 bits")
}

/// Returns the lower word of two.
fn half(words: u128) -> u64 {
    u64::try_from(words & u128::from(u64::MAX)).expect("a mask of 64 bits")
}

/// Returns the number of bits that a value needs.
fn bits(value: u32) -> u32 {
    u32::BITS - value.leading_zeros()
}

impl Rows {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns the row with the given number.
    #[inline]
    pub(super) fn get(&self, number: u32) -> Row {
        let number = number as usize;
        self.chunks[number / CHUNK].get(number % CHUNK)
    }

    /// Reads the byte where the row with the given number begins.
    #[inline]
    pub(super) fn touch(&self, number: u32) -> u8 {
        let chunk = &self.chunks[number as usize / CHUNK];
        chunk.bytes[chunk.place(number as usize % CHUNK).0]
    }

    pub(super) fn push(&mut self, row: Row) {
        let at = self.len % CHUNK;
        if at == 0 {
            // A new chunk starts with the columns of the last one, because values seldom become smaller.
            let columns = self.chunks.last().map_or([0; WIDTH], |chunk| chunk.columns);
            self.chunks.push(Chunk::new(columns, if self.len == 0 { FIRST } else { CHUNK }));
        }
        let chunk = self.chunks.last_mut().expect("it was opened");
        let columns = std::array::from_fn(|i| chunk.columns[i].max(bits(row[i])));
        if columns != chunk.columns || at == chunk.room {
            let room = if at == chunk.room { 2 * at } else { chunk.room };
            let mut wide = Chunk::new(columns, room);
            (0..at).for_each(|at| wide.put(at, chunk.get(at)));
            *chunk = wide;
        }
        chunk.put(at, row);
        self.len += 1;
    }

    /// Returns the bytes in use.
    pub(super) fn bytes(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.bytes.len() + size_of::<Chunk>()).sum()
    }

    /// Returns an estimate of the additional bytes that some thousand rows may take: two more chunks, one of
    /// them a wider copy of the other. While there is only one small chunk, the estimate is that chunk with
    /// four times as many rows. Each row is counted with four more bytes.
    pub(super) fn growth_bytes(&self) -> usize {
        let (row, room) = self.chunks.last().map_or((0, FIRST), |chunk| (chunk.row.div_ceil(8) as usize, chunk.room));
        let rows = if room == CHUNK { 2 * CHUNK } else { (4 * room).min(CHUNK) };
        rows * (row + 4) + 2 * SLACK
    }
}
