//! Parts of the state of a search that several of its files use.

use super::frames::Frames;
use super::invariants::{Bounds, excluded};
use super::predecessors::Net;
use super::vector::{Dense, Vector};

/// The result of working on an obligation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Blocked {
    /// The goal is neither blocked nor reached yet.
    Working,
    /// An initial marking covers the vector of this node.
    Reached(u32),
}

/// True if `vector` is known not to be covered in frame `level`. Frame 0 is the set of initial markings.
pub(crate) fn is_blocked(net: Net<'_>, bounds: &Bounds, frames: &Frames, vector: &Dense, level: u32) -> bool {
    if level == 0 {
        return !net.shape.start.meets_dense(vector);
    }
    excluded(net, bounds, vector).is_some() || frames.blocker(vector, level).is_some()
}

/// The current position of pushing.
#[derive(Debug, Default)]
pub(crate) struct Pushing {
    pub(super) level: u32,
    /// Lemmas of the level.
    pub(super) ids: Vec<u32>,
    pub(super) next: usize,
}

/// The vectors that wait to become lemmas.
#[derive(Debug, Default)]
pub(crate) struct Candidates {
    /// The next ones are at the end.
    pub(super) waiting: Vec<Vector>,
    /// True if the vectors that became lemmas are being pushed.
    pub(super) is_pushing: bool,
}
