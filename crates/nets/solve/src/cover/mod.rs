//! Searches for markings that cover a goal: forwards, guided by a distance, and backwards from the goal.
//!
//! ```
//! use impasse_nets::invariants::Invariants;
//! use impasse_nets::cover::{Cover, Procedure};
//! use model::{Budget, Claim, Engine, Formula, Net, PlaceId, Range, Turn};
//! use std::sync::Arc;
//! use testkit::net::{arcs, place, task};
//!
//! // A cell divides into two cells. Two cells form a colony. Can there be two colonies?
//! let places = vec![place("cells", Range::exactly(1u8)), place("colonies", Range::exactly(0u8))];
//! let transitions = vec![arcs("divide", &[(0, 1)], &[(0, 2)]), arcs("join", &[(0, 2)], &[(1, 1)])];
//! let two = Formula::cover(&[(PlaceId(1), 2u8.into())]);
//! let task = task(Net::new(places, transitions).unwrap(), vec![two], false);
//! let invariants = Arc::new(Invariants::new(&task).expect("the numbers are small"));
//!
//! let mut engine = Cover::new(task, invariants, Procedure::AStar);
//! let turn = engine.run(&mut Budget::unlimited(Arc::default()));
//! let Turn::Claims(Claim::Unsafe { trace, .. }) = turn else { panic!("{turn:?}") };
//! assert_eq!(trace.len(), Some(5), "three divisions and two joins");
//! ```
//!
//! Forward searches follow relaxed plans on token counts (`relax.rs`), as planners do. With good plans they
//! find runs of thousands of firings. Any formula can be a goal. They never claim `safe`. Backward search is
//! the textbook procedure and serves as the reference for IC3.
//!
//! [`Cover`] is the engine. [`Procedure`] chooses the search.

mod backward;
mod basis;
mod before;
mod forward;
mod hunt;
mod moves;
mod open;
mod ops;
mod procedure;
mod relax;
mod run;
mod store;
mod target;
#[cfg(test)]
mod tests;

use crate::invariants::Invariants;
use backward::Backward;
pub use basis::Basis;
use forward::Forward;
use model::{Budget, Engine, Goal, NetTask, Stats, Turn};
pub use procedure::Procedure;
use std::sync::Arc;

/// A search with one procedure for the goals of a task.
pub struct Cover {
    procedure: Procedure,
    search: Search,
}

enum Search {
    Forward(Box<Forward>),
    Backward(Backward),
}

impl Cover {
    /// Makes the engine. `invariants` must be about the net of `task`.
    #[must_use]
    pub fn new(task: NetTask, invariants: Arc<Invariants>, procedure: Procedure) -> Self {
        let search = match procedure {
            Procedure::Greedy | Procedure::AStar => {
                Search::Forward(Box::new(Forward::new(&task, invariants, procedure)))
            }
            Procedure::Backward => Search::Backward(Backward::new(&task, invariants)),
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
        // Never called, because this engine makes no claim with `candidate: true`.
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
