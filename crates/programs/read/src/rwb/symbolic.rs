//! Programs with arbitrarily many threads.

use model::Program;

/// A program with classes of arbitrarily many threads, read for one index of each open range.
pub(super) struct Symbolic {
    /// The program over the symbolic events, in which each class is one thread.
    pub(super) program: Program,
    /// The names of the constants that are left open.
    pub(super) ranges: Vec<String>,
    /// For each thread: the range of its class, if the thread stands for arbitrarily many threads.
    pub(super) classes: Vec<Option<usize>>,
    /// For each symbolic event: its meaning.
    pub(super) events: Vec<Symbol>,
}

/// The meaning of a symbolic event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Symbol {
    /// One event.
    Plain,
    /// The event of this index of a range. `other` is the symbolic event that threads of all other indices see.
    Own { range: usize, other: usize },
    /// The events of all other indices.
    Other,
}
