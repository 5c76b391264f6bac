//! The semantics of behavioral programs.
//!
//! It follows the definition directly ([`stepper`]): event e is enabled iff some thread requests it and no
//! thread blocks it. On e all threads move at once, each to any of its targets. A bad local state blocks every
//! event. The evidence consists of runs, closed sets of composite states (also for temporal formulas), or clauses
//! over local states.

mod by_event;
pub mod clauses;
mod jump;
pub mod runs;
pub mod states;
pub mod stepper;
mod table;
pub mod temporal;

pub use by_event::ByEvent;
pub use clauses::Encoding;
pub use runs::Runs;
pub use states::States;
pub use stepper::Stepper;
