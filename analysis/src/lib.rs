//! What holds of every run, found without search, and what may interfere with what.
//!
//! [`facts`] are about a net: places that are ever marked, places marked together, traps, sums and the state
//! equation, each certified by itself. [`stubborn`] says which events are enough to look at, for nets and for
//! programs. Both stand on [`rules`], a net by numbers, as searches read it. [`targets`] are what goal formulas ask
//! for.

pub mod facts;
mod rows;
pub mod rules;
pub mod stubborn;
pub mod targets;

pub use rows::Rows;
