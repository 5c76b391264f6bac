//! The interface of search orders other than breadth first.

use super::expand::Expander;
use model::ids::ErrorId;
use model::{InputId, Reason};
use search::Pause;
use search::valuations::States;
use std::fmt::Debug;

/// A run that was found: a label, and the inputs from the initial state to a call that stops there.
pub(super) type ErrorRun = (ErrorId, Vec<InputId>);

/// The pause of a technique if there are more states than can be numbered.
pub(super) const FULL: Pause<ErrorRun> = Pause::Stuck(Reason::Memory);

/// A way to choose the state that is visited next.
pub(super) trait Technique: Debug + Send {
    /// Searches for about `work` units, or until there is something to report.
    fn advance(&mut self, expander: &mut Expander, work: u64, wanted: &dyn Fn(ErrorId) -> bool) -> Pause<ErrorRun>;

    /// Removes all states, and starts from the initial one.
    fn start_over(&mut self, expander: &Expander);

    /// Returns the stored states. After [`Pause::Exhausted`] these are all states.
    fn states(&self) -> &States;

    /// Returns an estimate of the additional bytes that a thousand units of work may take.
    fn growth_bytes(&self) -> usize;

    /// Returns the states: see [`Technique::states`].
    fn into_states(self: Box<Self>) -> States;
}
