//! Systems written in Rust, for models that fit no other kind of system. Searches, the checker and the
//! step-by-step display of runs use such a system through the small interface in this module.
//!
//! The design follows PINS (LTSmin) and stateright's `Model`. [`System`] is the interface to states as vectors
//! of 32-bit slots. Users implement [`Model`], in which states have a Rust type. [`Typed`] converts a [`Model`]
//! to a [`System`]. The checker checks evidence against the system itself. Whether `initial` and `steps`
//! describe what their author meant cannot be checked.

mod interned;
mod slots;
mod typed;

pub use interned::{Countable, number_of, value_of};
pub use slots::{Below, Slots, slot};
pub use typed::{Model, Question, Typed};

use crate::goal::{Goal, QuestionForm};
use std::fmt::Debug;

/// What the expansion of a state found about the state itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExpansionKind {
    /// An ordinary state. Its successors were passed to the sink (the function that receives successors).
    Inner,
    /// As `Inner`, but some successor was omitted because of a bound.
    Cut,
    /// As `Inner`, but some successor was omitted because a number does not fit the representation of states.
    Overflow,
    /// A goal state. Goal states of behavioral programs have no successors.
    Goal(Goal),
}

/// A transition system over vectors of 32-bit slots. It has at least one initial state.
///
/// Repeated calls for the same state must give the same successors with the same labels, because the checker
/// computes them again.
pub trait System: Send + Sync + Debug {
    /// Returns the number of values of each slot (at least 1, at most 2^32). Slots with fewer values are stored
    /// in fewer bits.
    fn sizes(&self) -> Vec<u64>;

    /// Passes every initial state to `sink`, in a fixed order.
    fn initial(&self, sink: &mut dyn FnMut(&[u32]));

    /// Passes every successor of `state` with its label to `sink`, in a fixed order, each pair of label and
    /// state once. Labels are ascending.
    fn successors(&self, state: &[u32], sink: &mut dyn FnMut(u32, &[u32]));

    /// Returns the questions: the id of each predicate, and the form of the question. The `i`-th predicate
    /// (from 0) belongs to the goal [`Goal::Predicate`] with number `i`.
    fn predicates(&self) -> Vec<(String, QuestionForm)>;

    /// Returns true if the predicate with this number holds in `state`.
    fn holds(&self, predicate: usize, state: &[u32]) -> bool;

    /// Returns true if the check should also search for states without successors.
    fn asks_deadlock(&self) -> bool {
        false
    }

    /// Returns a phrase for the kind of system, for use in sentences.
    fn noun(&self) -> &'static str {
        "a system of one's own"
    }

    /// Returns a text that tells the system from all others, if evidence files may be about it. A system that is read
    /// from a file returns the file; systems in memory only have none.
    fn identity(&self) -> Option<Vec<u8>> {
        None
    }

    /// Returns a text for the step from `state` with this label.
    fn label(&self, state: &[u32], label: u32) -> String {
        let _ = state;
        label.to_string()
    }

    /// Returns the state in readable form: its parts, each with the text of its value.
    fn shown(&self, state: &[u32]) -> Vec<(String, String)> {
        let part = |(slot, value): (usize, &u32)| (format!("slot {slot}"), value.to_string());
        state.iter().enumerate().map(part).collect()
    }
}
