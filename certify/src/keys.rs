//! Composite states as keys: one bit field per thread, packed into as few words as hold them all.
//!
//! Ten million states then cost about 12 bytes each, and no state is ever confused with another: fields are exact. Fields
//! are read by a shift and a mask, and a successor's key is its state's key with only the fields changed that moved.

use std::hash::{BuildHasherDefault, Hash, Hasher};

/// The highest bit of a key's first word is always set: a place that holds zero there holds no key.
const TAKEN: u64 = 1 << 63;
/// Bits of a word that fields may use.
const USED: u32 = 63;

/// The words of a packed state. The default is no key of any state.
pub(crate) trait Key: Clone + Default + Eq + Hash + AsRef<[u64]> + AsMut<[u64]> {
    /// All bits clear, in at least `words` words.
    fn zeros(words: usize) -> Self;

    /// Is this the key of a state?
    fn is_taken(&self) -> bool {
        self.as_ref().first().is_some_and(|&word| word != 0)
    }

    /// Well mixed bits of the key, for tables and for hashes of whole sets.
    fn mixed(&self) -> u64 {
        mixed(self.as_ref())
    }
}

/// Well mixed bits of the words of a key.
pub(crate) fn mixed(words: &[u64]) -> u64 {
    words.iter().fold(SEED, |hash, &word| mix(hash, word))
}

impl<const N: usize> Key for [u64; N]
where
    [u64; N]: Default,
{
    fn zeros(_words: usize) -> Self {
        [0; N]
    }
}

impl Key for Box<[u64]> {
    fn zeros(words: usize) -> Self {
        vec![0; words].into()
    }
}

/// Where the threads' fields lie.
pub(crate) struct Layout {
    fields: Vec<Field>,
    words: usize,
}

struct Field {
    word: usize,
    shift: u32,
    mask: u64,
    size: usize,
}

impl Layout {
    /// For threads with `sizes` local states each, at most 2^32.
    pub(crate) fn new(sizes: &[usize]) -> Self {
        let mut fields = Vec::with_capacity(sizes.len());
        let (mut word, mut shift) = (0, 0);
        for &size in sizes {
            let bits = usize::BITS - size.saturating_sub(1).leading_zeros();
            if shift + bits > USED {
                (word, shift) = (word + 1, 0);
            }
            fields.push(Field { word, shift, mask: (1 << bits) - 1, size });
            shift += bits;
        }
        Self { fields, words: word + 1 }
    }

    /// Words per key.
    pub(crate) fn words(&self) -> usize {
        self.words
    }

    /// The key of `state`; `None` if that has the wrong width or a local state that its thread does not have.
    pub(crate) fn pack<K: Key>(&self, state: &[u32]) -> Option<K> {
        let mut key = K::zeros(self.words);
        self.pack_into(state, key.as_mut()).then_some(key)
    }

    /// Writes the key of `state` over `words`, which are at least [`Layout::words`]; false if [`Layout::pack`] has none.
    pub(crate) fn pack_into(&self, state: &[u32], words: &mut [u64]) -> bool {
        if state.len() != self.fields.len() {
            return false;
        }
        words.fill(0);
        words[0] = TAKEN;
        let mut known = true;
        for (field, &slot) in self.fields.iter().zip(state) {
            known &= (slot as usize) < field.size;
            words[field.word] |= (u64::from(slot) & field.mask) << field.shift;
        }
        known
    }

    /// The state with this key.
    pub(crate) fn unpack<K: Key>(&self, key: &K, out: &mut Vec<u32>) {
        self.unpack_words(key.as_ref(), out);
    }

    /// The state with the key of these words.
    pub(crate) fn unpack_words(&self, words: &[u64], out: &mut Vec<u32>) {
        out.clear();
        out.extend(self.fields.iter().map(|field| (words[field.word] >> field.shift & field.mask) as u32));
    }

    /// One slot of the state with the key of these words.
    pub(crate) fn slot(&self, words: &[u64], slot: usize) -> u32 {
        let field = &self.fields[slot];
        (words[field.word] >> field.shift & field.mask) as u32
    }

    /// Has the field of this slot room for `value`?
    pub(crate) fn fits(&self, slot: usize, value: u32) -> bool {
        (value as usize) < self.fields[slot].size
    }

    /// Changes one slot of the state with the key of these words; `to` fits.
    pub(crate) fn change_words(&self, words: &mut [u64], slot: usize, from: u32, to: u32) {
        let field = &self.fields[slot];
        words[field.word] ^= u64::from(from ^ to) << field.shift;
    }

    /// Moves one thread of the state with this key.
    pub(crate) fn change<K: Key>(&self, key: &mut K, thread: usize, from: u32, to: u32) {
        self.change_words(key.as_mut(), thread, from, to);
    }
}

const SEED: u64 = 0x9E37_79B9_7F4A_7C15;
const FACTOR: u64 = 0xD6E8_FEB8_6659_FD93;

/// Folded multiplication: both halves of the 128-bit product, so that every input bit reaches every output bit.
fn mix(hash: u64, word: u64) -> u64 {
    let product = u128::from((hash ^ word).wrapping_add(SEED)) * u128::from(FACTOR);
    let folded = (product >> 64) as u64 ^ product as u64;
    folded ^ folded.rotate_left(29).wrapping_mul(SEED)
}

/// Hashes keys without a random seed: the order of a table, and with it every message, is the same in each run.
#[derive(Default)]
pub(crate) struct Mixer(u64);

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

pub(crate) type BuildMixer = BuildHasherDefault<Mixer>;

#[cfg(test)]
mod tests {
    use super::*;

    fn packed_and_back<K: Key>(sizes: &[usize], state: &[u32]) -> K {
        let layout = Layout::new(sizes);
        let key: K = layout.pack(state).unwrap();
        let mut back = Vec::new();
        layout.unpack(&key, &mut back);
        assert_eq!(back, state);
        assert!(key.is_taken() && !K::default().is_taken());
        key
    }

    #[test]
    fn fields_are_exact_at_the_edges() {
        let sizes = [3, 1, 1 << 20, 7, 1 << 31, 2, 1 << 31, 5];
        let last = (1 << 31) - 1;
        for state in [[0; 8], [2, 0, (1 << 20) - 1, 6, last, 1, last, 4], [1, 0, 77, 3, 5, 0, 6, 1]] {
            packed_and_back::<[u64; 2]>(&sizes, &state);
            packed_and_back::<Box<[u64]>>(&sizes, &state);
        }
    }

    #[test]
    fn keys_are_as_short_as_their_fields_allow() {
        assert_eq!(Layout::new(&[]).words(), 1);
        assert_eq!(Layout::new(&[1 << 31, 1 << 31, 2, 1]).words(), 1);
        assert_eq!(Layout::new(&[1 << 31, 1 << 31, 3]).words(), 2);
        assert_eq!(Layout::new(&[2; 127]).words(), 3);
    }

    #[test]
    fn what_is_no_state_has_no_key() {
        let layout = Layout::new(&[3, 2]);
        for state in [&[3, 0][..], &[0, 2], &[0], &[0, 0, 0], &[u32::MAX, 0]] {
            assert!(layout.pack::<[u64; 1]>(state).is_none(), "{state:?}");
        }
    }

    #[test]
    fn a_changed_key_is_the_key_of_the_changed_state() {
        let sizes = [5, 1 << 31, 9, 1 << 30];
        let layout = Layout::new(&sizes);
        let mut key: [u64; 2] = layout.pack(&[4, 7, 8, 3]).unwrap();
        layout.change(&mut key, 2, 8, 1);
        layout.change(&mut key, 3, 3, (1 << 30) - 1);
        assert_eq!(layout.pack(&[4, 7, 1, (1 << 30) - 1]), Some(key));
    }
}
