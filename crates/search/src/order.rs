//! The interface of search orders.

use crate::exploration::Exploration;
use crate::step::Stepper;
use crate::table::StateId;
use model::{ExpansionKind, Stop};
use std::ops::ControlFlow;

/// Determines which state is expanded next. All calls get the same exploration, and states are states of it.
pub trait Order<S: Stepper>: Send {
    /// True if [`Order::found`] must be called for every state.
    const LISTS: bool;

    /// Returns the work units after which the stop flag is checked.
    fn patience(&self) -> u64 {
        1024
    }

    /// Tells the order that a state was found. A state that is covered by another one must not be expanded.
    /// This is called for all states, in the order of their numbers, if [`Order::LISTS`] is true or if states
    /// are compared with states that may cover them.
    fn found(&mut self, space: &mut Exploration<S>, id: StateId, is_covered: bool);

    /// Returns true if no state waits for expansion.
    fn is_exhausted(&mut self, space: &Exploration<S>) -> bool;

    /// Returns true if the next expansion costs more than `most` units of work.
    fn is_beyond(&mut self, space: &Exploration<S>, most: u64) -> bool;

    /// Called at the beginning of each call of the search. The order may check here whether there is memory for
    /// optional buffers.
    fn prepare(&mut self, space: &Exploration<S>, stop: &Stop) {
        let _ = (space, stop);
    }

    /// Returns how many bytes the next [`Order::expand`] may allocate. It is [`usize::MAX`] if there may be too
    /// few state numbers left.
    fn growth_bytes(&mut self, space: &Exploration<S>) -> usize;

    /// Expands the next states, at most `most`, and for about `most` units of work: at least one, unless memory has to
    /// be requested first, so that [`Order::growth_bytes`] is no longer 0. Calls `visit`
    /// with each state and its expansion kind, and stops when `visit` breaks. A state that overflows is passed
    /// to `visit`, but not recorded as expanded, and it is the next state again.
    fn expand(
        &mut self,
        space: &mut Exploration<S>,
        most: usize,
        visit: impl FnMut(StateId, ExpansionKind) -> ControlFlow<()>,
    );

    /// Expands the state that overflowed last, without the successors that do not fit.
    fn pass(&mut self, space: &mut Exploration<S>, id: StateId);

    /// Returns the work of the expansions so far, in units of about a microsecond.
    fn work(&self, space: &Exploration<S>) -> u64;

    /// Returns the number of states expanded.
    fn expanded(&self) -> usize;

    /// Returns how far the search has come, if this order can be saved: states are expanded in the order of their
    /// numbers.
    fn position(&self) -> Option<Position> {
        None
    }

    /// Returns an order like this one for the states of `stepper`, at a position that [`Order::position`] returned.
    fn at(&self, stepper: &S, position: Position) -> Option<Self>
    where
        Self: Sized,
    {
        let _ = (stepper, position);
        None
    }

    /// Called when the states are repacked, with the new number of words per state.
    fn repacked(&mut self, words: usize);
}

/// How far a breadth-first order has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    /// The next state to expand.
    pub next: usize,
    /// Number of states expanded.
    pub expanded: usize,
}
