//! States as keys: one bit field per slot, packed into words.
//!
//! Ten million states then cost about 12 bytes each. Two states never have the same key, because the fields are
//! exact. A field is read by a shift and a mask. The key of a successor is the key of its predecessor with only
//! the changed fields replaced.

use std::hash::{BuildHasherDefault, Hasher};

/// The highest bit of a key's first word is always set. So a table entry that starts with a zero word
/// contains no key.
const TAKEN: u64 = 1 << 63;
/// Number of bits of a word that fields may use.
const USED: u32 = 63;

/// The bit fields of the slots in a key.
#[derive(Debug)]
pub struct Layout {
    fields: Vec<Field>,
    words: usize,
}

#[derive(Debug)]
struct Field {
    pub word: usize,
    pub shift: u32,
    mask: u64,
    size: usize,
}

impl Layout {
    /// Creates the layout for slots with these numbers of values, at most 2^32 each.
    #[must_use]
    pub fn new(sizes: &[usize]) -> Self {
        let mut fields = Vec::with_capacity(sizes.len());
        let (mut word, mut shift) = (0, 0);
        for &size in sizes {
            let bits = usize::BITS - size.saturating_sub(1).leading_zeros();
            assert!(bits <= 32, "a slot has 32 bits");
            if shift + bits > USED {
                (word, shift) = (word + 1, 0);
            }
            debug_assert!(shift + bits <= USED, "the field ends in its word");
            fields.push(Field { word, shift, mask: (1 << bits) - 1, size });
            shift += bits;
        }
        Self { fields, words: word + 1 }
    }

    /// Number of words per key.
    #[must_use]
    #[inline]
    pub fn words(&self) -> usize {
        self.words
    }

    /// Passes the words of the key of `state` to `push`. Returns false if the state has the wrong number of
    /// slots or a slot is out of range; in this case the passed words are not a key.
    pub fn pack(&self, state: &[u32], mut push: impl FnMut(u64)) -> bool {
        if state.len() != self.fields.len() {
            return false;
        }
        let (mut at, mut word, mut known) = (0, TAKEN, true);
        for (field, &slot) in self.fields.iter().zip(state) {
            if field.word != at {
                debug_assert_eq!(field.word, at + 1, "fields are in the order of words");
                push(word);
                (at, word) = (field.word, 0);
            }
            known &= (slot as usize) < field.size;
            word |= (u64::from(slot) & field.mask) << field.shift;
        }
        push(word);
        debug_assert_eq!(at + 1, self.words, "a key has so many words");
        known
    }

    /// Writes the state with the key `words` to `out`.
    pub fn unpack(&self, words: &[u64], out: &mut Vec<u32>) {
        debug_assert_eq!(words.len(), self.words, "they are those of one key");
        debug_assert_eq!(words.first().map(|word| word & TAKEN), Some(TAKEN), "these are the words of a key");
        out.clear();
        out.extend(self.fields.iter().map(|field| (words[field.word] >> field.shift & field.mask) as u32));
    }

    /// Returns true if `words` is the key of a state, which is then written to `state`. `again` is overwritten.
    #[must_use]
    pub fn is_key(&self, words: &[u64], state: &mut Vec<u32>, again: &mut Vec<u64>) -> bool {
        if words.len() != self.words || words[0] & TAKEN == 0 {
            return false;
        }
        self.unpack(words, state);
        again.clear();
        self.pack(state, |word| again.push(word)) && again == words
    }

    /// Returns one slot of the state with the key `words`.
    #[must_use]
    #[inline]
    pub fn slot(&self, words: &[u64], slot: usize) -> u32 {
        let field = &self.fields[slot];
        (words[field.word] >> field.shift & field.mask) as u32
    }

    /// Changes one slot of the state with the key `words`. Returns false if the new value is out of range.
    #[must_use]
    #[inline]
    pub fn change(&self, words: &mut [u64], change: &Change) -> bool {
        debug_assert_eq!(self.slot(words, change.slot), change.from, "this is what the slot holds");
        let field = &self.fields[change.slot];
        words[field.word] ^= u64::from(change.from ^ change.to) << field.shift;
        (change.to as usize) < field.size
    }
}

const SEED: u64 = 0x9E37_79B9_7F4A_7C15;
const FACTOR: u64 = 0xD6E8_FEB8_6659_FD93;

/// Returns a hash of the words of a key, for tables and for hashes of whole sets.
#[must_use]
pub fn mixed(words: &[u64]) -> u64 {
    words.iter().fold(SEED, |hash, &word| mix(hash, word))
}

/// Mixes a word into a hash by folded multiplication: both halves of the 128-bit product are used, so that
/// every input bit affects every output bit.
fn mix(hash: u64, word: u64) -> u64 {
    let product = u128::from((hash ^ word).wrapping_add(SEED)) * u128::from(FACTOR);
    let folded = (product >> 64) as u64 ^ product as u64;
    folded ^ folded.rotate_left(29).wrapping_mul(SEED)
}

/// A hasher without a random seed, so that the order of a table, and thus every message, is the same in each
/// run.
#[derive(Default, Debug)]
pub struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.0 = mix(self.0, u64::from_le_bytes(word));
        }
    }
}

/// A builder of [`Mixer`]s.
pub type BuildMixer = BuildHasherDefault<Mixer>;

/// The change of one slot in a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Change {
    /// The index of the slot.
    pub slot: usize,
    /// The value before the step.
    pub from: u32,
    /// The value after the step.
    pub to: u32,
}
