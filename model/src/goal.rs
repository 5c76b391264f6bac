//! What is asked: goals are sets of states that must not be reachable; a problem is a system with its properties.

use crate::rwb::Program;
use std::fmt;
use std::sync::Arc;

/// A set of states that must not be reachable. For behavioral programs both goals are terminal: their states have no
/// successors, so a violating run ends in its first goal state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Goal {
    /// A composite state with a thread in a state marked `bad`.
    Bad,
    /// A composite state without enabled event and without bad local state.
    Deadlock,
}

impl Goal {
    /// The property id of the command line and of JSON.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Goal::Bad => "bad",
            Goal::Deadlock => "deadlock",
        }
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

/// The systems that can be asked about. Nets and reactive programs join as variants.
#[derive(Clone, Debug)]
pub enum SystemModel {
    /// A behavioral program.
    Rwb(Arc<Program>),
}

/// A goal under the name the user knows it by.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Property {
    /// As on the command line and in JSON.
    pub id: String,
    /// The states that must not be reachable.
    pub goal: Goal,
}

/// A system and what is asked of it.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The system as read.
    pub system: SystemModel,
    /// At least one property, each goal at most once.
    pub properties: Vec<Property>,
}

impl Problem {
    /// The problem a behavioral program poses by itself: the goals of its `check` line.
    #[must_use]
    pub fn of_program(program: Arc<Program>) -> Self {
        let goals = program.check().to_vec();
        Self::of_program_with(program, &goals)
    }

    /// A behavioral program with the given goals.
    #[must_use]
    pub fn of_program_with(program: Arc<Program>, goals: &[Goal]) -> Self {
        let properties = goals.iter().map(|&goal| Property { id: goal.id().to_owned(), goal }).collect();
        Self { system: SystemModel::Rwb(program), properties }
    }

    /// The goals asked for, in order.
    pub fn goals(&self) -> impl Iterator<Item = Goal> + '_ {
        self.properties.iter().map(|p| p.goal)
    }

    /// The behavioral program asked about.
    #[must_use]
    pub fn program(&self) -> &Arc<Program> {
        let SystemModel::Rwb(program) = &self.system;
        program
    }
}
