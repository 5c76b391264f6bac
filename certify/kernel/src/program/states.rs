//! Sets of composite states: a slot per thread.
//!
//! Events are enabled and threads move as the stepper says. States of goals that are not claimed (a plain deadlock
//! under `check bad`) may be in a set; they have no successors.

use super::stepper::{Scratch, Stepper, describe};
use crate::closed::{Listed, Visit};
use crate::work::Work;
use crate::{Check, reject};
use model::{Goal, Program};

/// Composite states of a program, none of which may be of the claimed goals.
#[derive(Debug)]
pub struct States<'a> {
    program: &'a Program,
    stepper: &'a Stepper,
    goals: &'a [Goal],
    scratch: Scratch,
}

impl<'a> States<'a> {
    /// Of this program, which the stepper is made from.
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
