//! The lines of the local states of a program in its text, see [`crate::positions`].

use std::sync::Arc;

/// The lines of the states of one thread.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    /// True if the states are the syncs of a thread body, so that their names are only numbers.
    pub is_body: bool,
    /// For each state: its line, counted from 1.
    pub lines: Vec<u32>,
    /// For each state: the file of its line. Empty, or an empty name, for the text from which the program was read.
    pub files: Vec<Arc<str>>,
    /// For each state: the values of the variables of the thread, as text. Empty if the thread has no variables.
    pub values: Vec<String>,
    /// For each state: true if it is a sync, also if nothing that it waits for can happen. Empty if this shows in the
    /// events of the state: a sync then requests, blocks or waits for some event.
    pub syncs: Vec<bool>,
}

/// The position of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position<'a> {
    /// The line, counted from 1.
    pub line: u32,
    /// The file of the line, if it is not the text from which the program was read.
    pub file: Option<&'a str>,
    /// True if the state is a sync of a thread body, or an end of the body.
    pub is_body: bool,
    /// True if no other sync of the thread is in this line and has the same values.
    pub is_alone: bool,
    /// True if the state is known to be a sync, whatever its events are.
    pub is_sync: bool,
    /// The values of the variables of the thread: `n = 3, last = X`. May be empty.
    pub values: &'a str,
}

impl Lines {
    /// Returns the line of a state and the values of the variables there.
    pub(super) fn place(&self, s: usize) -> (u32, &str) {
        (self.lines[s] & !SHARED, self.values.get(s).map_or("", String::as_str))
    }
}

/// The lines of the states of all threads. Positions do not affect what the program does, so any two values
/// compare equal.
#[derive(Clone, Debug, Default)]
pub(crate) struct Positions(pub(crate) Arc<[Lines]>);

impl PartialEq for Positions {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl Eq for Positions {}

/// Bit that marks a line with several syncs of a thread. Line numbers are below 2^31, because texts are smaller
/// than that.
pub(super) const SHARED: u32 = 1 << 31;
