//! The one explicit search through packed states: [`Packed`] numbers, tests and expands the states of any
//! [`crate::Step`].
//!
//! What varies is a parameter. The *order* says which state comes next: breadth first ([`Breadth`], in batches;
//! [`Together`], by several workers) or nearest to a goal first ([`Nearest`]). The *reduction* is the stepper's: one
//! that leaves successors out (stubborn sets, a bound, a projection), or says that some states are covered by others
//! ([`crate::Step::covering`]). Engines are shells around it: they know what is asked and what to claim.

mod breadth;
mod kept;
mod nearest;
mod order;
mod packed;
pub(crate) mod together;

pub use breadth::Breadth;
pub use kept::Kept;
pub use nearest::{Guided, Nearest};
pub use order::Order;
pub use packed::Packed;
pub use together::Together;

use model::{Reason, Stop};

/// Why a stretch of a search ended; `H` says where a goal was met.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Pause<H> {
    /// A goal was met.
    Hit(H),
    /// Nothing is left to expand.
    Exhausted,
    /// It cannot go on.
    Stuck(Reason),
    /// The next expansion takes more than the allowance that is left: it has to be saved up.
    Dear,
    /// The allowance is used up, or it is time to look at the stop flag.
    Turn,
}

/// May so many bytes more be allocated? [`usize::MAX`] stands for more than can be numbered.
pub fn may_grow(bytes: usize, stop: &Stop) -> bool {
    bytes == 0 || bytes != usize::MAX && stop.may_allocate(bytes)
}
