//! Engines that know no priorities, on programs with priorities.
//!
//! Priorities only remove steps, so a proof about the program without them is a proof about the program: the checker
//! accepts it as it is. A run need not respect priorities. It is a candidate: the checker replays it with priorities,
//! and if it refuses the run, the engine has no more to say about the goal. (If the run was a candidate of the engine,
//! it continues: the run need not be one of the program without priorities.)

use model::{Budget, Claim, Engine, Goal, ProgramTask, Save, Saved, Stats, Stop, Turn, Unrestored, Unsaved};
use std::sync::Arc;

/// Returns the task about the program without priorities.
pub(crate) fn unranked(asked: &ProgramTask) -> ProgramTask {
    match asked.program().has_priorities() {
        true => asked.on(Arc::new(asked.program().as_ref().clone().with_priorities(Vec::new()))),
        false => asked.clone(),
    }
}

/// An engine that searches the program without priorities.
pub(crate) struct Unranked<'a> {
    engine: Box<dyn Engine + 'a>,
    /// The goal of a run of the program without priorities that was claimed last.
    claimed: Option<Goal>,
}

impl<'a> Unranked<'a> {
    pub(crate) fn new(engine: Box<dyn Engine + 'a>) -> Self {
        Self { engine, claimed: None }
    }
}

impl Engine for Unranked<'_> {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        match self.engine.run(budget) {
            Turn::Claims(Claim::Unsafe { goal, trace, candidate }) => {
                self.claimed = (!candidate).then_some(goal);
                Turn::Claims(Claim::Unsafe { goal, trace, candidate: true })
            }
            turn => turn,
        }
    }

    fn refused(&mut self, goal: Goal) {
        if self.claimed.take() == Some(goal) {
            // The engine would find the same run again, so it drops the goal.
            self.engine.settled(&[goal]);
        } else {
            self.engine.refused(goal);
        }
    }

    fn settled(&mut self, goals: &[Goal]) {
        self.engine.settled(goals);
    }

    fn save(&mut self, since: u64, to: &mut dyn Save) -> Result<Option<u64>, Unsaved> {
        self.engine.save(since, to)
    }

    fn restore(&mut self, from: &mut dyn Saved, stop: &Stop) -> Result<Option<u64>, Unrestored> {
        self.engine.restore(from, stop)
    }

    fn stats(&self) -> Stats {
        self.engine.stats()
    }
}
