//! Searches for markings that cover a goal: forwards, guided by a distance, and backwards from the goal.

use model::{Budget, Engine, Goal, NetTask, Stats, Turn};
use reduce::facts::Facts;
use std::sync::Arc;

/// Which procedure.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Procedure {
    /// Forwards, nearest to the goal first, without looking back at what it cost to get there.
    #[default]
    Greedy,
    /// Forwards, the least sum of the way so far and the distance first: short runs.
    AStar,
    /// Backwards from the goal, breadth first: the reference.
    Backward,
}

/// A search of one procedure for the goals of a task.
pub struct Cover {
    _task: NetTask,
    _facts: Arc<Facts>,
    procedure: Procedure,
}

impl Cover {
    /// `facts` are about the net of `task`.
    #[must_use]
    pub fn new(task: NetTask, facts: Arc<Facts>, procedure: Procedure) -> Self {
        Self { _task: task, _facts: facts, procedure }
    }
}

impl Engine for Cover {
    fn name(&self) -> &'static str {
        match self.procedure {
            Procedure::Greedy => "cover.greedy",
            Procedure::AStar => "cover.astar",
            Procedure::Backward => "cover.backward",
        }
    }

    fn run(&mut self, _budget: &mut Budget) -> Turn {
        Turn::Done
    }

    fn refused(&mut self, _goal: Goal) {}

    fn stats(&self) -> Stats {
        Stats::default()
    }
}
