//! An engine whose claims are brought home before anybody sees them.

use crate::back::Back;
use model::{Budget, Engine, Goal, Stats, Turn};
use std::sync::Arc;

/// An engine that works on a reduced net and speaks of the system as read.
pub struct Mapped {
    engine: Box<dyn Engine>,
    back: Arc<Back>,
}

impl Mapped {
    /// `engine` works on the task that came with `back`.
    #[must_use]
    pub fn new(engine: Box<dyn Engine>, back: Arc<Back>) -> Self {
        Self { engine, back }
    }
}

impl Engine for Mapped {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        match self.engine.run(budget) {
            Turn::Claims(claim) => Turn::Claims(self.back.claim(claim)),
            turn => turn,
        }
    }

    fn refused(&mut self, goal: Goal) {
        self.engine.refused(goal);
    }

    fn stats(&self) -> Stats {
        self.engine.stats()
    }
}
