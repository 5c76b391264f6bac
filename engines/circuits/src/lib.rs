//! Engines for circuits, beside IC3: bounded model checking ([`Bmc`]), and equal signals ([`Corresponding`]).
//!
//! Both ask a SAT solver about a circuit without latches, whose gates are copies of the gates in some frames.
//! `formula` gives the solver the gates that a question needs.

pub mod bmc;
pub mod correspondence;
mod formula;

pub use bmc::Bmc;
pub use correspondence::Corresponding;
