//! The state equation with cases: goals of any form that linear facts about all runs exclude.

use model::{Budget, Engine, Goal, NetTask, Stats, Turn};
use reduce::facts::Facts;
use std::sync::Arc;

/// Tries to exclude the goals of a task.
pub struct Equation {
    _task: NetTask,
    _facts: Arc<Facts>,
}

impl Equation {
    /// `facts` are about the net of `task`.
    #[must_use]
    pub fn new(task: NetTask, facts: Arc<Facts>) -> Self {
        Self { _task: task, _facts: facts }
    }
}

impl Engine for Equation {
    fn name(&self) -> &'static str {
        "equation"
    }

    fn run(&mut self, _budget: &mut Budget) -> Turn {
        Turn::Done
    }

    fn refused(&mut self, _goal: Goal) {}

    fn stats(&self) -> Stats {
        Stats::default()
    }
}
