//! A set of states as a list, for evidence in tests.

use model::StateSet;
use std::ops::ControlFlow;

/// Listed states.
#[derive(Clone, Debug)]
pub struct Listed(pub Vec<Vec<u32>>);

impl StateSet for Listed {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn for_each(&self, visit: &mut dyn FnMut(&[u32]) -> ControlFlow<()>) -> ControlFlow<()> {
        self.0.iter().try_for_each(|state| visit(state))
    }
}
