//! Sorted runs: files of keys in ascending order.
//!
//! A key is coded by its difference from the key before it, in blocks of some 64 KiB. The first keys of the blocks
//! are in memory, so a reader can skip blocks. Each block begins with a difference from zero, and has a checksum
//! ([`journal::scratch`]).
//!
//! The difference of two keys is the number of equal words at their beginning (left out if keys have one word), and
//! the differences of the other words as variable-length integers: 7 bits per byte, the least ones first. The first
//! of them is positive, because keys ascend. The others are signed, and coded with the sign as the lowest bit.

use super::{Disk, keys};
use journal::scratch::{ScratchError, ScratchFile, ScratchWriter};
use std::cmp::Ordering;
use std::sync::Arc;

/// The bytes of decoded keys per byte of a block, at most. Keys that follow each other closely are coded in a byte
/// or two, and blocks are decoded as a whole.
const DECODED_PER_BYTE: usize = 2;

/// A file of ascending keys.
#[derive(Debug)]
pub(super) struct Run {
    words: usize,
    len: u64,
    file: ScratchFile,
    /// The first key of each block.
    firsts: Vec<u64>,
    /// The offset of each block.
    offsets: Vec<u64>,
}

impl Run {
    /// Returns the number of keys.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    fn first(&self, block: usize) -> &[u64] {
        &self.firsts[block * self.words..][..self.words]
    }

    /// Decodes a block into `keys`, which is cleared first.
    fn read(&self, block: usize, raw: &mut Vec<u8>, keys: &mut Vec<u64>) -> Result<(), ScratchError> {
        let at = self.offsets[block];
        self.file.read(at, raw)?;
        keys.clear();
        let decoded = if self.words == 1 { decode_short(raw, keys) } else { decode(raw, self.words, keys) };
        decoded.ok_or_else(|| self.file.damaged(at))
    }
}

/// Writes a run.
#[derive(Debug)]
pub(super) struct RunWriter {
    run: Index,
    file: ScratchWriter,
    /// The largest number of bytes of a block, and of words of its keys.
    block: usize,
    bytes: Vec<u8>,
    words_in_block: usize,
    before: Vec<u64>,
}

#[derive(Debug)]
struct Index {
    words: usize,
    len: u64,
    firsts: Vec<u64>,
    offsets: Vec<u64>,
}

impl RunWriter {
    /// Creates an empty run of keys of `words` words, in a file of its own.
    pub(super) fn new(disk: &Disk, words: usize) -> Result<Self, ScratchError> {
        Ok(Self::append(disk.scratch.create()?, words, disk.block))
    }

    /// Creates an empty run after other runs in `file`, with blocks of about `block` bytes.
    pub(super) fn append(file: ScratchWriter, words: usize, block: usize) -> Self {
        Self {
            run: Index { words, len: 0, firsts: Vec::new(), offsets: Vec::new() },
            file,
            block,
            bytes: Vec::new(),
            words_in_block: 0,
            before: vec![0; words],
        }
    }

    /// Appends keys, which ascend and are greater than those before.
    pub(super) fn push(&mut self, keys: &[u64]) -> Result<(), ScratchError> {
        let words = self.run.words;
        for key in keys.chunks_exact(words) {
            debug_assert!(self.run.len == 0 || key > &*self.before, "keys ascend");
            if self.bytes.len() >= self.block || self.words_in_block * 8 >= DECODED_PER_BYTE * self.block {
                self.end_block()?;
            }
            if self.words_in_block == 0 {
                self.run.firsts.extend_from_slice(key);
                self.before.fill(0);
            }
            encode(&self.before, key, &mut self.bytes);
            self.before.copy_from_slice(key);
            self.words_in_block += words;
            self.run.len += 1;
        }
        Ok(())
    }

    fn end_block(&mut self) -> Result<(), ScratchError> {
        if self.words_in_block > 0 {
            self.run.offsets.push(self.file.append(&self.bytes)?);
            self.bytes.clear();
            self.words_in_block = 0;
        }
        Ok(())
    }

    /// Ends the run.
    pub(super) fn finish(self) -> Result<Run, ScratchError> {
        self.end().map(|(run, _)| run)
    }

    /// Ends the run. Returns it with the file, to which other runs may be appended.
    pub(super) fn end(mut self) -> Result<(Run, ScratchWriter), ScratchError> {
        self.end_block()?;
        let Index { words, len, mut firsts, mut offsets } = self.run;
        firsts.shrink_to_fit();
        offsets.shrink_to_fit();
        Ok((Run { words, len, file: self.file.so_far()?, firsts, offsets }, self.file))
    }
}

/// Reads a run in ascending order.
#[derive(Debug)]
pub(super) struct Cursor {
    run: Arc<Run>,
    /// The block to read next.
    block: usize,
    /// The keys of the block read last.
    keys: Vec<u64>,
    /// The word in `keys` where the next key begins.
    at: usize,
    raw: Vec<u8>,
}

impl Cursor {
    /// Returns a reader at the beginning of `run`.
    pub(super) fn new(run: Arc<Run>) -> Self {
        Self { run, block: 0, keys: Vec::new(), at: 0, raw: Vec::new() }
    }

    /// Returns the keys that follow, up to the end of a block. There are none at the end of the run.
    pub(super) fn window(&mut self) -> Result<&[u64], ScratchError> {
        if self.at == self.keys.len() && self.block < self.run.offsets.len() {
            self.load(self.block)?;
        }
        Ok(&self.keys[self.at..])
    }

    /// Returns what [`Cursor::window`] returned last, without the keys that were skipped since.
    pub(super) fn rest(&self) -> &[u64] {
        &self.keys[self.at..]
    }

    /// Skips `count` keys of the window.
    pub(super) fn skip(&mut self, count: usize) {
        self.at += count * self.run.words;
        debug_assert!(self.at <= self.keys.len(), "only keys of the window are skipped");
    }

    fn load(&mut self, block: usize) -> Result<(), ScratchError> {
        self.run.read(block, &mut self.raw, &mut self.keys)?;
        (self.block, self.at) = (block + 1, 0);
        Ok(())
    }

    /// Goes on to the first key that is not less than `key`, if it is in the block read last or later. Returns false
    /// at the end of the run. Reads one block at most.
    fn seek(&mut self, key: &[u64]) -> Result<bool, ScratchError> {
        let words = self.run.words;
        if self.keys.last_chunk_of(words).is_none_or(|last| last < key) {
            let later = keys::count_below(&self.run.firsts[self.block * words..], key, true);
            if later > 0 {
                self.load(self.block + later - 1)?;
            } else {
                self.at = self.keys.len();
            }
        }
        self.at += keys::count_below(&self.keys[self.at..], key, false) * words;
        if self.at == self.keys.len() && self.block < self.run.offsets.len() {
            debug_assert!(self.run.first(self.block) > key, "the key would be in this block");
            return Ok(true);
        }
        Ok(self.at < self.keys.len())
    }

    /// Removes from `keys`, which ascend, those that the run contains. Keys given to successive calls ascend too.
    /// Returns the number of keys looked at.
    pub(super) fn remove_from(&mut self, keys: &mut Vec<u64>) -> Result<u64, ScratchError> {
        let words = self.run.words;
        let (mut from, mut kept, mut seen) = (0, 0, 0);
        while from < keys.len() {
            if !self.seek(&keys[from..][..words])? {
                break;
            }
            let rest = &self.keys[self.at..];
            if rest.is_empty() {
                // The keys before the next block are not in the run.
                let to = from + keys::count_below(&keys[from..], self.run.first(self.block), false) * words;
                keys.copy_within(from..to, kept);
                kept += to - from;
                from = to;
                continue;
            }
            let walked = subtract(keys, (from, kept), rest, words);
            self.at += walked.own;
            (from, kept) = (walked.from, walked.kept);
            seen += walked.own as u64;
        }
        keys.copy_within(from.., kept);
        keys.truncate(kept + keys.len() - from);
        Ok(seen / words as u64)
    }
}

/// How far [`subtract`] got.
struct Walked {
    from: usize,
    kept: usize,
    own: usize,
}

/// Compares the keys from word `from` on with `own`, until one of them ends. Moves keys that are not in `own` to
/// word `kept`. Both ascend.
fn subtract(keys: &mut [u64], (mut from, mut kept): (usize, usize), own: &[u64], words: usize) -> Walked {
    let mut at = 0;
    if words == 1 {
        while from < keys.len() && at < own.len() {
            let (key, other) = (keys[from], own[at]);
            keys[kept] = key;
            kept += usize::from(key < other);
            from += usize::from(key <= other);
            at += usize::from(other <= key);
        }
        return Walked { from, kept, own: at };
    }
    while from < keys.len() && at < own.len() {
        let order = keys[from..from + words].cmp(&own[at..at + words]);
        if order == Ordering::Less {
            keys.copy_within(from..from + words, kept);
            kept += words;
        }
        from += if order == Ordering::Greater { 0 } else { words };
        at += if order == Ordering::Less { 0 } else { words };
    }
    Walked { from, kept, own: at }
}

/// The last key of a flat sequence.
trait LastChunk {
    fn last_chunk_of(&self, words: usize) -> Option<&[u64]>;
}

impl LastChunk for Vec<u64> {
    fn last_chunk_of(&self, words: usize) -> Option<&[u64]> {
        self.len().checked_sub(words).map(|at| &self[at..])
    }
}

fn encode(before: &[u64], key: &[u64], bytes: &mut Vec<u8>) {
    if let ([before], [key]) = (before, key) {
        return put(key - before, bytes);
    }
    let equal = before.iter().zip(key).take_while(|(before, key)| before == key).count();
    put(equal as u64, bytes);
    for (i, (before, key)) in before.iter().zip(key).enumerate().skip(equal) {
        let difference = key.wrapping_sub(*before);
        put(if i == equal { difference } else { (difference << 1) ^ ((difference as i64 >> 63) as u64) }, bytes);
    }
}

fn put(mut value: u64, bytes: &mut Vec<u8>) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// Reads an integer of at most 10 bytes.
#[inline]
fn get(bytes: &mut std::slice::Iter<'_, u8>) -> Option<u64> {
    let (mut value, mut shift) = (0u64, 0);
    loop {
        let byte = *bytes.next()?;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
        shift += 7;
        if shift > 63 {
            return None;
        }
    }
}

/// Decodes keys of one word.
fn decode_short(bytes: &[u8], keys: &mut Vec<u64>) -> Option<()> {
    keys.reserve(bytes.len());
    let (mut key, mut rest) = (0u64, bytes);
    while !rest.is_empty() {
        while let Some((eight, after)) = rest.split_first_chunk::<8>()
            && u64::from_le_bytes(*eight) & 0x8080_8080_8080_8080 == 0
        {
            keys.extend(eight.map(|byte| {
                key = key.wrapping_add(u64::from(byte));
                key
            }));
            rest = after;
        }
        let mut bytes = rest.iter();
        let Some(difference) = get(&mut bytes) else { return rest.is_empty().then_some(()) };
        key = key.wrapping_add(difference);
        keys.push(key);
        rest = bytes.as_slice();
    }
    Some(())
}

fn decode(bytes: &[u8], words: usize, keys: &mut Vec<u64>) -> Option<()> {
    let mut bytes = bytes.iter();
    let mut key = vec![0u64; words];
    while !bytes.as_slice().is_empty() {
        let equal = usize::try_from(get(&mut bytes)?).ok().filter(|&equal| equal <= words)?;
        for (i, word) in key.iter_mut().enumerate().skip(equal) {
            let coded = get(&mut bytes)?;
            let difference = if i == equal { coded } else { (coded >> 1) ^ (coded & 1).wrapping_neg() };
            *word = word.wrapping_add(difference);
        }
        keys.extend_from_slice(&key);
    }
    Some(())
}
