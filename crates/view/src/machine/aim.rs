//! What a search looks for, and where a random run pauses.

use super::views::Target;
use super::{Machine, MachineError};
use crate::choices::{Choices, Taken};
use formats::Limits;
use model::{Formula, Goal, Problem};
use std::sync::Arc;

/// Returns the states that reach a goal.
fn of_states(problem: &Problem, goal: Goal) -> Result<Aim, MachineError> {
    if !goal.is_of_states() {
        let why = "a target is a set of states, and this is about runs, about branching time or about a largest value";
        return Err(MachineError::Target(why.to_owned()));
    }
    Ok(problem.formula(goal).map_or(Aim::Goal(goal), |formula| Aim::Formula(Arc::clone(formula))))
}

/// A target that is understood.
pub(super) enum Aim {
    Event(String),
    Formula(Arc<Formula>),
    Goal(Goal),
}

impl<K: Choices> Machine<K> {
    /// Understands a target.
    pub(super) fn aim(&self, problem: &Problem, target: &Target) -> Result<Aim, MachineError> {
        match target {
            Target::Event(name) if name.is_empty() => {
                Err(MachineError::Target("the name of the event is empty".to_owned()))
            }
            Target::Event(name) => Ok(Aim::Event(name.clone())),
            Target::Property(id) if id == Goal::Deadlock.id() => Ok(Aim::Goal(Goal::Deadlock)),
            Target::Property(id) => {
                let found = problem.properties().iter().find(|property| property.id == *id);
                let property = found.ok_or_else(|| MachineError::Target(format!("no property `{id}`")))?;
                of_states(problem, property.goal)
            }
            Target::Formula(text) => {
                let mut asked = problem.clone();
                let question = format!("EF ({text})");
                let limits = Limits { bytes: 1 << 16, ..Limits::default() };
                let read = readers::ask(&mut asked, &question, 1, &limits);
                let read = read.map_err(|error| MachineError::Target(error.message().to_string()))?;
                let readers::Ask::Property(property) = read else {
                    return Err(MachineError::Target("the formula is not supported here".to_owned()));
                };
                of_states(&asked, property.goal)
            }
        }
    }

    /// Returns true if a state is one of the target. `None` if the target is not about such states.
    pub(super) fn holds_in(&self, aim: &Aim, state: &K::State) -> Option<bool> {
        match aim {
            Aim::Event(_) => None,
            Aim::Formula(formula) => self.kind.holds(state, formula),
            Aim::Goal(goal) => Some(self.kind.reaches(state, *goal)),
        }
    }

    /// Returns true if a step reaches the target.
    pub(super) fn hits(&self, aim: &Aim, label: u32, taken: &Taken<K::State>) -> bool {
        match aim {
            Aim::Event(name) => {
                let fits = |text: &str| match name.strip_suffix('*') {
                    Some(beginning) => text.starts_with(beginning),
                    None => text == name,
                };
                fits(&taken.event) || taken.shows.iter().any(|text| fits(text)) || fits(&self.kind.name(label))
            }
            Aim::Formula(formula) => self.kind.holds(&taken.to, formula) == Some(true),
            Aim::Goal(goal) => taken.goals.contains(goal) || self.kind.reaches(&taken.to, *goal),
        }
    }
}
