//! A net or thread system before reductions, which make the [`super::NetTask`] of engines of it.

use crate::formula::Formula;
use crate::goal::{Goal, Marked};
use crate::problem::Problem;
use std::sync::Arc;

/// What is asked of a system whose states are markings.
#[derive(Clone, Debug)]
pub struct MarkedTask<'p> {
    system: Marked<'p>,
    formulas: &'p [Arc<Formula>],
    goals: Vec<Goal>,
}

impl<'p> MarkedTask<'p> {
    /// What a problem asks of a net or thread system; `None` if it is about another kind of system.
    #[must_use]
    pub fn of(problem: &'p Problem) -> Option<Self> {
        // Problems about such systems have formulas in range, and deadlocks.
        let goals = problem.goals().collect();
        Some(Self { system: problem.system().as_marked()?, formulas: problem.formulas(), goals })
    }

    /// The same for some of its goals: others than deadlocks and formulas that there are do not count.
    #[must_use]
    pub fn asking(&self, goals: &[Goal]) -> Self {
        let fits = |goal: &&Goal| **goal == Goal::Deadlock || self.formula(**goal).is_some();
        Self { goals: goals.iter().filter(fits).copied().collect(), ..self.clone() }
    }

    /// The system.
    #[must_use]
    pub fn system(&self) -> Marked<'p> {
        self.system
    }

    /// All formulas that goals of the problem name; the goals of the task may be fewer.
    #[must_use]
    pub fn formulas(&self) -> &'p [Arc<Formula>] {
        self.formulas
    }

    /// The formula of a goal; `None` for a deadlock.
    #[must_use]
    pub fn formula(&self, goal: Goal) -> Option<&'p Arc<Formula>> {
        match goal {
            Goal::Formula(id) => self.formulas.get(id.index()),
            _ => None,
        }
    }

    /// The goals to decide: [`Goal::Formula`] and [`Goal::Deadlock`].
    #[must_use]
    pub fn goals(&self) -> &[Goal] {
        &self.goals
    }
}
