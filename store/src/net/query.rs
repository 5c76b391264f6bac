//! A net asked about one goal: states of the goal are final.

use crate::net::goals::NetGoals;
use crate::net::stepper::NetStepper;
use crate::step::{Step, Successors};
use model::{Goal, Kind, NetTask};
use std::ops::ControlFlow;

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
    fn words(&self) -> usize {
        self.stepper.words()
    }

    fn width(&self) -> usize {
        self.stepper.width()
    }

    fn pack(&self, state: &[u32], out: &mut Vec<u64>) {
        self.stepper.pack(state, out);
    }

    fn unpack(&self, packed: &[u64], out: &mut Vec<u32>) {
        self.stepper.unpack(packed, out);
    }

    fn initial(&self, sink: &mut dyn FnMut(&[u64])) {
        self.stepper.initial(sink);
    }

    fn initial_while(&self, sink: &mut dyn FnMut(&[u64]) -> ControlFlow<()>) {
        self.stepper.initial_while(sink);
    }

    fn initial_is_cut(&self) -> bool {
        self.stepper.initial_is_cut()
    }

    fn initial_count(&self) -> u64 {
        self.stepper.initial_count()
    }

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

    fn max_fan_out(&self) -> u64 {
        self.stepper.max_fan_out()
    }

    fn fan_out(&self, packed: &[u64]) -> u64 {
        self.stepper.fan_out(packed)
    }
}
