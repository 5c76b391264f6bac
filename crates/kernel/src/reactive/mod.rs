//! The semantics of reactive programs: an interpreter of calls, directly from the definitions in
//! `model::reactive`. The evidence is a run of calls, or a set of valuations that no call leaves.

pub mod plain;
pub mod runs;
pub mod states;
pub mod values;
pub mod walk;

pub use plain::{Interpreter, Valuation};
pub use runs::Runs;
pub use states::States;
pub use walk::Walk;
