//! The states of a search, without the states that other states cover, as evidence.

use crate::exploration::PackedStates;
use crate::step::Stepper;
use model::StateSet;
use std::fmt;
use std::ops::ControlFlow;

/// The states that were not found to be covered by another one.
pub struct Kept<S: Stepper> {
    states: PackedStates<S>,
    covered: Vec<bool>,
    left: u64,
}

impl<S: Stepper> Kept<S> {
    /// Returns `states` without those that are `covered`, which is indexed by state number.
    pub(super) fn new(states: PackedStates<S>, covered: Vec<bool>) -> Self {
        debug_assert_eq!(states.len(), covered.len() as u64, "every state was looked at");
        let left = covered.iter().filter(|covered| !**covered).count() as u64;
        Self { states, covered, left }
    }
}

impl<S: Stepper> fmt::Debug for Kept<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Kept({} of {})", self.left, self.covered.len())
    }
}

impl<S: Stepper> StateSet for Kept<S> {
    fn len(&self) -> u64 {
        self.left
    }

    fn for_each(&self, visit: &mut dyn FnMut(&[u32]) -> ControlFlow<()>) -> ControlFlow<()> {
        let mut covered = self.covered.iter();
        self.states.for_each(&mut |state| match covered.next() {
            Some(false) => visit(state),
            _ => ControlFlow::Continue(()),
        })
    }
}
