//! Composite states as hash keys: their rank in mixed radix, in the smallest integer that holds every rank.
//!
//! Ten million states then cost about 16 bytes each, and no state is ever confused with another: ranks are exact.

use std::hash::{BuildHasherDefault, Hash, Hasher};

/// A composite state as a key. Keys of equal states are equal, keys of different states differ.
pub(crate) trait Key: Hash + Eq + Clone {
    /// The key of `state`, whose slots lie below `sizes`.
    fn of(sizes: &[usize], state: &[u32]) -> Self;
    /// The state with this key.
    fn state(&self, sizes: &[usize], out: &mut Vec<u32>);
    /// Well mixed bits of the key, for hashes of whole sets.
    fn mixed(&self) -> u64;
}

macro_rules! rank {
    ($int:ty) => {
        impl Key for $int {
            fn of(sizes: &[usize], state: &[u32]) -> Self {
                sizes.iter().zip(state).fold(0, |rank, (&size, &slot)| rank * size as $int + <$int>::from(slot))
            }

            fn state(&self, sizes: &[usize], out: &mut Vec<u32>) {
                out.clear();
                out.resize(sizes.len(), 0);
                let mut rank = *self;
                for (slot, &size) in out.iter_mut().zip(sizes).rev() {
                    *slot = (rank % size as $int) as u32;
                    rank /= size as $int;
                }
            }

            fn mixed(&self) -> u64 {
                let wide = u128::from(*self);
                mix(mix(SEED, wide as u64), (wide >> 64) as u64)
            }
        }
    };
}

rank!(u64);
rank!(u128);

impl Key for Box<[u32]> {
    fn of(_sizes: &[usize], state: &[u32]) -> Self {
        state.into()
    }

    fn state(&self, _sizes: &[usize], out: &mut Vec<u32>) {
        out.clear();
        out.extend_from_slice(self);
    }

    fn mixed(&self) -> u64 {
        self.iter().fold(SEED, |hash, &slot| mix(hash, u64::from(slot)))
    }
}

/// Which key holds every state of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Width {
    Word,
    Double,
    Slots,
}

impl Width {
    pub(crate) fn of(sizes: &[usize]) -> Self {
        let product = sizes.iter().try_fold(1u128, |p, &size| p.checked_mul(size as u128));
        match product {
            Some(p) if p <= 1 << 64 => Self::Word,
            Some(_) => Self::Double,
            None => Self::Slots,
        }
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

    fn write_u64(&mut self, word: u64) {
        self.0 = mix(self.0, word);
    }
}

pub(crate) type BuildMixer = BuildHasherDefault<Mixer>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_exact_at_the_edges() {
        let sizes = [3, 1, 1 << 20, 7];
        for state in [[0, 0, 0, 0], [2, 0, (1 << 20) - 1, 6], [1, 0, 77, 3]] {
            let mut back = Vec::new();
            u64::of(&sizes, &state).state(&sizes, &mut back);
            assert_eq!(back, state);
            u128::of(&sizes, &state).state(&sizes, &mut back);
            assert_eq!(back, state);
        }
    }

    #[test]
    fn the_smallest_sufficient_key_is_chosen() {
        assert_eq!(Width::of(&[]), Width::Word);
        assert_eq!(Width::of(&[1 << 32, 1 << 32]), Width::Word);
        assert_eq!(Width::of(&[1 << 32, 1 << 32, 2]), Width::Double);
        assert_eq!(Width::of(&[1 << 32; 5]), Width::Slots);
    }
}
