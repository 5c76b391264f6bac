//! The small interface that searches step through: fixed-width state vectors and their successors.
//!
//! After PINS (LTSmin) and stateright's `Model`: front ends, searches and decorators meet in four methods. Compiled,
//! bit-packed steppers live in `store`; this trait is their reference and what decorators and tests implement.

use crate::goal::Goal;

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

/// A transition system over vectors of `width` 32-bit slots.
pub trait System {
    /// Slots per state.
    fn width(&self) -> usize;

    /// Hands every initial state to `sink`, in a fixed order, each once.
    fn initial(&self, sink: &mut dyn FnMut(&[u32]));

    /// Hands every successor of `state` to `sink` with the label (event, transition) that leads there, in a fixed order;
    /// the same successor may come several times under different labels.
    fn successors(&self, state: &[u32], sink: &mut dyn FnMut(u32, &[u32])) -> Kind;
}
