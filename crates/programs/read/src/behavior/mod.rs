//! Threads with data: the interface between languages of behavioral programs and the explicit programs that all engines
//! and the checker work on.
//!
//! A language implements [`Behavior`] once for each thread: where the thread can begin, what it requests and blocks at
//! a state, and where an event takes it. A state is the location and the values of the variables. [`elaborate()`]
//! explores each thread by itself and makes a finite transition system of it. If a thread has too many states by
//! itself, it explores all threads together (module `joint`).
//!
//! **Which events exist.** The alphabet is discovered: it contains the events that some thread requests in a state that
//! this thread can reach by itself, when all other threads request any event of the alphabet at any time.
//! 1. Every event that happens in a run of the program is in the alphabet, and every local state in a run is explored.
//!    Proof by induction on the run: the next event is requested by a thread in an explored state, so it is in the
//!    alphabet. Each thread then moves as [`Behavior::step`] says for an explored state and an event of the alphabet.
//! 2. So the explicit program has the same runs as the threads, except for local states that no run visits.

pub mod elaborate;
mod explicit;
mod explored;
mod joint;
mod neighbours;
#[cfg(test)]
mod tests;
mod watch;

pub use elaborate::{GRAPHS, elaborate, elaborate_alone, rounds};
pub use explicit::{Elaborated, UNREAD};
pub use explored::{Named, is_limit};

use formats::error::{Error, Span};
use std::fmt::Debug;
use std::hash::Hash;
use std::sync::Arc;

/// A thread of a language with data. All methods are functions of their arguments: the same call gives the same result.
pub trait Behavior {
    /// An event with its data. The order determines the numbers of the events.
    type Event: Clone + Ord + Hash + Debug;
    /// A location of the thread with the values of its variables. Two states are equal if nothing can distinguish
    /// them.
    type State: Clone + Eq + Hash + Debug;

    /// How many states of the limit a state counts. Languages with large states count more than one.
    const WEIGHT: usize = 1;

    /// Returns the states in which the thread may begin; at least one.
    fn initial(&self) -> Result<Vec<Self::State>, Box<Error>>;

    /// Describes a state.
    fn point(&self, state: &Self::State) -> Result<Point<Self::Event>, Box<Error>>;

    /// Returns true if the thread blocks the event in this state.
    fn blocks(&self, state: &Self::State, event: &Self::Event) -> Result<bool, Box<Error>>;

    /// Returns the states to which the event may take the thread; at least one. `None` if the thread neither requests
    /// nor waits for the event in this state, and so stays there. Not called for blocked events.
    fn step(&self, state: &Self::State, event: &Self::Event) -> Result<Option<Vec<Self::State>>, Box<Error>>;

    /// Says which events matter at a state: the thread neither blocks nor requests any other event, nor waits for it.
    /// More events may be named than matter. The events of one family are named together.
    fn mentions(&self, _state: &Self::State, visit: &mut dyn FnMut(Mention<Self::Event>)) {
        visit(Mention::All);
    }

    /// Returns the family of an event.
    fn family(_event: &Self::Event) -> usize {
        0
    }

    /// Returns true if the state is one of several threads of the text, none of which blocks all events alone.
    fn blocks_jointly(&self, _state: &Self::State) -> bool {
        false
    }

    /// Returns the variable with the most different values in these states, for the error that there are too many.
    fn blame(&self, states: &mut dyn Iterator<Item = &Self::State>) -> Option<Blame>;
}

/// Events that matter at a state.
#[derive(Clone, Debug)]
pub enum Mention<E> {
    /// All events.
    All,
    /// The events of the family with this number.
    Family(usize),
    /// One event.
    One(E),
}

/// Something that reports show of a state, such as the value of a variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shown {
    /// What it is about. If this has the same text in all states, only the first states show it. Empty if it is always
    /// shown.
    pub what: String,
    /// The text, such as `n = 3`.
    pub text: String,
}

impl Shown {
    /// The text, always.
    #[must_use]
    pub fn always(text: String) -> Vec<Self> {
        if text.is_empty() { Vec::new() } else { vec![Self { what: String::new(), text }] }
    }

    /// The value of a variable.
    #[must_use]
    pub fn value(name: &str, value: &str) -> Self {
        Self { what: name.to_owned(), text: format!("{name} = {value}") }
    }
}

/// Where a state comes from, if this is not the text that was read.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// The file; empty for the text that was read.
    pub(crate) file: Arc<str>,
    /// The line, counted from 1.
    pub(crate) line: u32,
    /// What reports say about the state. May be empty.
    pub(crate) note: String,
}

/// What a thread does in a state.
#[derive(Clone, Debug)]
pub struct Point<E> {
    /// What the thread does here.
    pub kind: Kind,
    /// True if the thread must not stay in such states for ever ([`model::Goal::Hot`]).
    pub is_hot: bool,
    /// The priority of the requests.
    pub priority: i64,
    /// The events that the thread requests, without order and possibly repeated.
    pub requests: Vec<E>,
    /// True if the thread waits for an event. False at its end.
    pub is_sync: bool,
    /// The place of the statement.
    pub span: Span,
    /// What reports show beside the place.
    pub shown: Vec<Shown>,
    /// The name of the state in the text, if it has one.
    pub name: Option<String>,
    /// The values that questions name.
    pub kept: Vec<i64>,
    /// Where the state comes from. `None` stands for the place `span` of the text.
    pub origin: Option<Origin>,
}

/// The kind of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// An ordinary state.
    Plain,
    /// A state in which the thread may end.
    Final,
    /// A bad state. [`Behavior::step`] is not called for it.
    Bad,
    /// A bad state because the thread cannot go on, for example because a value is out of range.
    Fault,
}

/// A variable with many values.
#[derive(Clone, Debug)]
pub struct Blame {
    /// The name.
    pub name: String,
    /// The least and the greatest value, if the variable has a range.
    pub range: Option<(i64, i64)>,
    /// The number of values.
    pub values: usize,
    /// The place in the text.
    pub span: Span,
}
