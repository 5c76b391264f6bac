//! The explicit search through packed states: [`Packed`] numbers, tests and expands the states of any
//! [`crate::Stepper`].
//!
//! The search has two parameters. The *order* determines which state is expanded next: breadth first
//! ([`Breadth`] in batches, [`Together`] with several workers), or nearest to a goal first ([`Nearest`]). A
//! *reduction* is part of the stepper. It leaves out successors (stubborn sets, a bound, a projection), or
//! declares that some states are covered by others ([`crate::Stepper::covering`]). Engines are shells around
//! the search: they determine the goals and make the claims.

mod bitstate;
mod breadth;
mod chunk;
mod kept;
mod nearest;
mod order;
mod packed;
mod saved;
pub(crate) mod together;

pub use bitstate::Bitstate;
pub use breadth::Breadth;
pub use kept::Kept;
pub use nearest::{Guided, Nearest};
pub use order::Order;
pub use packed::Packed;
pub use saved::Position;
pub(crate) use saved::STATES;
pub use together::Together;

use model::{Reason, Stop};

/// Why a call of a search returned. `H` describes where a goal was met.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Pause<H> {
    /// A goal was met.
    Hit(H),
    /// Nothing is left to expand.
    Exhausted,
    /// The search cannot continue.
    Stuck(Reason),
    /// The next expansion costs more work than the rest of the budget, so budget has to be saved up over
    /// several turns.
    Dear,
    /// The budget is used up, or the stop flag has to be checked.
    Turn,
}

/// Returns true if `bytes` more bytes may be allocated. [`usize::MAX`] stands for more states than can be
/// numbered, and is always refused.
pub fn may_grow(bytes: usize, stop: &Stop) -> bool {
    bytes == 0 || bytes != usize::MAX && stop.may_allocate(bytes)
}
