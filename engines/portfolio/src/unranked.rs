//! Engines that know no priorities, on programs with priorities.
//!
//! Priorities only remove steps, so a proof about the program without them is a proof about the program: the checker
//! accepts it as it is. A run need not respect priorities. It is a candidate: the checker replays it with priorities,
//! and if it refuses the run, the engine has no more to say about the goal.

use model::{Budget, Claim, Engine, Goal, ProgramTask, Stats, Turn};
use std::sync::Arc;

/// Returns the task about the program without priorities.
pub(crate) fn unranked(asked: &ProgramTask) -> ProgramTask {
    match asked.program().has_priorities() {
        true => asked.on(Arc::new(asked.program().as_ref().clone().with_priorities(Vec::new()))),
        false => asked.clone(),
    }
}

/// An engine that searches the program without priorities.
pub(crate) struct Unranked<'a>(pub(crate) Box<dyn Engine + 'a>);

impl Engine for Unranked<'_> {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        match self.0.run(budget) {
            Turn::Claims(Claim::Unsafe { goal, trace, .. }) => {
                Turn::Claims(Claim::Unsafe { goal, trace, candidate: true })
            }
            turn => turn,
        }
    }

    /// The engine would find the same run again, so it drops the goal.
    fn refused(&mut self, goal: Goal) {
        self.0.settled(&[goal]);
    }

    fn settled(&mut self, goals: &[Goal]) {
        self.0.settled(goals);
    }

    fn stats(&self) -> Stats {
        self.0.stats()
    }
}
