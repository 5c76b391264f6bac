//! Bounded model checking of circuits: is there a violating run with this number of frames, for growing numbers?
//!
//! For each number of frames, a SAT solver decides whether the bad signal can be true in the last frame (Biere,
//! Cimatti, Clarke and Zhu 1999). One solver is used for all numbers, so that it keeps what it has learnt (Een and
//! Sorensson 2003). The engine finds shortest runs, and never claims `safe`.
//!
//! `unroll` makes copies of the gates, one for each frame. Constants of the first frame spread through the
//! copies, and equal copies are shared. `formula` gives the solver the copies that some question needs.

mod engine;
#[cfg(test)]
mod tests;
mod unroll;

pub use engine::Bmc;
pub(crate) use unroll::Unrolling;
