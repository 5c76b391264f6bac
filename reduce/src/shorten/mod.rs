//! Shorter runs: found ones are long and wander, and people read them.
//!
//! What goes from one state back to the same one is left out first, then events that do not matter, one by one and in
//! chunks (delta debugging; Zeller and Hildebrandt 2002). Every result is replayed before it counts, so the steps may
//! be bold, and work is limited. [`Shortener`] does so for nets, [`ProgramShortener`] for behavioral programs.

mod net;
mod program;

pub use net::{Found, Shortener};
pub use program::ProgramShortener;
