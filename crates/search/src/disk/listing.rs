//! The states of a search on disk, as evidence.

use super::run::{Cursor, Run};
use crate::step::Stepper;
use model::StateSet;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

/// All states, level by level. If a file cannot be read, fewer states are listed than announced, and the checker
/// refuses the set.
pub(super) struct Listing<S: Stepper> {
    stepper: S,
    levels: Vec<Arc<Run>>,
    len: u64,
}

impl<S: Stepper> Listing<S> {
    pub(super) fn new(stepper: S, levels: Vec<Arc<Run>>) -> Self {
        Self { stepper, len: levels.iter().map(|level| level.len()).sum(), levels }
    }
}

impl<S: Stepper> fmt::Debug for Listing<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Listing({} in {} levels)", self.len, self.levels.len())
    }
}

impl<S: Stepper> StateSet for Listing<S> {
    fn len(&self) -> u64 {
        self.len
    }

    fn for_each(&self, visit: &mut dyn FnMut(&[u32]) -> ControlFlow<()>) -> ControlFlow<()> {
        let words = self.stepper.words();
        let mut unpacked = Vec::with_capacity(self.stepper.width());
        for level in &self.levels {
            let mut cursor = Cursor::new(Arc::clone(level));
            while let Ok(window) = cursor.window()
                && !window.is_empty()
            {
                let count = window.len() / words;
                for state in window.chunks_exact(words) {
                    self.stepper.unpack(state, &mut unpacked);
                    visit(&unpacked)?;
                }
                cursor.skip(count);
            }
        }
        ControlFlow::Continue(())
    }
}
