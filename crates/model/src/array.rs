//! The rules of arrays in the terms of lemmas.
//!
//! A read `a[i]` is a constant ([`crate::Constant::Cell`]), so arithmetic treats it as any other number. What makes it
//! a read are the rules of arrays ([`ArrayRule`]): clauses that hold for every array, of which a proof states the
//! instances that it needs (lemmas on demand: Brummayer and Biere, TACAS 2009, with the axioms of McCarthy 1962). An
//! array that is never written is a function of one argument, about which nothing else is known (an uninterpreted
//! function).

use crate::ids::{EventId, LocalId};
use crate::term::IntTerm;
pub use crate::term::{ArrayTerm, ThreadArray, ThreadCell};
use std::sync::Arc;

/// A clause about arrays that is true of every violating run. Each variant states the literals, of which the first is
/// the one that usually holds.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ArrayRule {
    /// Equal indexes have equal cells: `array[first] = array[second]`, `first + 1 <= second`, `second + 1 <= first`.
    SameIndex {
        /// The array.
        array: ArrayTerm,
        /// An index.
        first: IntTerm,
        /// An index.
        second: IntTerm,
    },
    /// The index that was written has the value that was written: `store(array, at, value)[read] = value`,
    /// `at + 1 <= read`, `read + 1 <= at`.
    Written(Write),
    /// Each other index keeps its value: `store(array, at, value)[read] = array[read]`, `at = read`.
    Kept(Write),
    /// A state of a thread gives the value of its cell: `array[index] = value`, `not StateBack(back, thread, state)`,
    /// with the thread and the value that `array` has for the index and the state.
    Cell {
        /// The array.
        array: Arc<ThreadArray>,
        /// The index.
        index: u32,
        /// The local state of the thread of that index.
        state: LocalId,
    },
    /// An event writes one cell, or none: `after[read] = store(before, at, value)[read]` (or `= before[read]`), `not
    /// EventBack(after.back, event)`, where `before` is `after` one event earlier. Condition: from each locally
    /// reachable state that does not block the event, the event leads the thread of index `at` to states of this value
    /// only, and each other cell to states of the value that it has. No thread is two cells.
    Moves {
        /// The array after the event.
        after: Arc<ThreadArray>,
        /// The event.
        event: EventId,
        /// The index that is written, and its value.
        write: Option<(u32, i64)>,
        /// The index that is read.
        read: IntTerm,
    },
}

/// A write and a read of the array that was written.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Write {
    /// The array before the write.
    pub array: ArrayTerm,
    /// The index that is written.
    pub at: IntTerm,
    /// The value that is written.
    pub value: IntTerm,
    /// The index that is read.
    pub read: IntTerm,
}

impl Write {
    /// Returns the term that reads the array that was written.
    pub(crate) fn cell(&self) -> IntTerm {
        self.array.store(self.at.clone(), self.value.clone()).cell(self.read.clone())
    }
}
