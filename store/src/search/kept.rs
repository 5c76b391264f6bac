//! The states of a search without those that others cover, as evidence.

use crate::exploration::PackedStates;
use crate::step::Step;
use model::StateSet;
use std::fmt;
use std::ops::ControlFlow;

/// States that no other one covers, as far as that was looked for.
pub struct Kept<S: Step> {
    states: PackedStates<S>,
    covered: Vec<bool>,
    left: u64,
}

impl<S: Step> Kept<S> {
    /// Those of `states` that are not `covered`, by number.
    pub(super) fn new(states: PackedStates<S>, covered: Vec<bool>) -> Self {
        debug_assert_eq!(states.len(), covered.len() as u64, "every state was looked at");
        let left = covered.iter().filter(|covered| !**covered).count() as u64;
        Self { states, covered, left }
    }
}

impl<S: Step> fmt::Debug for Kept<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Kept({} of {})", self.left, self.covered.len())
    }
}

impl<S: Step> StateSet for Kept<S> {
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
