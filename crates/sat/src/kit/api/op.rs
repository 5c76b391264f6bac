//! A trace and its operations.

use super::lazy::TheoryHabits;
use super::listener::Rigor;

/// A literal: the trace's number of its variable, negative if negated; never 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Name(pub(super) i32);

impl Name {
    pub(super) fn var(self) -> u32 {
        self.0.unsigned_abs()
    }
}

/// One call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Op {
    pub(super) kind: Kind,
    /// A number with a meaning that depends on the kind.
    pub(super) number: u64,
    pub(super) names: Vec<Name>,
}

/// A sequence of calls, with all settings they depend on.
#[derive(Clone, PartialEq, Debug)]
pub struct Trace {
    pub(super) settings: Vec<(String, String)>,
    pub(super) rigor: Rigor,
    pub(super) temper: TheoryHabits,
    pub(super) ops: Vec<Op>,
}

/// The kind of a call.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Kind {
    HostVar,
    TheoryVar,
    Clause,
    Hidden,
    Push,
    Pop,
    Solve,
    SolveWith,
    TryWith,
    SolveWithin,
    TryWithin,
    Raised,
    Domain,
    SolveIn,
    Temporary,
    DropTemporaries,
    Removable,
    Remove,
    MinimizeCore,
    Flip,
    Look,
}
