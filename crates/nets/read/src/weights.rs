//! The weights of arcs in a compact form, because millions of arcs may be read before the limit is exceeded.

use num_bigint::BigUint;

/// Weights from this one on are stored in a list.
const LARGE: u32 = 1 << 31;

/// A weight: itself if it is less than [`LARGE`], else [`LARGE`] plus an index into [`Weights::large`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Weight(u32);

impl Weight {
    /// True for the weight 0.
    pub(crate) fn is_zero(self) -> bool {
        self.0 == 0
    }
}

/// The large weights of a net.
#[derive(Default)]
pub(crate) struct Weights {
    large: Vec<BigUint>,
}

impl Weights {
    pub(crate) fn add(&mut self, weight: BigUint) -> Weight {
        let small = u32::try_from(&weight).ok().filter(|w| *w < LARGE);
        Weight(small.unwrap_or_else(|| {
            self.large.push(weight);
            // The limit on arcs is far below 2^31.
            LARGE + u32::try_from(self.large.len() - 1).unwrap_or(0)
        }))
    }

    pub(crate) fn get(&self, weight: Weight) -> BigUint {
        match weight.0.checked_sub(LARGE) {
            Some(at) => self.large[at as usize].clone(),
            None => weight.0.into(),
        }
    }
}
