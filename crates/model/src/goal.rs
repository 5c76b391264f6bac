//! Goals and the kinds of systems. A goal is a set of states that must not be reachable, or a temporal formula
//! that no run may violate.

use crate::ids::{BoundId, BranchingId, ErrorId, FormulaId, JusticeId, OutputId, PredicateId, TemporalId, ThreadId};
pub use crate::system::{Marked, SystemModel};
use std::fmt;

/// A goal: a set of states that must not be reachable, or a temporal formula that no run may violate.
///
/// For behavioral programs, states of the goals `bad` and `deadlock` have no successors, so a violating run
/// ends in its first goal state. States of other goals may have successors, except deadlocks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Goal {
    /// For a program (also one with unbounded data): a composite state in which some thread is in a bad state.
    Bad,
    /// For a program: a composite state that has no enabled event and no bad local state, and is not a proper
    /// end ([`crate::Program::with_finals`]). For a net or thread-transition system: a marking in which no transition
    /// is enabled. For a system written in Rust ([`crate::own`]): a state without successors. For a program with
    /// unbounded data: a state without a bad location in which no event is possible, and not all threads are final.
    Deadlock,
    /// A marking of a net or thread-transition system, or a composite state of a program, that satisfies this
    /// formula of the problem. (A program with assumptions cannot have such a goal.)
    Formula(FormulaId),
    /// For a program: a run in which this thread stays hot from some point on ([`crate::Program::with_hot`]). Either
    /// the run is infinite, or it ends in a state without an enabled event and without a bad local state.
    Hot(ThreadId),
    /// For a program: a run in which from some point on some thread is hot, not always the same one. The run is
    /// infinite or ends, as for [`Goal::Hot`].
    SomeHot,
    /// For a circuit: a frame in which this output is true.
    Output(OutputId),
    /// For a circuit: an infinite run on which each signal of this justice property and each fairness signal is true
    /// infinitely often ([`crate::Circuit::recurring`]).
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

/// The form in which the question is asked. It decides which of the two verdicts means that what is asked holds
/// ([`Property::holds`]), and in which words the answer is given ([`Property::answer`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum QuestionForm {
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

impl QuestionForm {
    /// Returns true if the question is whether the goal is reachable.
    #[must_use]
    pub fn is_exists(self) -> bool {
        matches!(self, QuestionForm::Exists | QuestionForm::Expected)
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
    pub asked: QuestionForm,
}

impl Property {
    /// Returns the word for this verdict (`safe`, `unsafe` or another one) in the words of the question: `reachable`
    /// or `unreachable` for `EF phi`, `holds` or `fails` for other formulas that need not be true of all runs,
    /// `unbounded` for a sum without largest value.
    #[must_use]
    pub fn answer(&self, verdict: &'static str) -> &'static str {
        let is_formula = self.asked == QuestionForm::Formula || (self.asked.is_exists() && self.goal.is_temporal());
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
        Self { id: id.into(), goal, asked: QuestionForm::Never }
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
        let is_formula = matches!(self.goal, Goal::Formula(_)) && self.asked == QuestionForm::Never;
        self.goal == Goal::Deadlock || (is_formula && self.id == Goal::Deadlock.id())
    }
}
