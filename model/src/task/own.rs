//! A system of one's own as engines get it.

use crate::goal::Goal;
use crate::own::System;
use crate::problem::Problem;
use std::sync::Arc;

/// What an engine for systems of one's own is asked.
#[derive(Clone, Debug)]
pub struct OwnTask {
    system: Arc<dyn System>,
    goals: Vec<Goal>,
}

impl OwnTask {
    /// Of `goals` those that are predicates of the system, or deadlocks: there are no others.
    #[must_use]
    pub fn new(system: Arc<dyn System>, goals: impl IntoIterator<Item = Goal>) -> Self {
        let predicates = system.predicates().len();
        let fits = |goal: &Goal| match goal {
            Goal::Predicate(predicate) => predicate.index() < predicates,
            other => *other == Goal::Deadlock,
        };
        let goals = goals.into_iter().filter(fits).collect();
        Self { system, goals }
    }

    /// What a problem asks of a system of one's own; `None` if it is about another kind of system.
    #[must_use]
    pub fn of(problem: &Problem) -> Option<Self> {
        Some(Self::new(Arc::clone(problem.system().as_own()?), problem.goals()))
    }

    /// The system.
    #[must_use]
    pub fn system(&self) -> &Arc<dyn System> {
        &self.system
    }

    /// The goals to decide.
    #[must_use]
    pub fn goals(&self) -> &[Goal] {
        &self.goals
    }
}
