//! Where a search that may go on on disk meets a goal.

use crate::table::StateId;

/// Where a goal was met.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// At a state in memory.
    InMemory(StateId),
    /// At this packed state of a level.
    OnDisk(usize, Box<[u64]>),
}
