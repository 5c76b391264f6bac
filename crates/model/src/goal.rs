//! Goals and the kinds of systems. A goal is a set of states that must not be reachable, or a temporal formula
//! that no run may violate.

use crate::circuit::Circuit;
use crate::data::DataProgram;
use crate::ids::{BoundId, BranchingId, ErrorId, FormulaId, JusticeId, OutputId, PredicateId, TemporalId, ThreadId};
use crate::net::Net;
use crate::own::System;
use crate::reactive::Reactive;
use crate::rwb::Program;
use crate::threads::ThreadTransitionSystem;
use std::fmt;
use std::sync::Arc;

/// A goal: a set of states that must not be reachable, or a temporal formula that no run may violate.
///
/// For behavioral programs, states of the goals `bad` and `deadlock` have no successors, so a violating run
/// ends in its first goal state. States of other goals may have successors, except deadlocks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Goal {
    /// For a program (also one with unbounded data): a composite state in which some thread is in a bad state.
    Bad,
    /// For a program: a composite state that has no enabled event and no bad local state, and is not a proper
    /// end ([`Program::with_finals`]). For a net or thread-transition system: a marking in which no transition
    /// is enabled. For a system written in Rust ([`crate::own`]): a state without successors. For a program with
    /// unbounded data: a state without a bad location in which no event is possible, and not all threads are final.
    Deadlock,
    /// A marking of a net or thread-transition system, or a composite state of a program, that satisfies this
    /// formula of the problem. (A program with assumptions cannot have such a goal.)
    Formula(FormulaId),
    /// For a program: a run in which this thread stays hot from some point on ([`Program::with_hot`]). Either the run
    /// is infinite, or it ends in a state without an enabled event and without a bad local state.
    Hot(ThreadId),
    /// For a program: a run in which from some point on some thread is hot, not always the same one. The run is
    /// infinite or ends, as for [`Goal::Hot`].
    SomeHot,
    /// For a circuit: a frame in which this output is true.
    Output(OutputId),
    /// For a circuit: an infinite run on which each signal of this justice property and each fairness signal is true
    /// infinitely often ([`Circuit::recurring`]).
    Justice(JusticeId),
    /// For a reactive program: a call that stops at this error label.
    Error(ErrorId),
    /// For a reactive program: an infinite run that violates this temporal formula of the problem. For a program, a net
    /// or a thread-transition system: a maximal run that violates it ([`crate::ltl`]).
    Temporal(TemporalId),
    /// For a net or thread-transition system: an initial marking that does not satisfy this formula of computation tree
    /// logic ([`crate::ctl`]). Evidence is about the formula as a whole, because in general no run shows that it is
    /// violated.
    Branching(BranchingId),
    /// For a net or thread-transition system: no state, but the question for the largest value of this sum in a
    /// reachable marking.
    Bound(BoundId),
    /// For a system written in Rust ([`crate::own`]): a state in which this predicate holds.
    Predicate(PredicateId),
    /// A question that cannot be expressed by the other kinds of goals, with its number among such questions.
    /// The answer to such a question is unknown, and the question is not passed to engines.
    Unsupported(u32),
}

impl Goal {
    /// The goals of a program that lists none: deadlocks, and bad states if some thread may have one.
    #[must_use]
    pub fn usual(may_be_bad: bool) -> Vec<Goal> {
        if may_be_bad { vec![Goal::Deadlock, Goal::Bad] } else { vec![Goal::Deadlock] }
    }

    /// Returns true if the goal is about whole runs: a temporal formula, a justice property, or hot threads.
    #[must_use]
    pub fn is_temporal(self) -> bool {
        matches!(self, Goal::Temporal(_) | Goal::Justice(_) | Goal::Hot(_) | Goal::SomeHot)
    }

    /// Returns true if the goal is a set of states that must not be reachable, so that a run to one of them decides the
    /// question.
    #[must_use]
    pub fn is_of_states(self) -> bool {
        !self.is_temporal() && !matches!(self, Goal::Branching(_) | Goal::Bound(_) | Goal::Unsupported(_))
    }

    /// Returns the property id on the command line and in JSON, for goals with a fixed id. Formulas, outputs,
    /// errors, temporal formulas and predicates have the id of their [`Property`] instead, and this function
    /// returns only the kind.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Goal::Bad => "bad",
            Goal::Deadlock => "deadlock",
            Goal::Formula(_) => "formula",
            Goal::Hot(_) | Goal::SomeHot => "hot",
            Goal::Output(_) => "output",
            Goal::Justice(_) => "justice",
            Goal::Error(_) => "error",
            Goal::Temporal(_) => "ltl",
            Goal::Branching(_) => "ctl",
            Goal::Bound(_) => "bound",
            Goal::Predicate(_) => "predicate",
            Goal::Unsupported(_) => "unsupported",
        }
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Goal::Formula(id) => write!(f, "formula {}", id.0),
            Goal::Hot(id) => write!(f, "hot thread {}", id.0),
            Goal::Output(id) => write!(f, "output {}", id.0),
            Goal::Justice(id) => write!(f, "justice property {}", id.0),
            Goal::Error(id) => write!(f, "error {}", id.0),
            Goal::Temporal(id) => write!(f, "formula {}", id.0),
            Goal::Branching(id) => write!(f, "formula {}", id.0),
            Goal::Bound(id) => write!(f, "bound {}", id.0),
            Goal::Predicate(id) => write!(f, "predicate {}", id.0),
            Goal::Unsupported(number) => write!(f, "unsupported question {number}"),
            _ => f.write_str(self.id()),
        }
    }
}

/// A system of any kind.
#[derive(Clone, Debug)]
pub enum SystemModel {
    /// A behavioral program.
    Rwb(Arc<Program>),
    /// A net.
    Net(Arc<Net>),
    /// A thread-transition system.
    Threads(Arc<ThreadTransitionSystem>),
    /// A circuit. Its properties ask about outputs and justice properties.
    Circuit(Arc<Circuit>),
    /// A reactive program. Its properties ask about error labels and temporal formulas.
    Reactive(Arc<Reactive>),
    /// A system written in Rust ([`crate::own`]). Its properties ask about predicates and deadlocks.
    Own(Arc<dyn System>),
    /// A behavioral program with unbounded data ([`crate::data`]).
    Data(Arc<DataProgram>),
}

/// A system with markings as states.
#[derive(Clone, Copy, Debug)]
pub enum Marked<'a> {
    /// A net.
    Net(&'a Arc<Net>),
    /// A thread-transition system.
    Threads(&'a Arc<ThreadTransitionSystem>),
}

impl Marked<'_> {
    /// Returns the number of places. (For thread-transition systems: of shared and local states.)
    #[must_use]
    pub fn places(self) -> usize {
        match self {
            Marked::Net(net) => net.places().len(),
            Marked::Threads(threads) => threads.places(),
        }
    }

    /// Returns true if there are infinitely many initial markings.
    #[must_use]
    pub fn is_endless(self) -> bool {
        match self {
            Marked::Net(net) => net.places().iter().any(|place| place.initial.at_most.is_none()),
            Marked::Threads(threads) => !threads.initial().any.is_empty(),
        }
    }

    /// Returns true if there is exactly one initial marking.
    #[must_use]
    pub fn has_single_start(self) -> bool {
        match self {
            Marked::Net(net) => net.open_places().is_empty(),
            Marked::Threads(threads) => threads.initial().any.is_empty(),
        }
    }
}

impl SystemModel {
    /// Returns the behavioral program, if the system is one.
    #[must_use]
    pub fn as_program(&self) -> Option<&Arc<Program>> {
        if let SystemModel::Rwb(program) = self { Some(program) } else { None }
    }

    /// Returns the net, if the system is one.
    #[must_use]
    pub fn as_net(&self) -> Option<&Arc<Net>> {
        if let SystemModel::Net(net) = self { Some(net) } else { None }
    }

    /// Returns the thread-transition system, if the system is one.
    #[must_use]
    pub fn as_threads(&self) -> Option<&Arc<ThreadTransitionSystem>> {
        if let SystemModel::Threads(threads) = self { Some(threads) } else { None }
    }

    /// Returns the circuit, if the system is one.
    #[must_use]
    pub fn as_circuit(&self) -> Option<&Arc<Circuit>> {
        if let SystemModel::Circuit(circuit) = self { Some(circuit) } else { None }
    }

    /// Returns the reactive program, if the system is one.
    #[must_use]
    pub fn as_reactive(&self) -> Option<&Arc<Reactive>> {
        if let SystemModel::Reactive(program) = self { Some(program) } else { None }
    }

    /// Returns the system written in Rust ([`crate::own`]), if the system is one.
    #[must_use]
    pub fn as_own(&self) -> Option<&Arc<dyn System>> {
        if let SystemModel::Own(system) = self { Some(system) } else { None }
    }

    /// Returns the program with unbounded data, if the system is one.
    #[must_use]
    pub fn as_data(&self) -> Option<&Arc<DataProgram>> {
        if let SystemModel::Data(program) = self { Some(program) } else { None }
    }

    /// Returns the net or thread-transition system, if the system is one.
    #[must_use]
    pub fn as_marked(&self) -> Option<Marked<'_>> {
        self.as_net().map(Marked::Net).or_else(|| self.as_threads().map(Marked::Threads))
    }

    /// Returns the number of places that formulas about the system may use; `None` if systems of this kind have
    /// no places.
    #[must_use]
    pub fn places(&self) -> Option<usize> {
        match self {
            SystemModel::Rwb(program) => Some(program.places().1),
            SystemModel::Net(net) => Some(net.places().len()),
            SystemModel::Threads(threads) => Some(threads.places()),
            SystemModel::Circuit(_) | SystemModel::Reactive(_) | SystemModel::Own(_) | SystemModel::Data(_) => None,
        }
    }

    /// Returns a phrase for the kind of system, for use in sentences.
    #[must_use]
    pub fn noun(&self) -> &'static str {
        match self {
            SystemModel::Rwb(_) => "a behavioral program",
            SystemModel::Net(_) => "a net",
            SystemModel::Threads(_) => "a thread-transition system",
            SystemModel::Circuit(_) => "a circuit",
            SystemModel::Reactive(_) => "a reactive program",
            SystemModel::Own(_) => "a system of one's own",
            SystemModel::Data(_) => "a program with unbounded data",
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

impl From<Arc<ThreadTransitionSystem>> for SystemModel {
    fn from(threads: Arc<ThreadTransitionSystem>) -> Self {
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

impl From<Arc<DataProgram>> for SystemModel {
    fn from(program: Arc<DataProgram>) -> Self {
        SystemModel::Data(program)
    }
}

impl From<Arc<Reactive>> for SystemModel {
    fn from(program: Arc<Reactive>) -> Self {
        SystemModel::Reactive(program)
    }
}

/// The form in which the question is asked. It decides which of the two verdicts means that what is asked holds
/// ([`Property::holds`]), and in which words the answer is given ([`Property::answer`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Asked {
    /// The goal must not be reachable.
    #[default]
    Never,
    /// `EF goal`: is the goal reachable? Contest output is TRUE iff it is.
    Exists,
    /// `AG not goal`: is the goal unreachable? Contest output is TRUE iff it is.
    Always,
    /// As `Exists`, but the user expects that the goal is reachable: the property fails if the goal is
    /// unreachable.
    Expected,
    /// A formula that is neither `EF phi` nor true of all runs, such as `EX phi`: the goal is that it does not hold.
    Formula,
}

impl Asked {
    /// Returns true if the question is whether the goal is reachable.
    #[must_use]
    pub fn is_exists(self) -> bool {
        matches!(self, Asked::Exists | Asked::Expected)
    }
}

/// A goal with the name under which the user asked for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Property {
    /// The id on the command line and in JSON.
    pub id: String,
    /// The goal.
    pub goal: Goal,
    /// The form of the question.
    pub asked: Asked,
}

impl Property {
    /// Returns the word for this verdict (`safe`, `unsafe` or another one) in the words of the question: `reachable`
    /// or `unreachable` for `EF phi`, `holds` or `fails` for other formulas that need not be true of all runs,
    /// `unbounded` for a sum without largest value.
    #[must_use]
    pub fn answer(&self, verdict: &'static str) -> &'static str {
        let is_formula = self.asked == Asked::Formula || (self.asked.is_exists() && self.goal.is_temporal());
        match (verdict, is_formula, self.asked.is_exists()) {
            ("unsafe", ..) if matches!(self.goal, Goal::Bound(_)) => "unbounded",
            ("safe" | "unsafe", true, _) if self.holds(verdict == "safe") => "holds",
            ("safe" | "unsafe", true, _) => "fails",
            ("unsafe", false, true) => "reachable",
            ("safe", false, true) => "unreachable",
            (verdict, ..) => verdict,
        }
    }

    /// Returns the property that `goal` must not be reachable.
    #[must_use]
    pub fn never(id: impl Into<String>, goal: Goal) -> Self {
        Self { id: id.into(), goal, asked: Asked::Never }
    }

    /// Returns true if what is asked holds, provided that the goal is reachable (unless `is_safe`).
    #[must_use]
    pub fn holds(&self, is_safe: bool) -> bool {
        is_safe != self.asked.is_exists()
    }

    /// Returns true if the property is about deadlocks. If the markings in which a net may end are known, the
    /// goal of a deadlock property is a formula that excludes them ([`crate::deadlock::improper`]), under the
    /// same id.
    #[must_use]
    pub fn is_deadlock(&self) -> bool {
        let is_formula = matches!(self.goal, Goal::Formula(_)) && self.asked == Asked::Never;
        self.goal == Goal::Deadlock || (is_formula && self.id == Goal::Deadlock.id())
    }
}
