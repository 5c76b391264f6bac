//! Explicit search on many machines, on timely dataflow.
//!
//! Each worker owns the states whose hash falls to it. It keeps them in a table of its own, tests them, expands them,
//! and sends the successors to their owners ([`search`]). The workers go through the levels of a breadth-first search
//! together, so the answer, the counts and the lengths of runs are those of one process, and do not depend on timing.

mod error;
mod exchange;
pub mod hosts;
mod identity;
pub mod key;
mod links;
mod logs;
pub mod mesh;
mod owner;
mod parcel;
pub mod process;
mod runs;
mod search;
mod shard;
mod space;
#[cfg(test)]
mod tests;
pub mod tunnel;

pub use error::Error;
pub use identity::identity;
pub use key::Key;
pub use links::Links;
pub use logs::Logs;
pub use search::{Counts, Outcome, Question, search};
pub use space::{NetSpace, Space};
pub use store::{RwbStepper, Unsteppable};
pub use timely::worker::Worker;
