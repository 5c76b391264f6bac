//! Reactive programs: an interpreter of calls, straight from the definitions in `model::reactive`; runs of calls, and
//! sets of valuations that no call leaves.

pub mod plain;
pub mod runs;
pub mod states;
pub mod values;
pub mod walk;

pub use plain::{Interpreter, Valuation};
pub use runs::Runs;
pub use states::States;
pub use walk::Walk;
