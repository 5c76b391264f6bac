//! A problem: a system and questions about it. The constructors check that the questions fit the system.
//!
//! One type represents problems about all kinds of systems, because most code (the ledger, reports, evidence,
//! the command line) treats the properties of all kinds in the same way. An enum with one problem type per kind
//! would require a match with identical arms in all of this code. The differences between the kinds (the goals
//! that exist, and what goals may refer to) are in one module, `fit`. The fields are private, so every problem
//! has been checked by [`Problem::new`]. Engines get the narrower types in [`crate::task`], which contain only
//! what their kind of system has.

mod fit;
mod questions;

pub use fit::{Mismatch, Unfit};

use crate::assumption::Assumption;
use crate::circuit::Circuit;
use crate::ctl::Ctl;
use crate::data::DataProgram;
use crate::fairness::Fairness;
use crate::formula::Formula;
use crate::goal::{Goal, Property, SystemModel};
use crate::ids::{FormulaId, JusticeId, OutputId, PredicateId};
use crate::ltl::{Ltl, never_stays_hot};
use crate::net::Net;
use crate::own::System;
use crate::rwb::Program;
use crate::threads::ThreadTransitionSystem;
use fit::{check, check_properties};
pub use questions::{Questions, Sum};
use std::sync::Arc;

/// A system and the questions about it. The questions fit the system: goals are of its kind, and ids are in
/// range.
#[derive(Clone, Debug)]
pub struct Problem {
    system: SystemModel,
    asked: Questions,
}

/// Constructors.
impl Problem {
    /// Creates a problem from a system and questions.
    ///
    /// # Errors
    /// Returns the first question that does not fit the system. The cost is linear in the size of the
    /// questions.
    pub fn new(system: impl Into<SystemModel>, asked: Questions) -> Result<Self, Mismatch> {
        let system = system.into();
        check(&system, &asked)?;
        Ok(Self { system, asked })
    }

    /// Creates a problem without questions.
    #[must_use]
    pub fn of(system: impl Into<SystemModel>) -> Self {
        Self { system: system.into(), asked: Questions::default() }
    }

    /// Creates a problem about a net, without questions. [`Problem::never`] and [`Problem::never_stuck`] add
    /// questions.
    #[must_use]
    pub fn of_net(net: Arc<Net>) -> Self {
        Self::of(net)
    }

    /// Creates a problem about a thread-transition system, without questions. Formulas refer to its states as
    /// places: [`ThreadTransitionSystem::shared_place`] and [`ThreadTransitionSystem::local_place`].
    #[must_use]
    pub fn of_threads(threads: Arc<ThreadTransitionSystem>) -> Self {
        Self::of(threads)
    }

    /// Creates a problem that asks about all outputs of a circuit, as the properties `b0`, `b1`, .., and about all of
    /// its justice properties, as `j0`, `j1`, ..
    #[must_use]
    pub fn of_circuit(circuit: Arc<Circuit>) -> Self {
        let output = |i| Property::never(format!("b{i}"), Goal::Output(OutputId::new(i)));
        let justice = |i| Property::never(format!("j{i}"), Goal::Justice(JusticeId::new(i)));
        let outputs = (0..circuit.outputs().len()).map(output);
        let properties = outputs.chain((0..circuit.justices().len()).map(justice)).collect();
        Self { system: circuit.into(), asked: Questions { properties, ..Questions::default() } }
    }

    /// Creates a problem about a system written in Rust, with all questions of the system.
    #[must_use]
    pub fn of_own(system: impl System + 'static) -> Self {
        let system: Arc<dyn System> = Arc::new(system);
        let property = |(number, (id, asked))| {
            let goal = Goal::Predicate(PredicateId::new(number));
            Property { id, goal, asked }
        };
        let mut properties: Vec<Property> = system.predicates().into_iter().enumerate().map(property).collect();
        if system.asks_deadlock() {
            properties.push(Property::never(Goal::Deadlock.id(), Goal::Deadlock));
        }
        Self { system: system.into(), asked: Questions { properties, ..Questions::default() } }
    }

    /// Creates a problem about a behavioral program, with the goals of the program's `check` line, and a goal for each
    /// thread with hot states.
    #[must_use]
    pub fn of_program(program: Arc<Program>) -> Self {
        let mut properties = never_each(program.check());
        let hot = |t| Property::never(format!("hot:{}", program.thread(t).name), Goal::Hot(t));
        properties.extend(program.hot_threads().map(hot));
        Self { system: program.into(), asked: Questions { properties, ..Questions::default() } }
    }

    /// Creates a problem about a behavioral program with the given goals, which may be `bad` and `deadlock`.
    ///
    /// # Errors
    /// Fails if another goal is given, or if a goal is given twice.
    pub fn of_program_with(program: Arc<Program>, goals: &[Goal]) -> Result<Self, Mismatch> {
        Self::of(program).asking(never_each(goals))
    }
}

impl Problem {
    /// Creates a problem about a program with unbounded data, with the given goals, which may be `bad` and `deadlock`.
    ///
    /// # Errors
    /// Fails if another goal is given, or if a goal is given twice.
    pub fn of_data(program: Arc<DataProgram>, goals: &[Goal]) -> Result<Self, Mismatch> {
        Self::of(program).asking(never_each(goals))
    }
}

/// Returns for each of these goals the property that it must not be reachable, with the fixed id of the goal.
fn never_each(goals: &[Goal]) -> Vec<Property> {
    goals.iter().map(|&goal| Property::never(goal.id(), goal)).collect()
}

/// Methods that derive a problem from another one.
impl Problem {
    /// Adds the property that no reachable marking (or composite state of a program) satisfies `formula`.
    /// Applies to nets, thread-transition systems and programs.
    ///
    /// # Errors
    /// Fails if the system is of another kind, if it has fewer places than the formula uses, or if it is a
    /// program with assumptions.
    pub fn never(self, id: impl Into<String>, formula: Formula) -> Result<Self, Mismatch> {
        let goal = Goal::Formula(FormulaId::new(self.asked.formulas.len()));
        self.changed(|asked| {
            asked.formulas.push(Arc::new(formula));
            asked.properties.push(Property::never(id, goal));
        })
    }

    /// Adds the property that no deadlock is reachable.
    ///
    /// # Errors
    /// Fails if the system is a circuit or a reactive program, or if the problem already has this property.
    pub fn never_stuck(self) -> Result<Self, Mismatch> {
        self.changed(|asked| asked.properties.push(Property::never(Goal::Deadlock.id(), Goal::Deadlock)))
    }

    /// Changes the questions about the system.
    ///
    /// # Errors
    /// Returns the first question that does not fit the system.
    pub fn changed(self, change: impl FnOnce(&mut Questions)) -> Result<Self, Mismatch> {
        let Self { system, mut asked } = self;
        change(&mut asked);
        Self::new(system, asked)
    }

    /// Replaces the properties.
    ///
    /// # Errors
    /// Returns the first question that does not fit the system.
    pub fn asking(mut self, properties: Vec<Property>) -> Result<Self, Mismatch> {
        self.asked.properties = properties;
        check_properties(&self.system, &self.asked)?;
        Ok(self)
    }

    /// Keeps only the properties for which `is_asked` returns true.
    #[must_use]
    pub fn only(mut self, is_asked: impl FnMut(&Property) -> bool) -> Self {
        self.asked.properties.retain(is_asked);
        self
    }

    /// Replaces the assumptions.
    ///
    /// # Errors
    /// Returns the first question that does not fit the system.
    pub fn assuming(self, assumptions: Vec<Assumption>) -> Result<Self, Mismatch> {
        self.changed(|asked| asked.assumptions = assumptions)
    }

    /// Replaces the system and keeps the questions.
    ///
    /// # Errors
    /// Returns the first question that does not fit the system.
    pub fn on(self, system: impl Into<SystemModel>) -> Result<Self, Mismatch> {
        Self::new(system, self.asked)
    }
}

/// Access to the parts of a problem.
impl Problem {
    /// The system as read.
    #[must_use]
    pub fn system(&self) -> &SystemModel {
        &self.system
    }

    /// The properties.
    #[must_use]
    pub fn properties(&self) -> &[Property] {
        &self.asked.properties
    }

    /// The formulas that goals refer to, by [`FormulaId`].
    #[must_use]
    pub fn formulas(&self) -> &[Arc<Formula>] {
        &self.asked.formulas
    }

    /// The temporal formulas that goals refer to, by [`crate::TemporalId`].
    #[must_use]
    pub fn temporal(&self) -> &[Arc<Ltl>] {
        &self.asked.temporal
    }

    /// The formulas of computation tree logic that goals refer to, by [`crate::BranchingId`].
    #[must_use]
    pub fn branching(&self) -> &[Arc<Ctl>] {
        &self.asked.branching
    }

    /// The sums that goals ask for the largest value of, by [`crate::BoundId`].
    #[must_use]
    pub fn sums(&self) -> &[Sum] {
        &self.asked.sums
    }

    /// Returns the formula of computation tree logic of a goal; `None` for goals of other kinds, and if the problem has
    /// no formula with this number.
    #[must_use]
    pub fn ctl(&self, goal: Goal) -> Option<&Arc<Ctl>> {
        match goal {
            Goal::Branching(id) => self.asked.branching.get(id.index()),
            _ => None,
        }
    }

    /// The assumptions about violating runs.
    #[must_use]
    pub fn assumptions(&self) -> &[Assumption] {
        &self.asked.assumptions
    }

    /// The fairness assumptions about runs of a program.
    #[must_use]
    pub fn fairness(&self) -> &[Fairness] {
        &self.asked.fairness
    }

    /// Returns the formula over runs of a program that a goal stands for. It is about the runs that satisfy the
    /// fairness assumptions. `None` for goals that are not about whole runs, and if the problem has no formula with
    /// this number.
    #[must_use]
    pub fn ltl(&self, goal: Goal) -> Option<Ltl> {
        match goal {
            Goal::Temporal(id) => self.asked.temporal.get(id.index()).map(|formula| Ltl::clone(formula)),
            _ => never_stays_hot(goal),
        }
    }

    /// Iterates over the goals of the properties, in order, without [`Goal::Unsupported`].
    pub fn goals(&self) -> impl Iterator<Item = Goal> + '_ {
        self.asked.properties.iter().map(|p| p.goal).filter(|goal| !matches!(goal, Goal::Unsupported(_)))
    }

    /// Returns the formula of a goal; `None` for goals of other kinds, and if the problem has no formula with
    /// this number.
    #[must_use]
    pub fn formula(&self, goal: Goal) -> Option<&Arc<Formula>> {
        match goal {
            Goal::Formula(id) => self.asked.formulas.get(id.index()),
            _ => None,
        }
    }

    /// Returns the kind of question of a property, as in JSON: `bad`, `deadlock`, `cover` (an upward-closed
    /// set), `reach`, `output`, `error`, `ltl`, `ctl`, `bound`, `predicate` or `unsupported`.
    #[must_use]
    pub fn kind(&self, property: &Property) -> &'static str {
        match self.formula(property.goal) {
            Some(_) if property.is_deadlock() => Goal::Deadlock.id(),
            // In a program no composite state covers another one.
            Some(formula) if formula.is_upward_closed() && self.system.as_program().is_none() => "cover",
            Some(_) => "reach",
            None => property.goal.id(),
        }
    }
}

#[cfg(test)]
mod tests;
