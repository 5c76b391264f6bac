//! An engine on a reduced system, with claims that are lifted to the system as read.

use crate::{Budget, Claim, Engine, Goal, Save, Saved, Stats, Stop, Turn, Unrestored, Unsaved};
use std::sync::Arc;

/// A lift from a reduced system to the system as read.
pub trait Lift: Send + Sync {
    /// Returns the claim about the system as read. If the evidence cannot be lifted, the claim becomes unknown.
    fn claim(&self, claim: Claim) -> Claim;

    /// Returns true if a shortest run is still a shortest run after lifting.
    fn keeps_shortest(&self) -> bool {
        false
    }

    /// Returns the goal of the reduced system that corresponds to a goal of the system as read, or `None` if
    /// the reduced system has no such goal.
    fn inner(&self, goal: Goal) -> Option<Goal> {
        Some(goal)
    }
}

/// An engine that works on a reduced system and makes claims about the system as read.
pub struct Mapped<'a> {
    engine: Box<dyn Engine + 'a>,
    lift: Arc<dyn Lift>,
}

impl<'a> Mapped<'a> {
    /// Wraps `engine`, which works on the reduced system that the given lift belongs to.
    #[must_use]
    pub fn new(engine: Box<dyn Engine + 'a>, lift: Arc<dyn Lift>) -> Self {
        Self { engine, lift }
    }
}

impl Engine for Mapped<'_> {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        match self.engine.run(budget) {
            Turn::Claims(claim) => Turn::Claims(self.lift.claim(claim)),
            turn => turn,
        }
    }

    fn refused(&mut self, goal: Goal) {
        if let Some(goal) = self.lift.inner(goal) {
            self.engine.refused(goal);
        }
    }

    fn settled(&mut self, goals: &[Goal]) {
        let goals: Vec<Goal> = goals.iter().filter_map(|goal| self.lift.inner(*goal)).collect();
        self.engine.settled(&goals);
    }

    fn claims_shortest(&self, goal: Goal) -> bool {
        self.lift.keeps_shortest() && self.lift.inner(goal).is_some_and(|goal| self.engine.claims_shortest(goal))
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
