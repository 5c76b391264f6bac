//! k-induction: a property holds if it holds in the first k frames of each run, and in each frame before which it held
//! for k frames (Sheeran, Singh and Stalmarck 2000).
//!
//! For growing k, a SAT solver is asked for k + 1 consecutive frames from any state, the last of which violates the
//! property while the others do not. One solver is used for all k (Een and Sorensson 2003). Bounded model checking
//! ([`crate::Bmc`]) decides the first frames, and finds violations.
//!
//! The frames start in any state, reachable or not. IC3 finds out which states are reachable; k-induction does not. In
//! exchange it compares whole words in a few frames by one query, for which IC3 would learn a clause for each value.
//! Pipelines and other circuits that forget their past after some frames are decided in this way. The variant which
//! requires that all states differ would decide every circuit, but after as many frames as a loop-free run may have.

mod engine;
mod step;
#[cfg(test)]
mod tests;

pub use engine::KInduction;
