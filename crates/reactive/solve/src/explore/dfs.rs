//! `explicit.dfs`: depth-first search of all states, in a random order of inputs.
//!
//! Some spaces have hundreds of thousands of levels with a few states each, and errors at the end. A search
//! that ends has visited all states, like a breadth-first search. If memory is used up before the end, the
//! search removes all states and starts again, with other orders.

use super::expand::Expander;
use super::random::Random;
use super::stack::Stack;
use super::technique::{ErrorRun, Technique};
use model::ids::ErrorId;
use search::Pause;
use search::valuations::States;

#[derive(Debug)]
pub(super) struct Dfs {
    stack: Stack,
}

impl Dfs {
    pub(super) fn new(expander: &Expander, seed: u64) -> Self {
        // Depths are less than the number of states, which is less than this limit.
        Self { stack: Stack::new(expander, u32::MAX, Random(seed)) }
    }
}

impl Technique for Dfs {
    fn advance(&mut self, expander: &mut Expander, work: u64, wanted: &dyn Fn(ErrorId) -> bool) -> Pause<ErrorRun> {
        let pause = self.stack.advance(expander, work, wanted);
        debug_assert!(!self.stack.is_cut(), "there is no limit");
        pause
    }

    fn start_over(&mut self, expander: &Expander) {
        self.stack.start_over(expander, u32::MAX);
    }

    fn states(&self) -> &States {
        self.stack.states()
    }

    fn growth_bytes(&self) -> usize {
        self.stack.growth_bytes()
    }

    fn into_states(self: Box<Self>) -> States {
        self.stack.into_states()
    }
}
