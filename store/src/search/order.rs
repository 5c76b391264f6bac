//! What an order of search is.

use crate::exploration::Exploration;
use crate::step::Step;
use crate::table::StateId;
use model::{Kind, Stop};
use std::ops::ControlFlow;

/// Which state is expanded next. States are those of the exploration that every call is given, always the same one.
pub trait Order<S: Step>: Send {
    /// Must [`Order::found`] be told of every state?
    const LISTS: bool;

    /// Units of work between looks at the stop flag.
    fn patience(&self) -> u64 {
        1024
    }

    /// A state was found, tested, and may be covered by another one: then it is not to be expanded. Called in the
    /// order of their numbers, of all states, if [`Order::LISTS`], or if states are looked up among those that cover
    /// others.
    fn found(&mut self, space: &mut Exploration<S>, id: StateId, is_covered: bool);

    /// Is there nothing to expand?
    fn is_exhausted(&mut self, space: &Exploration<S>) -> bool;

    /// Does the next expansion take more than `most` units of work?
    fn is_beyond(&mut self, space: &Exploration<S>, most: u64) -> bool;

    /// Called before the first expansions of a stretch of search: is there room for what the order would like to have?
    fn prepare(&mut self, space: &Exploration<S>, stop: &Stop) {
        let _ = (space, stop);
    }

    /// How many bytes the next [`Order::expand`] may allocate; [`usize::MAX`] if there may be no number left for a
    /// state.
    fn growth_bytes(&mut self, space: &Exploration<S>) -> usize;

    /// Expands the next states, at most so many and about as many units of work, one state at least, and hands each
    /// with its kind to `visit` until that breaks off. A state whose kind is [`Kind::Overflow`] is handed over
    /// without being expanded, and is the next one again.
    fn expand(&mut self, space: &mut Exploration<S>, most: usize, visit: impl FnMut(StateId, Kind) -> ControlFlow<()>);

    /// Expands the state that overflowed last as far as it goes.
    fn pass(&mut self, space: &mut Exploration<S>, id: StateId);

    /// The work of the expansions so far, in units of about a microsecond.
    fn work(&self, space: &Exploration<S>) -> u64;

    /// How many states were expanded.
    fn expanded(&self) -> usize;

    /// States are packed anew, in so many words each.
    fn repacked(&mut self, words: usize);
}
