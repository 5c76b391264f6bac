//! Reactive programs: an interpreter of calls, straight from the definitions in `model::reactive`, and runs of calls.

pub mod plain;
pub mod runs;
pub mod values;
pub mod walk;

pub use plain::{Interpreter, Valuation};
pub use runs::Runs;
pub use walk::Walk;
