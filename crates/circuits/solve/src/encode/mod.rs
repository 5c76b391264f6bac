//! Translations of circuits, and what translations to circuits share. Nets with a bound and behavioral programs are
//! encoded as circuits in the crates of their kinds.
//!
//! So one bit-level engine can check all these systems, and other model checkers can read the circuits (in the format
//! AIGER).
//!
//! * [`justice::translate`] turns a justice property of a circuit into an output.
//! * [`memory::track`] turns a circuit with memories into one that follows some of their words by latches.
//! * [`Simulation`] computes the frames of a run.

mod cannot;
pub mod justice;
pub mod memory;
pub mod select;
pub mod simulate;

pub use cannot::CannotEncode;
pub use simulate::Simulation;
