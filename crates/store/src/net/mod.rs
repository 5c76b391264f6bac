//! Nets as packed states: compiled stepping, goal tests, and coverage.
//!
//! A [`NetStepper`] is compiled for one [`Width`] (bits per slot). Searches start with narrow slots and widen
//! them when a number does not fit, because most places of most nets never hold more than one token.

mod compile;
mod goals;
mod initial;
mod query;
mod stepper;
#[cfg(test)]
mod tests;
mod width;

pub use goals::NetGoals;
pub use query::Query;
pub use stepper::{NetStepper, Unsteppable};
pub use width::Width;
