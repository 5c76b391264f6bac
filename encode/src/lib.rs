//! Systems as circuits: nets and thread systems with a bound, and behavioral programs.
//!
//! One bit-level engine then serves all of them, and other checkers can run on our problems (AIGER). What comes back from a
//! circuit is brought home here too: runs, and clauses over latches.

pub mod net;
pub mod program;
mod select;
mod simulate;

pub use simulate::Simulation;

/// Why something cannot be said as a circuit.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CannotEncode {
    /// A place that nothing bounds: circuits have finitely many states.
    #[error("place `{0}` has no bound")]
    Unbounded(String),
    /// No initial marking is within the bound.
    #[error("no initial marking is within the bound: `{0}` holds more")]
    StartsOutside(String),
    /// More gates than allowed, or numbers beyond 62 bits.
    #[error("the circuit would be too large")]
    TooLarge,
}
