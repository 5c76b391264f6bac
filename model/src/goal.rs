//! What is asked and of what: goals are sets of states that must not be reachable, and the kinds of systems that have
//! them.

use crate::circuit::Circuit;
use crate::ids::{ErrorId, FormulaId, OutputId, PredicateId, TemporalId};
use crate::net::Net;
use crate::own::System;
use crate::reactive::Reactive;
use crate::rwb::Program;
use crate::threads::ThreadSystem;
use std::fmt;
use std::sync::Arc;

/// A set of states that must not be reachable. For behavioral programs both goals are terminal: their states have no
/// successors, so a violating run ends in its first goal state. Goals of nets and thread systems may have successors,
/// except for a deadlock.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Goal {
    /// A composite state with a thread in a state marked `bad`.
    Bad,
    /// Of a program: a composite state without enabled event and without bad local state that is no proper end
    /// ([`Program::with_finals`]). Of a net or thread system: a marking that enables no transition.
    Deadlock,
    /// A marking of a net or thread system, or a composite state of a program, that satisfies this formula of the
    /// problem. (Programs have no such goal beside assumptions.)
    Formula(FormulaId),
    /// A frame of a circuit in which this output is true.
    Output(OutputId),
    /// A call of a reactive program that stops at this error label.
    Error(ErrorId),
    /// An infinite run of a reactive program that violates this temporal formula of the problem.
    Temporal(TemporalId),
    /// A state of a system of one's own in which this predicate holds.
    Predicate(PredicateId),
    /// What a property asks that is of none of these kinds, by its number among such: it stays unknown, and no engine
    /// hears of it.
    Unsupported(u32),
}

impl Goal {
    /// The property id on the command line and in JSON, for goals that have a fixed one; formulas, outputs and errors
    /// have the id of their [`Property`].
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

    /// How many places formulas about it may speak of; `None` if it has no places.
    #[must_use]
    pub fn places(&self) -> Option<usize> {
        match self {
            SystemModel::Rwb(program) => Some(program.places().1),
            SystemModel::Net(net) => Some(net.places().len()),
            SystemModel::Threads(threads) => Some(threads.places()),
            SystemModel::Circuit(_) | SystemModel::Reactive(_) | SystemModel::Own(_) => None,
        }
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

    /// Is it about deadlocks? Where markings in which a net may end are known, its goal is the formula that leaves
    /// them out ([`crate::deadlock::improper`]), under the same id.
    #[must_use]
    pub fn is_deadlock(&self) -> bool {
        let is_formula = matches!(self.goal, Goal::Formula(_)) && self.asked == Asked::Never;
        self.goal == Goal::Deadlock || (is_formula && self.id == Goal::Deadlock.id())
    }
}
