//! The task of engines for reactive programs.

use crate::goal::Goal;
use crate::ids::TemporalId;
use crate::ltl::Ltl;
use crate::problem::Problem;
use crate::reactive::Reactive;
use std::sync::Arc;

/// A reactive program and the goals to decide.
#[derive(Clone, Debug)]
pub struct ReactiveTask {
    program: Arc<Reactive>,
    errors: Vec<Goal>,
    temporal: Vec<(TemporalId, Arc<Ltl>)>,
}

impl ReactiveTask {
    /// Creates a task. Goals other than error labels of the program and formulas in `temporal` are dropped.
    #[must_use]
    pub fn new(program: Arc<Reactive>, goals: impl IntoIterator<Item = Goal>, temporal: &[Arc<Ltl>]) -> Self {
        let labels = program.errors().len();
        let (mut errors, mut formulas) = (Vec::new(), Vec::new());
        for goal in goals {
            match goal {
                Goal::Error(error) if error.index() < labels => errors.push(goal),
                Goal::Temporal(id) => formulas.extend(temporal.get(id.index()).map(|ltl| (id, Arc::clone(ltl)))),
                _ => {}
            }
        }
        Self { program, errors, temporal: formulas }
    }

    /// Returns the task of a problem about a reactive program; `None` for other kinds of systems.
    #[must_use]
    pub fn of(problem: &Problem) -> Option<Self> {
        Some(Self::new(Arc::clone(problem.system().as_reactive()?), problem.goals(), problem.temporal()))
    }

    /// Removes these goals from the task.
    pub fn settled(&mut self, goals: &[Goal]) {
        self.errors.retain(|error| !goals.contains(error));
        self.temporal.retain(|(id, _)| !goals.contains(&Goal::Temporal(*id)));
    }

    /// The program.
    #[must_use]
    pub fn program(&self) -> &Arc<Reactive> {
        &self.program
    }

    /// The goals that are error labels.
    #[must_use]
    pub fn errors(&self) -> &[Goal] {
        &self.errors
    }

    /// The goals that are temporal formulas, with the formulas.
    #[must_use]
    pub fn temporal(&self) -> &[(TemporalId, Arc<Ltl>)] {
        &self.temporal
    }
}
