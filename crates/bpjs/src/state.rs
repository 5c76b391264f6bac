//! States of b-threads.

use super::frame::Frame;
use super::machine::Name;
use super::value::{Cell, Statement, Value};
use formats::error::Span;
use std::rc::Rc;

/// A state of a b-thread.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct EngineState(pub(super) Rc<Local>);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Local {
    /// At a sync.
    At(Rc<Snapshot>),
    /// The function has returned, or was interrupted.
    End,
    /// An assertion failed or an error was not caught.
    Bad(String, Span),
}

/// A b-thread at a sync. Equal snapshots behave alike: dead variables are `undefined`, and cells are numbered in the
/// order in which the frames reach them.
#[derive(PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Snapshot {
    pub(super) frames: Vec<Frame>,
    pub(super) cells: Vec<Cell>,
    pub(super) data: Value,
    pub(super) handler: Value,
    pub(super) statement: Statement,
}

impl Snapshot {
    /// Returns the number of values of the state.
    pub(super) fn size(&self) -> usize {
        let cells: usize = self.cells.iter().map(Cell::size).sum();
        cells + self.frames.iter().map(|f| f.slots.len() + 8).sum::<usize>()
    }
}

/// A member of a joint b-thread: a b-thread that has not ended.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Member {
    /// The number of the b-thread of the top-level script, or `u32::MAX`.
    pub(super) origin: u32,
    pub(super) name: Name,
    pub(super) at: Rc<Snapshot>,
}
