//! Sets of composite states as evidence, with one slot per thread.
//!
//! The stepper determines which events are enabled and how threads move. The set may contain states of goals
//! that are not claimed, such as plain deadlocks if only `bad` is claimed. These states have no successors.

use super::stepper::{Scratch, Stepper, describe};
use crate::closed::{Listed, Visit};
use crate::work::Work;
use crate::{Check, reject};
use model::{Goal, Program};

/// A set of composite states of a program. None of them may be a state of a claimed goal.
#[derive(Debug)]
pub struct States<'a> {
    program: &'a Program,
    stepper: &'a Stepper,
    goals: &'a [Goal],
    scratch: Scratch,
}

impl<'a> States<'a> {
    /// Creates the semantics for sets of states of this program. The stepper must have been created from this
    /// program.
    #[must_use]
    pub fn new(program: &'a Program, stepper: &'a Stepper, goals: &'a [Goal]) -> Self {
        assert_eq!(program.threads().len(), stepper.width(), "the stepper is that of the program");
        Self { program, stepper, goals, scratch: Scratch::default() }
    }
}

impl Listed for States<'_> {
    const ELEMENT: &'static str = "state";

    fn sizes(&self) -> Vec<usize> {
        self.stepper.sizes()
    }

    fn initial(&self, visit: &mut dyn FnMut(&[u32]) -> Check<()>) -> Check<()> {
        self.stepper.initial_states(visit)
    }

    fn expand(&mut self, state: &[u32], visit: &mut impl Visit, work: &mut Work<'_>) -> Check<()> {
        let goal = self.stepper.steps(state, &mut self.scratch, |changes| visit.visit(changes, work))?;
        match goal.filter(|goal| self.goals.contains(goal)) {
            Some(goal) => reject(format!("the set contains a state of goal `{goal}`")),
            None => Ok(()),
        }
    }

    fn describe(&self, state: &[u32]) -> String {
        describe(self.program, state)
    }
}
