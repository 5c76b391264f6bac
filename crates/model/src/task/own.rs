//! The task of engines for systems written in Rust ([`crate::own`]).

use crate::goal::Goal;
use crate::own::System;
use crate::problem::Problem;
use std::sync::Arc;

/// A system and the goals to decide.
#[derive(Clone, Debug)]
pub struct OwnTask {
    system: Arc<dyn System>,
    goals: Vec<Goal>,
}

impl OwnTask {
    /// Creates a task. Goals other than predicates of the system and deadlocks are dropped.
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

    /// Returns the task of a problem about a system written in Rust; `None` for other kinds of systems.
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
