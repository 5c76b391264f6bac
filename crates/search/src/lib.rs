//! Explicit search, once for all kinds of systems: packed states, their tables, and searches in any order, in memory
//! and on disk.
//!
//! ```
//! use impasse_search::explicit::{Options, explore_own};
//! use model::{Budget, Claim, Engine, Goal, OwnTask, PredicateId, QuestionForm, System, Turn};
//! use std::sync::Arc;
//!
//! /// A counter that counts from 0 to 9.
//! #[derive(Debug)]
//! struct Counter;
//!
//! impl System for Counter {
//!     fn sizes(&self) -> Vec<u64> {
//!         vec![10]
//!     }
//!     fn initial(&self, sink: &mut dyn FnMut(&[u32])) {
//!         sink(&[0]);
//!     }
//!     fn successors(&self, state: &[u32], sink: &mut dyn FnMut(u32, &[u32])) {
//!         if state[0] < 9 {
//!             sink(0, &[state[0] + 1]);
//!         }
//!     }
//!     fn predicates(&self) -> Vec<(String, QuestionForm)> {
//!         vec![("four".to_owned(), QuestionForm::Never)]
//!     }
//!     fn holds(&self, _: usize, state: &[u32]) -> bool {
//!         state[0] == 4
//!     }
//! }
//!
//! let task = OwnTask::new(Arc::new(Counter), [Goal::Predicate(PredicateId(0))]);
//! let turn = explore_own(&task, &Options::default()).run(&mut Budget::unlimited(Default::default()));
//! let Turn::Claims(Claim::Unsafe { trace, .. }) = turn else { panic!("{turn:?}") };
//! assert_eq!(trace.len(), Some(4));
//! ```
//!
//! A packed state is a few 64-bit words. A [`Stepper`] computes successors of packed states; each kind of system has
//! its own. [`StateTable`] numbers the states. [`Exploration`] joins a stepper and a table, and stores how each state
//! was reached. [`Packed`] is the search, in the order of an [`Order`]; [`Together`] is the same on several cores, and
//! [`disk`] continues it where memory ends. [`explicit`] makes an engine of a search.
//!
//! [`valuations`] are sets of wide states, stored part by part. [`rng`] and [`luby`](mod@luby) are for runs at random.

mod bitstate;
mod breadth;
mod chunk;
mod counted;
pub mod covering;
pub mod disk;
pub mod explicit;
mod exploration;
mod generic;
mod kept;
pub mod layout;
pub mod luby;
mod nearest;
mod order;
mod packed;
mod parents;
pub mod rng;
pub mod rows;
mod saved;
pub mod step;
mod table;
pub mod together;
pub mod valuations;

pub use bitstate::Bitstate;
pub use breadth::Breadth;
pub use counted::Counted;
pub use covering::Covering;
pub use exploration::{Exploration, PackedStates};
pub use generic::Generic;
pub use kept::Kept;
pub use nearest::{Guided, Nearest};
pub use order::{Order, Position};
pub use packed::Packed;
pub use rows::Rows;
pub(crate) use saved::STATES;
pub use step::{Stepper, Successors};
pub use table::{StateId, StateTable};
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
