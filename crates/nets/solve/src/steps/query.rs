//! A stepper for a single goal of a net: states that satisfy the goal have no successors.

use crate::steps::goals::NetGoals;
use crate::steps::stepper::NetStepper;
use model::{ExpansionKind, Goal, NetTask};
pub(super) use search::step::{Stepper, Successors};

/// A stepper for one goal. States that satisfy the goal have no successors and the kind
/// `ExpansionKind::Goal(goal)`. No other state is reported as a goal state.
#[derive(Clone, Debug)]
pub struct Query {
    stepper: NetStepper,
    goal: Goal,
    test: NetGoals,
}

impl Query {
    /// Returns a stepper for `goal`, a goal of `task`. `stepper` must have been compiled from `task`.
    #[must_use]
    pub fn new(stepper: NetStepper, task: &NetTask, goal: Goal) -> Self {
        let test = NetGoals::new(&stepper, task, &[goal]);
        Self { stepper, goal, test }
    }

    /// Returns the stepper of the net.
    #[must_use]
    pub fn stepper(&self) -> &NetStepper {
        &self.stepper
    }
}

impl Stepper for Query {
    search::states_of!(stepper);

    fn expand(&mut self, packed: &[u64], out: &mut Successors) -> ExpansionKind {
        let mut hit = false;
        self.test.test(packed, |_| hit = true);
        if hit {
            out.clear();
            return ExpansionKind::Goal(self.goal);
        }
        match self.stepper.expand(packed, out) {
            ExpansionKind::Goal(goal) if goal != self.goal => ExpansionKind::Inner,
            kind => kind,
        }
    }
}
