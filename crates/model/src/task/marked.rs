//! A net or thread-transition system before reductions. The reductions turn it into a [`super::NetTask`] for
//! engines.

use crate::formula::Formula;
use crate::goal::{Goal, Marked};
use crate::problem::Problem;
use std::sync::Arc;

/// The questions about a system with markings as states.
#[derive(Clone, Debug)]
pub struct MarkedTask<'p> {
    system: Marked<'p>,
    formulas: &'p [Arc<Formula>],
    goals: Vec<Goal>,
}

impl<'p> MarkedTask<'p> {
    /// Returns the task of a problem about a net or thread-transition system; `None` for other kinds of
    /// systems. Goals that are no sets of markings are dropped.
    #[must_use]
    pub fn of(problem: &'p Problem) -> Option<Self> {
        let goals = problem.goals().filter(|goal| goal.is_of_states()).collect();
        Some(Self { system: problem.system().as_marked()?, formulas: problem.formulas(), goals })
    }

    /// Returns the task with these goals. Goals other than deadlocks and formulas of the problem are dropped.
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

    /// All formulas of the problem. The goals of the task may use only a part of them.
    #[must_use]
    pub fn formulas(&self) -> &'p [Arc<Formula>] {
        self.formulas
    }

    /// Returns the formula of a goal; `None` for a deadlock.
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
