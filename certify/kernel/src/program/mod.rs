//! Behavioral programs.
//!
//! Straight from the definition ([`stepper`]): event e is enabled iff some thread requests it and no thread blocks it;
//! on e every thread moves at once, each to any of its targets; a bad local state blocks everything. Runs, closed sets
//! of composite states, and clauses over local states.

mod by_event;
pub mod clauses;
mod jump;
pub mod runs;
pub mod states;
pub mod stepper;
mod table;

pub use by_event::ByEvent;
pub use clauses::Encoding;
pub use runs::Runs;
pub use states::States;
pub use stepper::Stepper;
