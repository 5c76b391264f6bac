//! Claims: what engines say about goals, with evidence. A claim is not a verdict. Only the crate `certify`
//! turns a claim into a verdict.

use crate::certificate::Certificate;
use crate::goal::Goal;
use crate::invariant::{InvariantCertificate, Within};
use crate::trace::Trace;
use std::fmt;

/// The reason why an answer is unknown. The list of reasons is closed: it is part of the promised JSON format.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reason {
    /// The time limit was reached.
    Timeout,
    /// The memory limit was reached.
    Memory,
    /// No violation was found within a bound, and the bound cut off a part of the state space.
    Bound,
    /// No engine supports this problem.
    Unsupported,
    /// A run reaches an operation that the language of the model does not define. The behaviour after it is
    /// unknown.
    Undefined,
    /// The engine ended without an answer.
    GaveUp,
    /// Checking the evidence exceeds a resource limit, or the checker does not support this kind of evidence.
    Uncertified,
    /// A number exceeded the range of its representation.
    Overflow,
    /// The user interrupted the check.
    Interrupted,
    /// The limit of the temporary files was reached, the disk is full, or a temporary file cannot be used.
    Disk,
    /// A search that may take different states for the same one has ended without finding a run.
    Lossy,
}

impl Reason {
    /// All reasons.
    pub const ALL: [Reason; 11] = [
        Reason::Timeout,
        Reason::Memory,
        Reason::Bound,
        Reason::Unsupported,
        Reason::Undefined,
        Reason::GaveUp,
        Reason::Uncertified,
        Reason::Overflow,
        Reason::Interrupted,
        Reason::Disk,
        Reason::Lossy,
    ];

    /// Returns the name of the reason in JSON and on the terminal.
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
            Reason::Disk => "disk",
            Reason::Lossy => "lossy",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

/// What an engine says about goals, with the evidence. A claim counts only after the evidence has been checked.
#[derive(Debug)]
pub enum Claim {
    /// None of these goals is reachable.
    Safe {
        /// The goals, at least one.
        goals: Vec<Goal>,
        /// The evidence, valid for all of these goals.
        certificate: Certificate,
    },
    /// A state of this goal is reachable.
    Unsafe {
        /// The goal.
        goal: Goal,
        /// The run that reaches it.
        trace: Trace,
        /// True if the engine has not checked the trace itself, because a pattern proposed it. If such a trace
        /// cannot be replayed, this is not an internal error, and the engine continues without it.
        candidate: bool,
    },
    /// For a net or thread-transition system: no run that stays within a bound reaches one of these goals. The
    /// claim says nothing about other runs.
    Within {
        /// The goals, at least one.
        goals: Vec<Goal>,
        /// The runs that the claim is about.
        within: Within,
        /// Invariants that hold in all markings of these runs. Their clauses may use [`crate::Bit::Room`].
        invariant: Box<InvariantCertificate>,
    },
    /// The engine ended without an answer for these goals.
    Unknown {
        /// The goals.
        goals: Vec<Goal>,
        /// The reason.
        reason: Reason,
    },
}
