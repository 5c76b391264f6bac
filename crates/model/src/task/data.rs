//! The task of engines for programs with unbounded data ([`crate::data`]).

use crate::data::DataProgram;
use crate::goal::Goal;
use crate::problem::Problem;
use std::sync::Arc;

/// A program and the goals to decide.
#[derive(Clone, Debug)]
pub struct DataTask {
    program: Arc<DataProgram>,
    goals: Vec<Goal>,
}

impl DataTask {
    /// Returns the task of a problem about a program with unbounded data; `None` for other kinds of systems. Goals
    /// other than `bad` and `deadlock` are dropped.
    #[must_use]
    pub fn of(problem: &Problem) -> Option<Self> {
        let goals = problem.goals().filter(|goal| matches!(goal, Goal::Bad | Goal::Deadlock)).collect();
        Some(Self { program: Arc::clone(problem.system().as_data()?), goals })
    }

    /// The program.
    #[must_use]
    pub fn program(&self) -> &Arc<DataProgram> {
        &self.program
    }

    /// The goals to decide.
    #[must_use]
    pub fn goals(&self) -> &[Goal] {
        &self.goals
    }
}
