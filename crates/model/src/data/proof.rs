//! Certificates for programs with unbounded data: an inductive invariant, with proofs in linear integer arithmetic.
//!
//! The invariant has a formula for each *control*, which is a location for each thread. The formula is a list of
//! clauses (all of them hold), and a clause is a list of constraints (one of them holds). Controls that are not listed
//! are unreachable.
//!
//! A proof shows that a list of facts cannot hold together, by case splits down to sums of facts that contradict each
//! other (Farkas; integers come in by rounding and by splits `t <= 0` or `t >= 1`). `crates/kernel/src/data` says what
//! has to be proved, and in which order.

use super::linear::{Constraint, Linear};
use crate::ids::{EventId, LocationId, ThreadId};
use num_bigint::BigInt;

/// An inductive invariant with its proofs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DataCertificate {
    /// The controls that may be reachable, each once.
    pub controls: Vec<Control>,
    /// The proof for the initial states, then for each control the proofs for its events, then, if a deadlock is
    /// claimed unreachable, for each control the proof that it has none.
    pub proofs: Vec<Proof>,
}

/// A control with its formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Control {
    /// The location of each thread.
    pub locations: Vec<LocationId>,
    /// The clauses. They contain only variables.
    pub clauses: Vec<Vec<Constraint>>,
}

/// A proof: a tree in prefix order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Proof {
    /// The steps. Each is followed by its parts.
    pub steps: Vec<ProofStep>,
}

/// A step of a proof. In brackets: its parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ProofStep {
    /// The facts with these numbers, multiplied by these positive numbers, add up to a positive constant. No part.
    ///
    /// Facts are numbered from 0 in the order in which they became known: the clauses of one constraint of the control,
    /// then what the steps above add.
    Contradiction(Vec<(u32, BigInt)>),
    /// One of the constraints of this clause of the control holds (one part for each constraint).
    Clause(u32),
    /// The constraint holds or its negation does (two parts).
    Cut(Constraint),
    /// The next test or choice of this thread: yes, no, or each way (one part each).
    Decide(ThreadId),
    /// All threads have decided, and the event happens. One of the clauses of the next control does not hold afterwards
    /// (one part for each clause, with the negations of its constraints as facts).
    Step,
    /// In proofs about steps: a thread blocks the event, or all have decided and none requests it. In proofs about
    /// deadlocks: all have decided, none blocks the event, and some thread requests it. No part.
    Done,
    /// In proofs about deadlocks: looks at this event with these arguments, which are terms over variables. The threads
    /// decide anew (one part).
    Instance {
        /// The event.
        event: EventId,
        /// The arguments.
        arguments: Vec<Linear>,
    },
}
