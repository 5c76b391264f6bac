//! What workers send to each other.
//!
//! Packed states are sent in batches. A word of a packed state seldom uses all of its 64 bits, so a batch has, for each
//! word of its states, only as many bytes as the largest value in the batch needs.

use serde::{Deserialize, Serialize};

/// What the data of a parcel is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Kind {
    /// Packed states ([`pack`]).
    States,
    /// Keys of states, for the check of a certificate: words, packed like states of one word.
    Keys,
    /// What a worker contributes to the agreement with this number.
    Vote(u64),
}

/// A message of one worker to another.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Parcel {
    pub(crate) to: u32,
    pub(crate) from: u32,
    pub(crate) kind: Kind,
    #[serde(with = "bytes")]
    pub(crate) data: Vec<u8>,
}

/// Writes states of `words` words each.
pub(crate) fn pack(states: &[u64], words: usize) -> Vec<u8> {
    debug_assert!(words > 0 && states.len().is_multiple_of(words), "whole states are sent");
    let mut all = vec![0u64; words];
    for state in states.chunks_exact(words) {
        all.iter_mut().zip(state).for_each(|(all, word)| *all |= word);
    }
    let sizes: Vec<usize> = all.iter().map(|word| 8 - word.leading_zeros() as usize / 8).collect();
    let each: usize = sizes.iter().sum();
    let mut out = Vec::with_capacity(8 + words + states.len() / words * each);
    out.extend_from_slice(&((states.len() / words) as u64).to_le_bytes());
    out.extend(sizes.iter().map(|&size| size as u8));
    for state in states.chunks_exact(words) {
        for (word, &size) in state.iter().zip(&sizes) {
            out.extend_from_slice(&word.to_le_bytes()[..size]);
        }
    }
    debug_assert_eq!(out.len(), 8 + words + states.len() / words * each, "the length is known before");
    out
}

/// Appends the states that [`pack`] has written. Returns `None` if the data is no such batch.
pub(crate) fn unpack(data: &[u8], words: usize, out: &mut Vec<u64>) -> Option<()> {
    let (count, data) = data.split_first_chunk::<8>()?;
    let (sizes, data) = data.split_at_checked(words)?;
    let each: usize = sizes.iter().map(|&size| usize::from(size)).sum();
    let count = usize::try_from(u64::from_le_bytes(*count)).ok()?;
    if sizes.iter().any(|&size| size > 8) || count.checked_mul(each)? != data.len() {
        return None;
    }
    if each == 0 {
        // Only the state with all words 0 takes no bytes, so more of them say nothing.
        out.extend(std::iter::repeat_n(0, words * count.min(1)));
        return Some(());
    }
    for mut state in data.chunks_exact(each) {
        for &size in sizes {
            let (bytes, rest) = state.split_at(usize::from(size));
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            out.push(u64::from_le_bytes(word));
            state = rest;
        }
    }
    Some(())
}

/// Byte strings that are copied at once. By default, each byte would be a number of a list.
mod bytes {
    use serde::de::{Error, Visitor};
    use serde::{Deserializer, Serializer};
    use std::fmt;

    pub(super) fn serialize<S: Serializer>(data: &[u8], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_bytes(data)
    }

    struct Bytes;

    impl Visitor<'_> for Bytes {
        type Value = Vec<u8>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("bytes")
        }

        fn visit_bytes<E: Error>(self, data: &[u8]) -> Result<Vec<u8>, E> {
            Ok(data.to_vec())
        }

        fn visit_byte_buf<E: Error>(self, data: Vec<u8>) -> Result<Vec<u8>, E> {
            Ok(data)
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        from.deserialize_byte_buf(Bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::Random;

    #[test]
    fn states_arrive_as_they_were() {
        let mut rng = Random::new(1);
        for _ in 0..200 {
            let (words, count) = (1 + rng.below(3), rng.below(20));
            let shift: Vec<u32> = (0..words).map(|_| rng.below(64) as u32).collect();
            let states: Vec<u64> = (0..words * count).map(|i| rng.bits() >> shift[i % words]).collect();
            let mut back = vec![7];
            unpack(&pack(&states, words), words, &mut back).expect("it was packed");
            assert_eq!(back[1..], states);
        }
        assert_eq!(pack(&[1, 2, 3], 1).len(), 8 + 1 + 3, "small numbers take a byte");
    }

    #[test]
    fn damaged_batches_are_refused() {
        let good = pack(&[1, 1 << 20, 3, 4], 2);
        let refused = |data: &[u8]| unpack(data, 2, &mut Vec::new()).is_none();
        assert!(!refused(&good));
        assert!((0..good.len()).all(|length| refused(&good[..length])));
        assert!(refused(&[&good[..], &[0]].concat()));
        let with = |at: usize, byte: u8| [&good[..at], &[byte], &good[at + 1..]].concat();
        assert!(refused(&with(0, 3)) && refused(&with(7, 255)) && refused(&with(8, 9)));
    }
}
