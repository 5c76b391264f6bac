//! What is asked: goals are sets of states that must not be reachable; a problem is a system with its properties.

use crate::assumption::Assumption;
use crate::circuit::Circuit;
use crate::formula::Formula;
use crate::ids::{ErrorId, FormulaId, OutputId, PredicateId, TemporalId};
use crate::ltl::Ltl;
use crate::net::Net;
use crate::own::System;
use crate::reactive::Reactive;
use crate::rwb::Program;
use crate::threads::ThreadSystem;
use std::fmt;
use std::sync::Arc;

/// A set of states that must not be reachable. For behavioral programs both goals are terminal: their states have no
/// successors, so a violating run ends in its first goal state. Goals of nets and thread systems may have successors, except
/// for a deadlock.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Goal {
    /// A composite state with a thread in a state marked `bad`.
    Bad,
    /// Of a program: a composite state without enabled event and without bad local state that is no proper end
    /// ([`Program::with_finals`]). Of a net or thread system: a marking that enables no transition.
    Deadlock,
    /// A marking of a net or thread system, or a composite state of a program, that satisfies this formula of the problem.
    /// (Programs have no such goal beside assumptions.)
    Formula(FormulaId),
    /// A frame of a circuit in which this output is true.
    Output(OutputId),
    /// A call of a reactive program that stops at this error label.
    Error(ErrorId),
    /// An infinite run of a reactive program that violates this temporal formula of the problem.
    Temporal(TemporalId),
    /// A state of a system of one's own in which this predicate holds.
    Predicate(PredicateId),
    /// What a property asks that is of none of these kinds, by its number among such: it stays unknown, and no engine hears of it.
    Unsupported(u32),
}

impl Goal {
    /// The property id on the command line and in JSON, for goals that have a fixed one; formulas, outputs and errors have the
    /// id of their [`Property`].
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Goal::Bad => "bad",
            Goal::Deadlock => "deadlock",
            Goal::Formula(_) => "formula",
            Goal::Output(_) => "output",
            Goal::Error(_) => "error",
            Goal::Temporal(_) => "ltl",
            Goal::Predicate(_) => "predicate",
            Goal::Unsupported(_) => "unsupported",
        }
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Goal::Formula(id) => write!(f, "formula {}", id.0),
            Goal::Output(id) => write!(f, "output {}", id.0),
            Goal::Error(id) => write!(f, "error {}", id.0),
            Goal::Temporal(id) => write!(f, "formula {}", id.0),
            Goal::Predicate(id) => write!(f, "predicate {}", id.0),
            Goal::Unsupported(number) => write!(f, "unsupported question {number}"),
            _ => f.write_str(self.id()),
        }
    }
}

/// The systems that can be asked about.
#[derive(Clone, Debug)]
pub enum SystemModel {
    /// A behavioral program.
    Rwb(Arc<Program>),
    /// A net.
    Net(Arc<Net>),
    /// A thread system.
    Threads(Arc<ThreadSystem>),
    /// A circuit. Its properties ask for outputs.
    Circuit(Arc<Circuit>),
    /// A reactive program. Its properties ask for errors and temporal formulas.
    Reactive(Arc<Reactive>),
    /// A system of one's own. Its properties ask for predicates and deadlocks.
    Own(Arc<dyn System>),
}

/// A system whose states are markings.
#[derive(Clone, Copy, Debug)]
pub enum Marked<'a> {
    /// A net.
    Net(&'a Arc<Net>),
    /// A thread system.
    Threads(&'a Arc<ThreadSystem>),
}

impl SystemModel {
    /// The behavioral program, if it is one.
    #[must_use]
    pub fn as_program(&self) -> Option<&Arc<Program>> {
        if let SystemModel::Rwb(program) = self { Some(program) } else { None }
    }

    /// The net, if it is one.
    #[must_use]
    pub fn as_net(&self) -> Option<&Arc<Net>> {
        if let SystemModel::Net(net) = self { Some(net) } else { None }
    }

    /// The thread system, if it is one.
    #[must_use]
    pub fn as_threads(&self) -> Option<&Arc<ThreadSystem>> {
        if let SystemModel::Threads(threads) = self { Some(threads) } else { None }
    }

    /// The circuit, if it is one.
    #[must_use]
    pub fn as_circuit(&self) -> Option<&Arc<Circuit>> {
        if let SystemModel::Circuit(circuit) = self { Some(circuit) } else { None }
    }

    /// The reactive program, if it is one.
    #[must_use]
    pub fn as_reactive(&self) -> Option<&Arc<Reactive>> {
        if let SystemModel::Reactive(program) = self { Some(program) } else { None }
    }

    /// The system of one's own, if it is one.
    #[must_use]
    pub fn as_own(&self) -> Option<&Arc<dyn System>> {
        if let SystemModel::Own(system) = self { Some(system) } else { None }
    }

    /// The net or thread system, if it is one.
    #[must_use]
    pub fn as_marked(&self) -> Option<Marked<'_>> {
        self.as_net().map(Marked::Net).or_else(|| self.as_threads().map(Marked::Threads))
    }

    /// What it is, in a sentence.
    #[must_use]
    pub fn noun(&self) -> &'static str {
        match self {
            SystemModel::Rwb(_) => "a behavioral program",
            SystemModel::Net(_) => "a net",
            SystemModel::Threads(_) => "a thread system",
            SystemModel::Circuit(_) => "a circuit",
            SystemModel::Reactive(_) => "a reactive program",
            SystemModel::Own(_) => "a system of one's own",
        }
    }
}

impl From<Arc<Program>> for SystemModel {
    fn from(program: Arc<Program>) -> Self {
        SystemModel::Rwb(program)
    }
}

impl From<Arc<Net>> for SystemModel {
    fn from(net: Arc<Net>) -> Self {
        SystemModel::Net(net)
    }
}

impl From<Arc<ThreadSystem>> for SystemModel {
    fn from(threads: Arc<ThreadSystem>) -> Self {
        SystemModel::Threads(threads)
    }
}

impl From<Arc<Circuit>> for SystemModel {
    fn from(circuit: Arc<Circuit>) -> Self {
        SystemModel::Circuit(circuit)
    }
}

impl From<Arc<dyn System>> for SystemModel {
    fn from(system: Arc<dyn System>) -> Self {
        SystemModel::Own(system)
    }
}

impl From<Arc<Reactive>> for SystemModel {
    fn from(program: Arc<Reactive>) -> Self {
        SystemModel::Reactive(program)
    }
}

/// How the file put the question; contest output answers in these terms.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Asked {
    /// The goal must not be reachable.
    #[default]
    Never,
    /// Contest `EF goal`: is it reachable? (TRUE iff it is.)
    Exists,
    /// `AG not goal`: is it unreachable? (TRUE iff it is.)
    Always,
    /// As `Exists`, of a user who expects that it is reachable: it is unreachability that fails.
    Expected,
}

impl Asked {
    /// Is it a question whether something can be reached?
    #[must_use]
    pub fn is_exists(self) -> bool {
        matches!(self, Asked::Exists | Asked::Expected)
    }
}

/// A goal under the name the user knows it by.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Property {
    /// As on the command line and in JSON.
    pub id: String,
    /// The states that must not be reachable.
    pub goal: Goal,
    /// How the file put it.
    pub asked: Asked,
}

impl Property {
    /// `goal` must not be reachable.
    #[must_use]
    pub fn never(id: impl Into<String>, goal: Goal) -> Self {
        Self { id: id.into(), goal, asked: Asked::Never }
    }

    /// Is it about deadlocks? Where markings in which a net may end are known, its goal is the formula that leaves them out
    /// ([`crate::deadlock::improper`]), under the same id.
    #[must_use]
    pub fn is_deadlock(&self) -> bool {
        let is_formula = matches!(self.goal, Goal::Formula(_)) && self.asked == Asked::Never;
        self.goal == Goal::Deadlock || (is_formula && self.id == Goal::Deadlock.id())
    }
}

/// A system and what is asked of it.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The system as read.
    pub system: SystemModel,
    /// The formulas that goals name, by [`FormulaId`], over places of the net (of the thread system or program seen as one).
    pub formulas: Vec<Arc<Formula>>,
    /// The temporal formulas that goals name, by [`TemporalId`], over letters of the reactive program.
    pub temporal: Vec<Arc<Ltl>>,
    /// Each goal at most once. For nets it may be empty: a file may come without a question.
    pub properties: Vec<Property>,
    /// Of programs: only violating runs that satisfy all of these are looked for. `safe` means that there is none of them,
    /// and a trace counts only if it satisfies them.
    pub assumptions: Vec<Assumption>,
}

impl Problem {
    /// A system of which nothing is asked yet.
    #[must_use]
    pub fn of(system: impl Into<SystemModel>) -> Self {
        Self {
            system: system.into(),
            formulas: Vec::new(),
            temporal: Vec::new(),
            properties: Vec::new(),
            assumptions: Vec::new(),
        }
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
        Self { properties, ..Self::of(circuit) }
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
        Self { properties, ..Self::of(system) }
    }

    /// Asks of a net or thread system also that no marking with `formula` is reachable.
    #[must_use]
    pub fn never(mut self, id: impl Into<String>, formula: Formula) -> Self {
        let goal = Goal::Formula(FormulaId::new(self.formulas.len()));
        self.formulas.push(Arc::new(formula));
        self.properties.push(Property::never(id, goal));
        self
    }

    /// Asks of a net or thread system also that no deadlock is reachable.
    #[must_use]
    pub fn never_stuck(mut self) -> Self {
        self.properties.push(Property::never(Goal::Deadlock.id(), Goal::Deadlock));
        self
    }

    /// The problem a behavioral program poses by itself: the goals of its `check` line.
    #[must_use]
    pub fn of_program(program: Arc<Program>) -> Self {
        let goals = program.check().to_vec();
        Self::of_program_with(program, &goals)
    }

    /// A behavioral program with the given goals.
    #[must_use]
    pub fn of_program_with(program: Arc<Program>, goals: &[Goal]) -> Self {
        let properties = goals.iter().map(|&goal| Property::never(goal.id(), goal)).collect();
        Self { properties, ..Self::of(program) }
    }

    /// The goals asked for that can be, in order.
    pub fn goals(&self) -> impl Iterator<Item = Goal> + '_ {
        self.properties.iter().map(|p| p.goal).filter(|goal| !matches!(goal, Goal::Unsupported(_)))
    }

    /// The behavioral program asked about.
    ///
    /// # Panics
    /// If it is another kind of system: callers have looked at [`Problem::system`].
    #[must_use]
    pub fn program(&self) -> &Arc<Program> {
        self.system.as_program().expect("the system is a behavioral program")
    }

    /// The formula that a goal names; `None` for the goals that need none.
    ///
    /// # Panics
    /// If the goal is not one of this problem.
    #[must_use]
    pub fn formula(&self, goal: Goal) -> Option<&Arc<Formula>> {
        match goal {
            Goal::Formula(id) => Some(&self.formulas[id.index()]),
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
