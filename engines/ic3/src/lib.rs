//! IC3 on markings: coverability for any number of tokens.

use model::{Budget, Engine, Goal, NetTask, Stats, Turn};
use reduce::facts::Facts;
use std::sync::Arc;

/// IC3 for the covering goals of a task; it has nothing to say about others.
pub struct Ic3 {
    _task: NetTask,
    _facts: Arc<Facts>,
}

impl Ic3 {
    /// `facts` are about the net of `task`.
    #[must_use]
    pub fn new(task: NetTask, facts: Arc<Facts>) -> Self {
        Self { _task: task, _facts: facts }
    }
}

impl Engine for Ic3 {
    fn name(&self) -> &'static str {
        "ic3"
    }

    fn run(&mut self, _budget: &mut Budget) -> Turn {
        Turn::Done
    }

    fn refused(&mut self, _goal: Goal) {}

    fn stats(&self) -> Stats {
        Stats::default()
    }
}
