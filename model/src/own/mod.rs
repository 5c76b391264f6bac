//! Systems of one's own: the small interface that searches, the checker and the steps of runs go through, where no kind
//! of system fits.
//!
//! After PINS (LTSmin) and stateright's `Model`. [`System`] is the interface, over vectors of 32-bit slots; [`Model`] is
//! what people implement, over states of their own type; [`Typed`] makes the first of the second. The checker accepts
//! evidence about such a system by asking the system itself: that `initial` and `steps` say what was meant is for its
//! author to know.

mod slots;
mod typed;

pub use slots::{Below, Slots, slot};
pub use typed::{Model, Question, Typed};

use crate::goal::{Asked, Goal};
use std::fmt::Debug;

/// What expanding a state found out about the state itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// An ordinary state: its successors were handed to the sink.
    Inner,
    /// As `Inner`, but some successor was left out because of a bound.
    Cut,
    /// As `Inner`, but some successor was left out because a number does not fit the representation of states.
    Overflow,
    /// A goal state. Goal states of behavioral programs have no successors.
    Goal(Goal),
}

/// A transition system over vectors of 32-bit slots. It has at least one initial state.
///
/// A state has the same successors under the same labels whenever it is asked: the checker asks again.
pub trait System: Send + Sync + Debug {
    /// How many values each slot of a state has (at least 1, at most 2^32): fewer values, fewer bits.
    fn sizes(&self) -> Vec<u64>;

    /// Hands every initial state to `sink`, in a fixed order.
    fn initial(&self, sink: &mut dyn FnMut(&[u32]));

    /// Hands every successor of `state` to `sink`, in a fixed order, each pair of label and state once. Labels ascend.
    fn successors(&self, state: &[u32], sink: &mut dyn FnMut(u32, &[u32]));

    /// What is asked: ids of predicates, with how they are asked. The goal of the `i`-th is
    /// [`Goal::Predicate`] of that number.
    fn predicates(&self) -> Vec<(String, Asked)>;

    /// Does the predicate of this number hold in `state`?
    fn holds(&self, predicate: usize, state: &[u32]) -> bool;

    /// Is a state without successors to be looked for, too?
    fn asks_deadlock(&self) -> bool {
        false
    }

    /// What happens in the step from `state` with this label.
    fn label(&self, state: &[u32], label: u32) -> String {
        let _ = state;
        label.to_string()
    }

    /// The state for people: its parts and what they hold.
    fn shown(&self, state: &[u32]) -> Vec<(String, String)> {
        let part = |(slot, value): (usize, &u32)| (format!("slot {slot}"), value.to_string());
        state.iter().enumerate().map(part).collect()
    }
}
