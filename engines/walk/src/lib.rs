//! Random and guided runs: the cheap first engine for unsafe. [`Walk`] is for nets, [`ProgramWalk`] for programs.
//!
//! Most unsafe systems of the literature are so in many ways, and a walk of some thousand random firings finds one of
//! them before a systematic search has set up its tables (random simulation before model checking, as in Murphi or
//! SPIN's swarms; Holzmann, Joshi, Groce 2011). Walks restart with growing lengths, in the order of Luby, Sinclair
//! and Zuckerman (1993), with changing tastes and changing numbers of tokens where the initial marking leaves that
//! open. What they find is shortened and replayed before it is claimed. They never say `safe`.

mod choose;
mod distance;
mod goals;
mod luby;
mod program;
mod rng;
mod state;
#[cfg(test)]
mod tests;
mod walk;
mod wish;

pub use program::ProgramWalk;
pub use walk::{Options, Walk};
