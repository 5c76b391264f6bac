//! Chooses how many bits each slot of a packed marking gets.

use model::{NetTask, PlaceId, Slot};
use num_bigint::BigUint;
use num_traits::ToPrimitive;

/// Slots hold 32-bit values when unpacked.
const WIDEST: u32 = 32;

/// Bits per slot. Slots of tokens have 1, 2, 4, .. 32 bits, or fewer if a bound makes them sufficient. These
/// width classes keep widenings rare.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Width {
    bits: Vec<u32>,
    /// For each slot: the largest number of bits that it can get. This is 32, or fewer if a bound makes fewer
    /// sufficient.
    most: Vec<u32>,
}

impl Width {
    /// Returns widths that suffice for the initial markings: one bit for places that start with at most one
    /// token.
    #[must_use]
    pub fn narrow(task: &NetTask) -> Self {
        Self::new(task, |p, most| {
            let initial = &task.net.place(p).initial;
            let greatest = initial.at_most.as_ref().and_then(BigUint::to_u64).unwrap_or(u64::MAX);
            let greatest = task
                .bound
                .as_ref()
                .map_or(greatest, |b| if b.counted[p.index()] { greatest.min(b.most) } else { greatest });
            let mut class = 1;
            while class < bits_for(greatest) {
                class *= 2;
            }
            class.min(most)
        })
    }

    /// Returns widths that suffice for every marking within the bound. Slots without a bound get 32 bits, the
    /// maximum.
    #[must_use]
    pub fn wide(task: &NetTask) -> Self {
        Self::new(task, |_, most| most)
    }

    fn new(task: &NetTask, tokens: impl Fn(PlaceId, u32) -> u32) -> Self {
        let most_of = |slot: &Slot| match slot {
            Slot::OneOf(places) => bits_for(places.len() as u64),
            Slot::Tokens(p) => match &task.bound {
                Some(bound) if bound.counted[p.index()] => bits_for(bound.most),
                _ => WIDEST,
            },
        };
        let most: Vec<u32> = task.slots.iter().map(|s| most_of(s).min(WIDEST)).collect();
        let bits = task.slots.iter().zip(&most).map(|(slot, &most)| match slot {
            Slot::OneOf(_) => most,
            Slot::Tokens(p) => tokens(*p, most),
        });
        Self { bits: bits.collect(), most }
    }

    /// Returns true if the slot can get more bits.
    #[must_use]
    pub fn can_widen(&self, slot: usize) -> bool {
        self.bits[slot] < self.most[slot]
    }

    /// Doubles the bits of `slot`, up to its maximum. Returns false if it had its maximum already.
    pub fn widen(&mut self, slot: usize) -> bool {
        let (bits, most) = (&mut self.bits[slot], self.most[slot]);
        let can = *bits < most;
        *bits = (*bits * 2).clamp(1, most.max(1)).min(most);
        can
    }

    /// Like [`Width::widen`], for all slots with as many bits as `slot`. It is used where widening them one by
    /// one costs too much.
    pub fn widen_class(&mut self, slot: usize) -> bool {
        let class = self.bits[slot];
        let can = self.bits[slot] < self.most[slot];
        for other in (0..self.bits.len()).filter(|_| can) {
            if self.bits[other] == class {
                self.widen(other);
            }
        }
        can
    }

    /// Returns widths of the same slots, with these bits. `None` if a slot has fewer bits than here, or more than it
    /// can get.
    #[must_use]
    pub fn with_bits(&self, bits: &[u8]) -> Option<Self> {
        let bits: Vec<u32> = bits.iter().map(|&bits| bits.into()).collect();
        let mut slots = bits.iter().zip(&self.bits).zip(&self.most);
        let is_wider = bits.len() == self.bits.len() && slots.all(|((bits, own), most)| own <= bits && bits <= most);
        is_wider.then(|| Self { bits, most: self.most.clone() })
    }

    /// Returns the bits of each slot, one in each byte.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        self.bits.iter().map(|&bits| bits as u8).collect()
    }

    /// Returns the bits of each slot.
    pub(crate) fn bits(&self) -> &[u32] {
        &self.bits
    }
}

/// Returns the number of bits that can hold 0..=`greatest`.
fn bits_for(greatest: u64) -> u32 {
    64 - greatest.leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_hold_their_greatest_value() {
        let bits: Vec<u32> = [0, 1, 2, 3, 4, 255, 256, u64::MAX].map(bits_for).to_vec();
        assert_eq!(bits, [0, 1, 2, 2, 3, 8, 9, 64]);
    }

    #[test]
    fn widening_ends_at_the_most() {
        let mut width = Width { bits: vec![1, 1, 2, 0], most: vec![32, 3, 2, 0] };
        assert!(width.widen(1) && width.widen(1) && !width.widen(1) && !width.widen(2) && !width.widen(3));
        assert_eq!(width.bits, [1, 3, 2, 0]);
        let steps = std::iter::from_fn(|| width.widen(0).then_some(width.bits[0]));
        assert_eq!(steps.collect::<Vec<_>>(), [2, 4, 8, 16, 32]);
        let mut width = Width { bits: vec![1, 1, 2], most: vec![32, 1, 32] };
        assert!(width.widen_class(0));
        assert_eq!(width.bits, [2, 1, 2]);
        assert!(!width.widen_class(1));
    }
}
