//! Temporal formulas about reactive programs: the calls of a program, for the search in the crate `temporal`.

use crate::ReactiveStepper;
use model::valuations::Holds;
use model::{ErrorId, ReactiveTask};
use search::valuations::States;
use temporal::{Calls, LtlEngine};

/// Returns an engine for the temporal goals of `task`. Violations of up to `jobs` formulas are searched for at once.
///
/// Cost: the automata of all formulas, milliseconds each.
#[must_use]
pub fn ltl(task: &ReactiveTask, jobs: usize) -> LtlEngine<ReactiveStepper> {
    let stepper = ReactiveStepper::new(task.program());
    let slots = stepper.slots().iter().map(|&var| (var, Holds::Exactly)).collect();
    LtlEngine::new(task, stepper, task.program().inputs().to_vec(), slots, jobs)
}

impl Calls for ReactiveStepper {
    fn work(&self) -> u64 {
        ReactiveStepper::work(self)
    }

    fn states(&self) -> States {
        ReactiveStepper::states(self)
    }

    fn inputs(&self) -> usize {
        self.program().inputs().len()
    }

    fn undefined(&self) -> Option<ErrorId> {
        self.program().undefined()
    }

    fn initial(&self) -> Vec<i32> {
        ReactiveStepper::initial(self).into_vec()
    }

    fn call(
        &mut self,
        from: &[i32],
        input: model::InputId,
        room: &mut [i32],
        sink: &mut dyn FnMut(model::Outcome, &[i32]),
    ) {
        let outcome = self.step(from, input, room);
        sink(outcome, room);
    }
}
