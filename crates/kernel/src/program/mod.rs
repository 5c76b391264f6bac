//! The semantics of behavioral programs.
//!
//! The implementation follows the definition directly ([`stepper`]): event e is enabled iff some thread requests
//! e and no thread blocks e. When e fires, all threads move at once, each to one of its targets for e. A bad
//! local state blocks every event. The evidence consists of runs, closed sets of composite states (also for
//! temporal formulas), or clauses over local states.

pub mod as_net;
mod by_event;
pub mod clauses;
mod jump;
pub mod letters;
pub mod position;
mod replay;
pub mod runs;
pub mod states;
pub mod stepper;
mod table;

pub use as_net::ProgramNet;
pub use by_event::ByEvent;
pub use clauses::Encoding;
pub use letters::ProgramPositions;
pub use runs::Runs;
pub use states::States;
pub use stepper::Stepper;
