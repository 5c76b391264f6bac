//! Temporary storage for the checker: closed sets that do not fit memory are checked in parts (`--disk`).
//!
//! All buckets share one temporary file; each has a list of its blocks. Keys come in ascending order, mostly, so a
//! word is stored as its difference to the same word of the key before it, in as few bytes as that takes.

use impasse::certify::{Buckets, Refusal, Storage};
use journal::scratch::{Scratch, ScratchError, ScratchWriter};

/// Temporary storage in a directory.
#[derive(Debug)]
pub(crate) struct OnDisk(pub(crate) Scratch);

struct Blocks {
    file: ScratchWriter,
    /// For each bucket: the places of its blocks.
    places: Vec<Vec<u64>>,
    /// Words of a key.
    words: usize,
    bytes: Vec<u8>,
}

fn refusal(error: ScratchError) -> Refusal {
    Refusal::Unknown(format!("its check needs temporary files: {error}"))
}

impl Storage for OnDisk {
    fn buckets(&self, count: usize, words: usize) -> Result<Box<dyn Buckets>, Refusal> {
        let file = self.0.create().map_err(refusal)?;
        Ok(Box::new(Blocks { file, places: vec![Vec::new(); count], words, bytes: Vec::new() }))
    }
}

impl Buckets for Blocks {
    fn append(&mut self, bucket: usize, words: &[u64]) -> Result<(), Refusal> {
        encode(words, self.words, &mut self.bytes);
        let place = self.file.append(&self.bytes).map_err(refusal)?;
        self.places[bucket].push(place);
        Ok(())
    }

    fn read(&mut self, bucket: usize, each: &mut dyn FnMut(&[u64]) -> Result<(), Refusal>) -> Result<(), Refusal> {
        let file = self.file.so_far().map_err(refusal)?;
        let mut words = Vec::new();
        for &place in &self.places[bucket] {
            file.read(place, &mut self.bytes).map_err(refusal)?;
            decode(&self.bytes, self.words, &mut words).ok_or_else(|| refusal(file.damaged(place)))?;
            each(&words)?;
        }
        Ok(())
    }
}

/// Writes the differences of words at distance `size` in groups of seven bits, the low ones first. The sign is the
/// lowest bit.
fn encode(words: &[u64], size: usize, out: &mut Vec<u8>) {
    out.clear();
    for (at, word) in words.iter().enumerate() {
        let before = at.checked_sub(size).map_or(0, |before| words[before]);
        let difference = word.wrapping_sub(before).cast_signed();
        let mut left = (difference << 1 ^ difference >> 63).cast_unsigned();
        while left >= 0x80 {
            out.push(left as u8 | 0x80);
            left >>= 7;
        }
        out.push(left as u8);
    }
}

/// Reads what [`encode()`] wrote. Returns `None` if the bytes are none of its.
fn decode(bytes: &[u8], size: usize, out: &mut Vec<u64>) -> Option<()> {
    out.clear();
    let (mut value, mut shift) = (0u64, 0);
    for &byte in bytes {
        if shift > 63 {
            return None;
        }
        value |= u64::from(byte & 0x7F) << shift;
        shift += 7;
        if byte & 0x80 == 0 {
            let difference = value >> 1 ^ (value & 1).wrapping_neg();
            let before = out.len().checked_sub(size).map_or(0, |before| out[before]);
            out.push(before.wrapping_add(difference));
            (value, shift) = (0, 0);
        }
    }
    (shift == 0).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_they_were_written() {
        let mut seed = 1u64;
        let mut next = || {
            seed = seed.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
            [0, 1, 1 << 63, u64::MAX, seed, seed >> 40][(seed >> 33) as usize % 6]
        };
        for size in 1..4 {
            for keys in 0..50 {
                let words: Vec<u64> = (0..keys * size).map(|_| next()).collect();
                let (mut bytes, mut read) = (Vec::new(), Vec::new());
                encode(&words, size, &mut bytes);
                assert_eq!((decode(&bytes, size, &mut read), &read), (Some(()), &words));
                if !bytes.is_empty() {
                    bytes.push(0x80);
                    assert_eq!(decode(&bytes, size, &mut read), None, "it ends within a word");
                }
            }
        }
    }

    #[test]
    fn buckets_are_read_again_and_again() {
        let dir = tempfile::tempdir().expect("a directory");
        let storage = OnDisk(Scratch::new(dir.path(), 1 << 20).expect("it can be written"));
        let mut buckets = storage.buckets(3, 1).expect("there is room");
        for round in 0..10u64 {
            buckets.append(round as usize % 2, &[round, round + 7]).expect("there is room");
        }
        for _ in 0..2 {
            let mut words = Vec::new();
            buckets
                .read(1, &mut |block| {
                    words.extend_from_slice(block);
                    Ok(())
                })
                .expect("it is there");
            assert_eq!(words, [1, 8, 3, 10, 5, 12, 7, 14, 9, 16]);
            buckets.read(2, &mut |_| panic!("nothing is there")).expect("it is empty");
        }
        let full = buckets.append(0, &vec![u64::MAX / 3; 1 << 20]);
        assert!(matches!(full, Err(Refusal::Unknown(why)) if why.contains("limit")));
    }
}
