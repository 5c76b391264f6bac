//! The ids of goals in evidence files: those of the questions, and fixed ones.

use crate::about::About;
use crate::names::invalid;
use model::{Goal, Problem};
use std::collections::HashMap;
use std::io;

/// The goals of a problem and their ids.
pub(crate) struct GoalNames<'p> {
    /// The goals with a fixed id. A file may name them even if the problem does not ask for them.
    fixed: &'static [Goal],
    ids: HashMap<Goal, &'p str>,
    goals: HashMap<&'p str, Goal>,
}

impl<'p> GoalNames<'p> {
    pub(crate) fn of(problem: &'p Problem) -> Self {
        let mut this = Self {
            fixed: About::of(problem.system()).map_or(&[], |about| about.fixed),
            ids: HashMap::new(),
            goals: HashMap::new(),
        };
        for property in problem.properties() {
            this.ids.entry(property.goal).or_insert(&property.id);
            this.goals.entry(&property.id).or_insert(property.goal);
        }
        this
    }

    /// Returns the id of the property with this goal. Goals with fixed ids need no property.
    pub(crate) fn id(&self, goal: Goal) -> io::Result<&'p str> {
        match (self.ids.get(&goal), goal) {
            (Some(id), _) => Ok(id),
            (None, Goal::Bad | Goal::Deadlock) => Ok(goal.id()),
            (None, _) => Err(invalid("a goal that the problem does not ask for")),
        }
    }

    /// Returns the goal with this id: the goal of a property, or a goal with a fixed id even if no property has
    /// it.
    pub(crate) fn goal(&self, id: &str) -> Option<Goal> {
        self.goals.get(id).copied().or_else(|| self.fixed.iter().copied().find(|g| g.id() == id))
    }
}
