//! The task of engines for behavioral programs. Its goals are only `bad` and `deadlock`; [`mod@crate::observed`]
//! translates other questions to these.

use crate::assumption::Assumption;
use crate::goal::Goal;
use crate::problem::Problem;
use crate::rwb::Program;
use std::sync::Arc;

/// A program, the goals to decide and the assumptions.
#[derive(Clone, Debug)]
pub struct ProgramTask {
    program: Arc<Program>,
    goals: Vec<Goal>,
    assumptions: Vec<Assumption>,
}

impl ProgramTask {
    /// Creates a task without assumptions. Goals other than `bad` and `deadlock` are dropped.
    #[must_use]
    pub fn new(program: Arc<Program>, goals: impl IntoIterator<Item = Goal>) -> Self {
        let goals = goals.into_iter().filter(|goal| matches!(goal, Goal::Bad | Goal::Deadlock)).collect();
        Self { program, goals, assumptions: Vec::new() }
    }

    /// Creates a task with the goals of the program's `check` line.
    #[must_use]
    pub fn of_program(program: Arc<Program>) -> Self {
        let goals = program.check().to_vec();
        Self::new(program, goals)
    }

    /// Returns the task of a problem about a program; `None` for other kinds of systems.
    #[must_use]
    pub fn of(problem: &Problem) -> Option<Self> {
        let program = Arc::clone(problem.system().as_program()?);
        Some(Self::new(program, problem.goals()).assuming(problem.assumptions().to_vec()))
    }

    /// Returns the task with these assumptions: only violating runs that satisfy all of them count.
    #[must_use]
    pub fn assuming(self, assumptions: Vec<Assumption>) -> Self {
        Self { assumptions, ..self }
    }

    /// Returns the task with another program to which the assumptions also apply.
    #[must_use]
    pub fn on(&self, program: Arc<Program>) -> Self {
        Self { program, ..self.clone() }
    }

    /// Returns the task with other goals.
    #[must_use]
    pub fn asking(&self, goals: impl IntoIterator<Item = Goal>) -> Self {
        Self::new(Arc::clone(&self.program), goals).assuming(self.assumptions.clone())
    }

    /// The program.
    #[must_use]
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// The goals to decide.
    #[must_use]
    pub fn goals(&self) -> &[Goal] {
        &self.goals
    }

    /// The assumptions about violating runs.
    #[must_use]
    pub fn assumptions(&self) -> &[Assumption] {
        &self.assumptions
    }
}
