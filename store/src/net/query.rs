//! A net asked about one goal: states of the goal are final.

use crate::net::goals::NetGoals;
use crate::net::stepper::NetStepper;
use crate::step::{Step, Successors};
use model::{Goal, Kind, NetTask};

/// A stepper whose states of the goal have no successors and are `Kind::Goal(goal)`; no other state is a goal state.
#[derive(Clone, Debug)]
pub struct Query {
    stepper: NetStepper,
    goal: Goal,
    test: NetGoals,
}

impl Query {
    /// Asks for `goal`, one of `task`, which is the one that `stepper` was compiled from.
    #[must_use]
    pub fn new(stepper: NetStepper, task: &NetTask, goal: Goal) -> Self {
        let test = NetGoals::new(&stepper, task, &[goal]);
        Self { stepper, goal, test }
    }

    /// The stepper inside.
    #[must_use]
    pub fn stepper(&self) -> &NetStepper {
        &self.stepper
    }
}

impl Step for Query {
    crate::states_of!(stepper);

    fn expand(&mut self, packed: &[u64], out: &mut Successors) -> Kind {
        let mut hit = false;
        self.test.test(packed, |_| hit = true);
        if hit {
            out.clear();
            return Kind::Goal(self.goal);
        }
        match self.stepper.expand(packed, out) {
            Kind::Goal(goal) if goal != self.goal => Kind::Inner,
            kind => kind,
        }
    }
}
