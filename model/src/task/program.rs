//! A behavioral program as engines get it: asked for `bad` and `deadlock` only ([`crate::observed`] puts other
//! questions so).

use crate::assumption::Assumption;
use crate::goal::Goal;
use crate::problem::Problem;
use crate::rwb::Program;
use std::sync::Arc;

/// What an engine for programs is asked.
#[derive(Clone, Debug)]
pub struct ProgramTask {
    program: Arc<Program>,
    goals: Vec<Goal>,
    assumptions: Vec<Assumption>,
}

impl ProgramTask {
    /// Of `goals` those that are `bad` and `deadlock`: there are no others.
    #[must_use]
    pub fn new(program: Arc<Program>, goals: impl IntoIterator<Item = Goal>) -> Self {
        let goals = goals.into_iter().filter(|goal| matches!(goal, Goal::Bad | Goal::Deadlock)).collect();
        Self { program, goals, assumptions: Vec::new() }
    }

    /// The goals of the program's `check` line.
    #[must_use]
    pub fn of_program(program: Arc<Program>) -> Self {
        let goals = program.check().to_vec();
        Self::new(program, goals)
    }

    /// What a problem asks of a program; `None` if it is about another kind of system.
    #[must_use]
    pub fn of(problem: &Problem) -> Option<Self> {
        let program = Arc::clone(problem.system().as_program()?);
        Some(Self::new(program, problem.goals()).assuming(problem.assumptions().to_vec()))
    }

    /// The same, where only violating runs that satisfy all of these count.
    #[must_use]
    pub fn assuming(self, assumptions: Vec<Assumption>) -> Self {
        Self { assumptions, ..self }
    }

    /// The same of another program, to which the assumptions apply as well.
    #[must_use]
    pub fn on(&self, program: Arc<Program>) -> Self {
        Self { program, ..self.clone() }
    }

    /// The same for others of its goals.
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

    /// What is assumed of violating runs.
    #[must_use]
    pub fn assumptions(&self) -> &[Assumption] {
        &self.assumptions
    }
}
