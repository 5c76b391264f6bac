//! Breadth-first search of more states than memory holds: the states of finished levels are on disk.
//!
//! The states of a level are a *sorted run*: a file of packed states in ascending order. The successors of a level
//! are collected in a table in memory. A full table is sorted and written as a run. When the level is expanded, the
//! collected states are merged, and the states of earlier levels are subtracted. The rest is the next level. So
//! duplicates are detected once per level (*delayed duplicate detection*: Stern and Dill 1998, Korf 2004), and files
//! are read from their beginning to their end.
//!
//! A search begins in memory, as [`crate::Packed`], and nothing is written while there is room
//! ([`Large`]). Then its states are moved to disk ([`Levels`]), and the search goes on where it was.
//!
//! No parents are stored. A run to a state is found backwards: the states of each earlier level are expanded
//! until one has the later state as a successor, from the least state on.

mod batch;
mod candidates;
mod chunk;
mod crew;
mod expand;
mod keys;
mod large;
mod levels;
mod listing;
mod merge;
mod place;
mod run;
#[cfg(test)]
mod tests;
mod trace;
mod widen;

pub use large::Large;
pub use levels::Levels;
pub use place::Place;

pub use journal::scratch::Scratch;

use journal::scratch::ScratchError;
use model::Reason;

/// Where a search stores states that do not fit memory, and how much memory it uses.
#[derive(Clone, Debug)]
pub struct Disk {
    /// The temporary files, and the limit on their size.
    pub scratch: Scratch,
    /// The bytes of memory for states: for all states, or, when old states are on disk, for the table of
    /// collected successors.
    pub memory: usize,
    /// The size of the blocks of a file in bytes.
    pub block: usize,
}

/// The usual size of a block in bytes.
pub const BLOCK: usize = 1 << 16;

/// Returns the reason for `unknown` when files cannot be used.
fn reason(_: ScratchError) -> Reason {
    Reason::Disk
}
