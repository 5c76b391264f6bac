//! Clauses that hold in every reachable state, as evidence: bit-level IC3 finds such clauses.
//!
//! Three parties produce and check this evidence, so the encoding of the engine is never trusted:
//! 1. The engine provides the clauses.
//! 2. The checker generates, in its own encoding of the system, the formulas that must be unsatisfiable: a
//!    state satisfies the clauses and the goal; an initial state violates a clause; a step leads from a state
//!    that satisfies all clauses to a state that violates a clause.
//! 3. A SAT solver refutes these formulas (`prove` in the crate `portfolio`), and the checker checks the
//!    refutations.

use crate::circuit::Signal;
use crate::goal::Goal;
use crate::ids::{LatchId, LocalId, PlaceId, ThreadId};
use num_bigint::BigUint;

/// A Boolean property of a state, used as a variable of clauses.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Bit {
    /// For a circuit: the latch is true.
    Latch(LatchId),
    /// For a circuit: this signal, a plain node that is not a latch, is true in the frame.
    Node(Signal),
    /// For a program: the thread is in this local state.
    In(ThreadId, LocalId),
    /// For a net or thread-transition system: the place holds at least this number of tokens (at least 1).
    AtLeast(PlaceId, BigUint),
    /// For a net or thread-transition system within a bound ([`crate::Within`]): at least this number of tokens
    /// (at least 1) can still be added to the counted places before the bound is exceeded.
    Room(BigUint),
}

/// Clauses over bits of a state that form an inductive invariant. Every clause holds in every initial state.
/// After every step from a state in which all clauses hold, all clauses hold again.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Clausal {
    /// `bits[i]` is the meaning of variable `i + 1`. No bit occurs twice.
    pub bits: Vec<Bit>,
    /// The clauses, with literals as in DIMACS.
    pub clauses: Vec<Vec<i32>>,
    /// A refutation of the checker's formula "an initial state violates a clause". `None` until it has been
    /// found.
    pub initial: Option<Derivation>,
    /// A refutation of the checker's formula "a step leads from a state in which all clauses hold to a state
    /// that violates a clause". `None` until it has been found.
    pub step: Option<Derivation>,
}

/// A refutation of a formula ([`crate::cnf::Cnf`]): a sequence of clauses, each of which follows from the
/// formula and the earlier clauses, ending with the empty clause. Each clause has hints
/// ([`crate::cnf::LratStep::Add`]). The clauses of the formula are numbered from 1, and the derived clauses
/// continue this numbering.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Derivation {
    /// The derived clauses with their hints.
    pub steps: Vec<(Vec<i32>, Vec<u64>)>,
}

/// Clauses that hold in every reachable state of a program or circuit and exclude the goals.
///
/// For the goals `bad` and `deadlock` of programs, states after a goal state do not count: only steps from
/// states that are not bad and have an enabled event are considered. (Nets and thread-transition systems use
/// [`crate::NetInvariant::Clauses`].)
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clauses {
    /// The clauses.
    pub invariant: Clausal,
    /// `None` if the clauses exclude the goals in each frame by itself.
    pub induction: Option<Induction>,
    /// For each claimed goal, exactly once: a refutation of the checker's formula "a state of the goal (for a
    /// circuit: a frame) in which the clauses hold", or, with `induction`, "a frame of the goal after so many frames
    /// of no goal, in all of which the clauses hold". `None` until the refutation has been found.
    pub exclusions: Vec<(Goal, Option<Derivation>)>,
}

/// Induction over several frames of a circuit: the goals occur neither in the first frames of a run, nor in a frame
/// before which they have not occurred in as many frames (k-induction, Sheeran, Singh and Stalmarck 2000).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Induction {
    /// The number of frames, at least 1.
    pub frames: u32,
    /// A refutation of the checker's formula "a goal occurs in one of the first `frames` frames of a run". `None` until
    /// it has been found.
    pub first: Option<Derivation>,
}

impl Induction {
    /// The checker accepts no more frames.
    pub const MOST: u32 = 10_000;
}
