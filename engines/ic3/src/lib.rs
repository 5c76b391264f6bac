//! IC3, twice: on markings, for coverability with any number of tokens (`markings`), and on bits, for everything that
//! can be written as a circuit (`bits`).
//!
//! The two share the idea (Bradley 2011; Een, Mishchenko, Brayton 2011) and no code: on markings predecessors are exact
//! and found by arithmetic, on bits a SAT solver finds them.

pub mod bits;
mod markings;
mod nets;
mod program;

pub use bits::CircuitIc3;
pub use markings::Ic3;
pub use nets::{FactUse, Ic3Bits, NetBitsOptions};
pub use program::ProgramIc3;

/// Are invariants checked, frame by frame? Fuzzing does so, with the feature of that name, and the tests of this crate.
pub(crate) const CHECKS: bool = cfg!(any(test, feature = "invariants"));
