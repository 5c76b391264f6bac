//! Assigns each slot (a thread's local state, the tokens of a place) a field of bits in the packed words. A
//! field has as few bits as its values need, and never spans two words.

/// Bits `shift..shift + bits` of word `word`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field {
    /// The number of the word.
    pub word: usize,
    /// The number of bits below the field.
    pub shift: u32,
    /// The number of bits.
    pub bits: u32,
}

impl Field {
    /// Returns the value of this field.
    #[inline]
    pub fn get(self, packed: &[u64]) -> usize {
        ((packed[self.word] >> self.shift) & self.mask()) as usize
    }

    /// Returns true if `other` starts where this field ends, in the same word.
    pub fn is_before(self, other: Field) -> bool {
        self.word == other.word && self.shift + self.bits == other.shift
    }

    /// Returns the word that has `value` in this field and 0 elsewhere.
    pub fn place(self, value: usize) -> u64 {
        (value as u64 & self.mask()) << self.shift
    }

    /// Returns the greatest value that the field can hold.
    #[inline]
    pub fn mask(self) -> u64 {
        (1u64 << self.bits) - 1
    }
}

/// The fields of a state: one per slot, with 0 bits for a slot that has a single value.
#[derive(Clone, Debug)]
pub struct Layout {
    fields: Vec<Field>,
    words: usize,
}

impl Layout {
    /// Lays out slots with the given numbers of values, each in the first word with enough free bits.
    pub fn new(sizes: impl Iterator<Item = usize>) -> Self {
        Self::with_bits(sizes.map(|size| size.max(1).next_power_of_two().ilog2()))
    }

    /// Lays out fields with the given numbers of bits (at most 32), each in the first word with enough free
    /// bits.
    pub fn with_bits(sizes: impl Iterator<Item = u32>) -> Self {
        let sizes: Vec<u32> = sizes.collect();
        let least = sizes.iter().copied().filter(|&bits| bits > 0).min().unwrap_or(0);
        let mut used: Vec<u32> = vec![0];
        let mut first_with_room = 0;
        let mut fields = Vec::with_capacity(sizes.len());
        for bits in sizes {
            while first_with_room + 1 < used.len() && used[first_with_room] + least > 64 {
                first_with_room += 1;
            }
            let word = match (first_with_room..used.len()).find(|&w| used[w] + bits <= 64) {
                Some(word) => word,
                None => {
                    used.push(0);
                    used.len() - 1
                }
            };
            let shift = if bits == 0 { 0 } else { used[word] };
            fields.push(Field { word, shift, bits });
            used[word] += bits;
        }
        Self { fields, words: used.len() }
    }

    /// Returns the field of each slot.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Returns the number of words of a state.
    pub fn words(&self) -> usize {
        self.words
    }

    /// Packs `state` into `out`, which is cleared first.
    pub fn pack(&self, state: &[u32], out: &mut Vec<u64>) {
        debug_assert_eq!(state.len(), self.fields.len(), "one local state per thread");
        out.clear();
        out.resize(self.words, 0);
        for (field, &local) in self.fields.iter().zip(state) {
            out[field.word] |= field.place(local as usize);
        }
    }

    /// Unpacks `packed` into `out`, which is cleared first.
    pub fn unpack(&self, packed: &[u64], out: &mut Vec<u32>) {
        out.clear();
        out.extend(self.fields.iter().map(|f| f.get(packed) as u32));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// All states survive packing and unpacking, and no two fields share a bit.
        #[test]
        fn packing_is_exact(sizes in proptest::collection::vec(1..5_000usize, 0..40), seed: u64) {
            let layout = Layout::new(sizes.iter().copied());
            let extremes = [0, u32::MAX, seed as u32, (seed >> 32) as u32];
            for pick in 0..4 {
                let local = |(t, &size): (usize, &usize)| extremes[(pick + t) % 4].min(size as u32 - 1);
                let state: Vec<u32> = sizes.iter().enumerate().map(local).collect();
                let (mut packed, mut unpacked) = (Vec::new(), Vec::new());
                layout.pack(&state, &mut packed);
                layout.unpack(&packed, &mut unpacked);
                prop_assert_eq!(packed.len(), layout.words());
                prop_assert_eq!(unpacked, state);
            }
            prop_assert!(layout.fields().iter().all(|f| f.shift + f.bits <= 64 && f.word < layout.words()));
        }
    }

    #[test]
    fn threads_share_words_and_single_states_take_no_bits() {
        assert_eq!(Layout::new([2; 64].into_iter()).words(), 1);
        assert_eq!(Layout::new([2; 65].into_iter()).words(), 2);
        assert_eq!(Layout::new([1; 1000].into_iter()).words(), 1);
        assert_eq!(Layout::new(std::iter::empty()).words(), 1);
        assert_eq!(Layout::new([1 << 30, 1 << 30, 1 << 20, 16].into_iter()).words(), 2, "the last fits the first word");
    }
}
