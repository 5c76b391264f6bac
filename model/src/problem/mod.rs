//! A problem: a system with what is asked of it, checked to fit each other when it is made.
//!
//! One type for all kinds of systems: most of the code (ledger, reports, evidence, the command line) treats
//! properties of all kinds alike, and would match on an enum of typed problems only to do the same in each arm. What
//! kinds differ in, which goals they have and what these may name, is one module, `fit`; fields are private, so
//! nothing gets round [`Problem::new`]. Engines are given the narrower types in [`crate::task`], which only have what
//! their kind has.

mod fit;

pub use fit::{Mismatch, Unfit};

use crate::assumption::Assumption;
use crate::circuit::Circuit;
use crate::formula::Formula;
use crate::goal::{Goal, Property, SystemModel};
use crate::ids::{FormulaId, OutputId, PredicateId};
use crate::ltl::Ltl;
use crate::net::Net;
use crate::own::System;
use crate::rwb::Program;
use crate::threads::ThreadSystem;
use fit::{check, check_properties};
use std::sync::Arc;

/// What is asked of a system, and what is assumed of it.
#[derive(Clone, Debug, Default)]
pub struct Questions {
    /// Each goal at most once. It may be empty: a file may come without a question.
    pub properties: Vec<Property>,
    /// The formulas that goals name, by [`FormulaId`], over places of the net (of the thread system or program seen
    /// as one).
    pub formulas: Vec<Arc<Formula>>,
    /// The temporal formulas that goals name, by [`crate::TemporalId`], over letters of the reactive program.
    pub temporal: Vec<Arc<Ltl>>,
    /// Of programs: only violating runs that satisfy all of these are looked for. `safe` means that there is none of
    /// them, and a trace counts only if it satisfies them.
    pub assumptions: Vec<Assumption>,
}

/// A system and what is asked of it. The questions fit the system: goals are of its kind, ids are in range.
#[derive(Clone, Debug)]
pub struct Problem {
    system: SystemModel,
    asked: Questions,
}

/// Making problems.
impl Problem {
    /// A system with these questions.
    ///
    /// # Errors
    /// The first question that does not fit the system. Linear in the size of the questions.
    pub fn new(system: impl Into<SystemModel>, asked: Questions) -> Result<Self, Mismatch> {
        let system = system.into();
        check(&system, &asked)?;
        Ok(Self { system, asked })
    }

    /// A system of which nothing is asked yet.
    #[must_use]
    pub fn of(system: impl Into<SystemModel>) -> Self {
        Self { system: system.into(), asked: Questions::default() }
    }

    /// A net of which nothing is asked yet: see [`Problem::never`] and [`Problem::never_stuck`].
    #[must_use]
    pub fn of_net(net: Arc<Net>) -> Self {
        Self::of(net)
    }

    /// A thread system of which nothing is asked yet. Its states are places: [`ThreadSystem::shared_place`] and
    /// [`ThreadSystem::local_place`].
    #[must_use]
    pub fn of_threads(threads: Arc<ThreadSystem>) -> Self {
        Self::of(threads)
    }

    /// A circuit all of whose outputs are asked about, as the properties `b0`, `b1`, ..
    #[must_use]
    pub fn of_circuit(circuit: Arc<Circuit>) -> Self {
        let output = |i| Property::never(format!("b{i}"), Goal::Output(OutputId::new(i)));
        let properties = (0..circuit.outputs().len()).map(output).collect();
        Self { system: circuit.into(), asked: Questions { properties, ..Questions::default() } }
    }

    /// A system of one's own with all that it asks.
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

    /// The problem a behavioral program poses by itself: the goals of its `check` line.
    #[must_use]
    pub fn of_program(program: Arc<Program>) -> Self {
        let properties = never_each(program.check());
        Self { system: program.into(), asked: Questions { properties, ..Questions::default() } }
    }

    /// A behavioral program with the given goals, `bad` and `deadlock`.
    ///
    /// # Errors
    /// If there are others, or one is there twice.
    pub fn of_program_with(program: Arc<Program>, goals: &[Goal]) -> Result<Self, Mismatch> {
        Self::of(program).asking(never_each(goals))
    }
}

/// None of these goals is to be reached; they go by their fixed ids.
fn never_each(goals: &[Goal]) -> Vec<Property> {
    goals.iter().map(|&goal| Property::never(goal.id(), goal)).collect()
}

/// Problems from other ones.
impl Problem {
    /// Asks of a net, a thread system or a program also that no marking with `formula` is reachable.
    ///
    /// # Errors
    /// If the system is another one, or has less places.
    pub fn never(self, id: impl Into<String>, formula: Formula) -> Result<Self, Mismatch> {
        let goal = Goal::Formula(FormulaId::new(self.asked.formulas.len()));
        self.changed(|asked| {
            asked.formulas.push(Arc::new(formula));
            asked.properties.push(Property::never(id, goal));
        })
    }

    /// Asks also that no deadlock is reachable.
    ///
    /// # Errors
    /// If the system is a circuit or a reactive program, or is asked that already.
    pub fn never_stuck(self) -> Result<Self, Mismatch> {
        self.changed(|asked| asked.properties.push(Property::never(Goal::Deadlock.id(), Goal::Deadlock)))
    }

    /// The same system with other questions.
    ///
    /// # Errors
    /// As for [`Problem::new`].
    pub fn changed(self, change: impl FnOnce(&mut Questions)) -> Result<Self, Mismatch> {
        let Self { system, mut asked } = self;
        change(&mut asked);
        Self::new(system, asked)
    }

    /// The same with these properties instead of its own.
    ///
    /// # Errors
    /// As for [`Problem::new`].
    pub fn asking(mut self, properties: Vec<Property>) -> Result<Self, Mismatch> {
        self.asked.properties = properties;
        check_properties(&self.system, &self.asked)?;
        Ok(self)
    }

    /// The same with those of its properties that `is_asked` says.
    #[must_use]
    pub fn only(mut self, is_asked: impl FnMut(&Property) -> bool) -> Self {
        self.asked.properties.retain(is_asked);
        self
    }

    /// The same with these assumptions instead of its own.
    ///
    /// # Errors
    /// As for [`Problem::new`].
    pub fn assuming(self, assumptions: Vec<Assumption>) -> Result<Self, Mismatch> {
        self.changed(|asked| asked.assumptions = assumptions)
    }

    /// The same questions about another system.
    ///
    /// # Errors
    /// As for [`Problem::new`].
    pub fn on(self, system: impl Into<SystemModel>) -> Result<Self, Mismatch> {
        Self::new(system, self.asked)
    }
}

/// What a problem says.
impl Problem {
    /// The system as read.
    #[must_use]
    pub fn system(&self) -> &SystemModel {
        &self.system
    }

    /// What is asked.
    #[must_use]
    pub fn properties(&self) -> &[Property] {
        &self.asked.properties
    }

    /// The formulas that goals name, by [`FormulaId`].
    #[must_use]
    pub fn formulas(&self) -> &[Arc<Formula>] {
        &self.asked.formulas
    }

    /// The temporal formulas that goals name, by [`crate::TemporalId`].
    #[must_use]
    pub fn temporal(&self) -> &[Arc<Ltl>] {
        &self.asked.temporal
    }

    /// What is assumed of violating runs.
    #[must_use]
    pub fn assumptions(&self) -> &[Assumption] {
        &self.asked.assumptions
    }

    /// The goals asked for that can be, in order.
    pub fn goals(&self) -> impl Iterator<Item = Goal> + '_ {
        self.asked.properties.iter().map(|p| p.goal).filter(|goal| !matches!(goal, Goal::Unsupported(_)))
    }

    /// The formula that a goal names; `None` for the goals that need none, and for those of other problems.
    #[must_use]
    pub fn formula(&self, goal: Goal) -> Option<&Arc<Formula>> {
        match goal {
            Goal::Formula(id) => self.asked.formulas.get(id.index()),
            _ => None,
        }
    }

    /// What kind of question one of its properties is, as in JSON: `bad`, `deadlock`, `cover` (an upward-closed set),
    /// `reach`, `output`, `error`, `ltl`, `unsupported`.
    #[must_use]
    pub fn kind(&self, property: &Property) -> &'static str {
        match self.formula(property.goal) {
            Some(_) if property.is_deadlock() => Goal::Deadlock.id(),
            // In programs nothing is ever covered by something else.
            Some(formula) if formula.is_upward_closed() && self.system.as_program().is_none() => "cover",
            Some(_) => "reach",
            None => property.goal.id(),
        }
    }
}

#[cfg(test)]
mod tests;
