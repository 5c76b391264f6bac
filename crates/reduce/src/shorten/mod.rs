//! Shortens runs: the runs that engines find are long and contain detours, but people have to read them.
//!
//! First, cycles from a state back to the same state are left out. Then events that do not matter are left out,
//! one by one and in chunks (delta debugging; Zeller and Hildebrandt 2002). Every result is replayed before it
//! is accepted, so leaving out need not be sound in itself. The work is limited. [`Shortener`] shortens runs of
//! nets, and [`ProgramShortener`] runs of behavioral programs.

mod net;
mod program;

pub use net::{Found, Shortener};
pub use program::ProgramShortener;
