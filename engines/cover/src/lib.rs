//! Searches for markings that cover a goal: forwards, guided by a distance, and backwards from the goal.
//!
//! Forwards they follow relaxed plans on token counts (`relax.rs`) as planners do, which finds runs of thousands of
//! firings where the plans are good; any formula can be a goal. They never say `safe`. Backwards is the textbook
//! procedure, the reference for IC3.

mod backward;
mod before;
mod forward;
mod hunt;
mod moves;
mod open;
mod ops;
mod relax;
mod run;
mod store;
mod target;
#[cfg(test)]
mod tests;

use analysis::facts::Facts;
use backward::Backward;
use forward::Forward;
use model::{Budget, Engine, Goal, NetTask, Stats, Turn};
use std::sync::Arc;

/// Which procedure.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Procedure {
    /// Forwards, nearest to the goal first, without looking back at what it cost to get there.
    #[default]
    Greedy,
    /// Forwards, the least sum of the way so far and a lower bound first: finds a shortest run. A token that opens an
    /// initial marking counts as a firing, except where more tokens never hurt: there they are free.
    AStar,
    /// Backwards from covering goals, breadth first: the reference.
    Backward,
}

/// A search of one procedure for the goals of a task.
pub struct Cover {
    procedure: Procedure,
    search: Search,
}

enum Search {
    Forward(Box<Forward>),
    Backward(Backward),
}

impl Cover {
    /// `facts` are about the net of `task`.
    #[must_use]
    pub fn new(task: NetTask, facts: Arc<Facts>, procedure: Procedure) -> Self {
        let search = match procedure {
            Procedure::Greedy | Procedure::AStar => Search::Forward(Box::new(Forward::new(&task, facts, procedure))),
            Procedure::Backward => Search::Backward(Backward::new(&task, facts)),
        };
        Self { procedure, search }
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

    fn run(&mut self, budget: &mut Budget) -> Turn {
        match &mut self.search {
            Search::Forward(search) => search.run(budget),
            Search::Backward(search) => search.run(budget),
        }
    }

    fn refused(&mut self, _goal: Goal) {
        // Never called: these claims are no candidates.
    }

    fn settled(&mut self, goals: &[Goal]) {
        match &mut self.search {
            Search::Forward(search) => search.settled(goals),
            Search::Backward(search) => search.settled(goals),
        }
    }

    fn stats(&self) -> Stats {
        match &self.search {
            Search::Forward(search) => search.stats(),
            Search::Backward(search) => search.stats(),
        }
    }
}
