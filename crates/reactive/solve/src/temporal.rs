//! Temporal formulas about reactive programs: the calls of a program, for the search in the crate `temporal`.
//!
//! ```
//! use model::reactive::{Builder, Convention, Expr, Stmt};
//! use model::{Budget, Claim, Engine, Goal, Letter, Ltl, LtlId, LtlNode, ReactiveTask, TemporalId, Turn};
//!
//! // Each call prints its input, which is 1 or 2.
//! let mut parts = Builder::new();
//! [1, 2].map(|letter| parts.input(letter));
//! let (main, input) = (parts.declare("main"), parts.expr(Expr::Input));
//! let body = parts.block(&[Stmt::Print(input)]);
//! parts.define(main, body);
//! let program = parts.finish(main, Convention::Printed).unwrap();
//!
//! // `F output 2` is violated by a run with no input 2. `G (input 1 -> X output 1)` holds.
//! let (input, output) = (|n| LtlNode::Letter(Letter::Input(n)), |n| LtlNode::Letter(Letter::Output(n)));
//! let some = Ltl::new(vec![output(2), LtlNode::Finally(LtlId(0))]);
//! let [no_input, next, either] = [LtlNode::Not(LtlId(0)), LtlNode::Next(LtlId(2)), LtlNode::Or(LtlId(1), LtlId(3))];
//! let echo = Ltl::new(vec![input(1), no_input, output(1), next, either, LtlNode::Globally(LtlId(4))]);
//! let goals = [0, 1].map(|number| Goal::Temporal(TemporalId(number)));
//! let mut engine = impasse_reactive::ltl(&ReactiveTask::new(program.into(), goals, &[some.into(), echo.into()]), 1);
//! let mut budget = Budget::unlimited(Default::default());
//! assert!(matches!(engine.run(&mut budget), Turn::Claims(Claim::Unsafe { goal, .. }) if goal == goals[0]));
//! assert!(matches!(engine.run(&mut budget), Turn::Claims(Claim::Safe { goals: safe, .. }) if safe == goals[1..]));
//! ```

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
