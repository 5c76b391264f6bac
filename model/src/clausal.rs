//! Clauses that hold in every reachable state, as evidence: what IC3 at bit level finds.
//!
//! Engines say which clauses; the checker says, in its own encoding of the system, which formulas must have no model (clauses
//! and the goal, an initial state against the clauses, a step against them); somebody refutes these (`src/prove.rs`, with our SAT
//! solver), and the checker walks through the refutations. So the engine's encoding is never believed.

use crate::ids::{LatchId, LocalId, PlaceId, ThreadId};
use num_bigint::BigUint;

/// A bit of a state.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Bit {
    /// Of a circuit: the latch holds true.
    Latch(LatchId),
    /// Of a program: the thread is in this local state.
    In(ThreadId, LocalId),
    /// Of a net or thread system: the place holds at least so many tokens (at least one).
    AtLeast(PlaceId, BigUint),
    /// Of a net or thread system within a bound ([`crate::Within`]): so many tokens (at least one) may still be added on the counted places.
    Room(BigUint),
}

/// Clauses over bits of a state, each of which holds in every initial state and, all together, after every step from a state
/// in which they hold.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Clausal {
    /// What variable `i + 1` is; each bit once.
    pub bits: Vec<Bit>,
    /// Literals as in DIMACS.
    pub clauses: Vec<Vec<i32>>,
    /// Refutes the checker's formula "an initial state breaks a clause"; `None` until it is proven.
    pub initial: Option<Derivation>,
    /// Refutes the checker's formula "a step leads out of the clauses"; `None` until it is proven.
    pub step: Option<Derivation>,
}

/// A refutation of a formula ([`crate::cnf::Cnf`]): clauses that follow one after the other, down to the empty one, each
/// with its hints ([`crate::cnf::LratStep::Add`]). Clauses of the formula have the numbers from 1, then these follow.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Derivation {
    /// Clauses with their hints.
    pub steps: Vec<(Vec<i32>, Vec<u64>)>,
}
