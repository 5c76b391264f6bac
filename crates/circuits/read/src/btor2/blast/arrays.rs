//! Arrays as the bits of all their elements.

use super::gates::{Bits, Gates};
use model::Signal;

impl Gates {
    /// Reads the element at `index`: a tree of choices, with a layer for each bit of the index.
    pub(super) fn read(&mut self, array: &[Signal], index: &[Signal], width: usize) -> Bits {
        let mut layer = array.to_vec();
        for &bit in index {
            if !self.charge(layer.len()) {
                break;
            }
            let pairs = layer.chunks(2 * width);
            layer = pairs.flat_map(|pair| self.choose(bit, &pair[width..], &pair[..width])).collect();
        }
        layer.truncate(width);
        layer
    }

    /// Returns the array with `value` at `index`.
    pub(super) fn write(&mut self, array: &[Signal], index: &[Signal], value: &[Signal]) -> Bits {
        let chosen = self.decode(index);
        let mut written = Bits::with_capacity(array.len());
        for (element, &is_chosen) in array.chunks(value.len()).zip(&chosen) {
            if self.is_full() {
                return array.to_vec();
            }
            written.extend(self.choose(is_chosen, value, element));
        }
        written
    }

    /// Returns for each element whether `index` chooses it.
    fn decode(&mut self, index: &[Signal]) -> Bits {
        let mut chosen = vec![Signal::TRUE];
        for &bit in index {
            if !self.charge(chosen.len()) {
                break;
            }
            let [low, high] = [!bit, bit].map(|bit| chosen.iter().map(|c| self.builder.and(*c, bit)).collect::<Bits>());
            chosen = [low, high].concat();
        }
        chosen
    }
}
