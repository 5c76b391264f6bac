//! Sets of states that can be enumerated, as evidence.

use std::fmt;
use std::ops::ControlFlow;

/// A set of composite states that can be enumerated any number of times.
pub trait StateSet: fmt::Debug + Send + Sync {
    /// Returns the number of states.
    fn len(&self) -> u64;

    /// Returns true if the set contains no state.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Passes each state (one local state per thread) to `visit` exactly once, until `visit` returns `Break`.
    fn for_each(&self, visit: &mut dyn FnMut(&[u32]) -> ControlFlow<()>) -> ControlFlow<()>;
}

/// Vectors of numbers, one after the other, as a set of states. They are different. If their length is 0, the set has
/// one element, the empty vector: the only marking of a net without places.
#[derive(Clone, Debug)]
pub struct Vectors {
    /// The length of each.
    pub width: usize,
    /// The numbers.
    pub numbers: Vec<u32>,
}

impl StateSet for Vectors {
    fn len(&self) -> u64 {
        self.numbers.len().checked_div(self.width).unwrap_or(1) as u64
    }

    fn for_each(&self, visit: &mut dyn FnMut(&[u32]) -> ControlFlow<()>) -> ControlFlow<()> {
        if self.width == 0 {
            return visit(&[]);
        }
        self.numbers.chunks_exact(self.width).try_for_each(visit)
    }
}
