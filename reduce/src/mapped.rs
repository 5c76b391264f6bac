//! An engine whose claims are brought home before anybody sees them.

use model::{Budget, Claim, Engine, Goal, Stats, Turn};
use std::sync::Arc;

/// The way from a reduced system to the system as read.
pub trait Home {
    /// The claim about the system as read. Evidence that cannot be said of it makes the claim unknown.
    fn claim(&self, claim: Claim) -> Claim;

    /// Do shortest runs stay shortest runs on the way?
    fn keeps_shortest(&self) -> bool {
        false
    }

    /// What a goal of the system as read is called in the reduced system; `None` if it is not asked there.
    fn inner(&self, goal: Goal) -> Option<Goal> {
        Some(goal)
    }
}

/// An engine that works on a reduced system and speaks of the system as read.
pub struct Mapped<'a> {
    engine: Box<dyn Engine + 'a>,
    home: Arc<dyn Home>,
}

impl<'a> Mapped<'a> {
    /// `engine` works on the system that came with `home`.
    #[must_use]
    pub fn new(engine: Box<dyn Engine + 'a>, home: Arc<dyn Home>) -> Self {
        Self { engine, home }
    }
}

impl Engine for Mapped<'_> {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        match self.engine.run(budget) {
            Turn::Claims(claim) => Turn::Claims(self.home.claim(claim)),
            turn => turn,
        }
    }

    fn refused(&mut self, goal: Goal) {
        if let Some(goal) = self.home.inner(goal) {
            self.engine.refused(goal);
        }
    }

    fn settled(&mut self, goals: &[Goal]) {
        let goals: Vec<Goal> = goals.iter().filter_map(|goal| self.home.inner(*goal)).collect();
        self.engine.settled(&goals);
    }

    fn claims_shortest(&self, goal: Goal) -> bool {
        self.home.keeps_shortest() && self.home.inner(goal).is_some_and(|goal| self.engine.claims_shortest(goal))
    }

    fn stats(&self) -> Stats {
        self.engine.stats()
    }
}
