//! Options of a search.

use crate::disk::Disk;

/// Options of a search.
#[derive(Clone, Debug)]
pub struct Options {
    /// True if the search continues through the whole space when every goal is settled. This has no effect if
    /// the space has no end.
    pub explore_all: bool,
    /// Number of threads that may work at once. More than one changes the time taken, the lengths of turns, and
    /// the number of states known when a goal ends the search. It does not change verdicts, lengths of runs, or
    /// counts of a whole space.
    pub jobs: usize,
    /// Where the search of a program, net or system defined in Rust goes on when memory is used up.
    pub disk: Option<Disk>,
}

impl Default for Options {
    fn default() -> Self {
        Self { explore_all: false, jobs: 1, disk: None }
    }
}
