//! What engines say: claims with evidence, never verdicts. Only `certify` turns a claim into a verdict.

use crate::certificate::Certificate;
use crate::goal::Goal;
use crate::invariant::{Invariant, Within};
use crate::trace::Trace;
use std::fmt;

/// Why an answer is unknown. A closed list: it is part of the JSON promise.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reason {
    /// The time limit.
    Timeout,
    /// The memory limit.
    Memory,
    /// Nothing found within a bound that cut something off.
    Bound,
    /// No engine can treat this problem.
    Unsupported,
    /// A run comes to what the language of the model does not define: nothing is known of what lies behind.
    Undefined,
    /// The engine has nothing left to try.
    GaveUp,
    /// The evidence is too dear to check, or of a kind the checker does not know.
    Uncertified,
    /// A number outgrew its representation.
    Overflow,
    /// The user stopped it.
    Interrupted,
}

impl Reason {
    /// All of them.
    pub const ALL: [Reason; 9] = [
        Reason::Timeout,
        Reason::Memory,
        Reason::Bound,
        Reason::Unsupported,
        Reason::Undefined,
        Reason::GaveUp,
        Reason::Uncertified,
        Reason::Overflow,
        Reason::Interrupted,
    ];

    /// The name in JSON and on the terminal.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Reason::Timeout => "timeout",
            Reason::Memory => "memory",
            Reason::Bound => "bound",
            Reason::Unsupported => "unsupported",
            Reason::Undefined => "undefined",
            Reason::GaveUp => "gave_up",
            Reason::Uncertified => "uncertified",
            Reason::Overflow => "overflow",
            Reason::Interrupted => "interrupted",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

/// What an engine says about goals. Evidence comes with it; nobody believes it before it is checked.
#[derive(Debug)]
pub enum Claim {
    /// None of these goals is reachable.
    Safe {
        /// The goals, at least one.
        goals: Vec<Goal>,
        /// The evidence, good for all of them.
        certificate: Certificate,
    },
    /// A state of this goal is reachable.
    Unsafe {
        /// The goal.
        goal: Goal,
        /// The run that reaches it.
        trace: Trace,
        /// The engine has not checked the trace itself (a pattern proposed it): if it does not replay, that is no bug and
        /// the engine goes on without it.
        candidate: bool,
    },
    /// Of a net or thread system: no run that stays within a bound reaches one of these goals. About other runs it says nothing.
    Within {
        /// The goals, at least one.
        goals: Vec<Goal>,
        /// Which runs.
        within: Within,
        /// Facts about the markings of these runs, the clauses among them with [`crate::Bit::Room`] if need be.
        invariant: Box<Invariant>,
    },
    /// The engine is through without an answer for these goals.
    Unknown {
        /// The goals.
        goals: Vec<Goal>,
        /// Why.
        reason: Reason,
    },
}
