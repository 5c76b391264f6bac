//! Explicit search as an engine: visits all states. An engine of another technique is useful where it is faster than
//! this.
//!
//! [`Explicit`] stores the goals and makes the claims. A `Search` visits the states; a `Space` is what it needs of a
//! kind of system. States are numbered in the order in which they are found. So with breadth-first order, the first
//! state of a goal ends a shortest run to the goal.

mod counted;
mod engine;
mod lossy;
mod options;
mod own;
mod savings;
pub mod search;
pub mod trial;

pub use engine::{Explicit, breadth_first};
pub use options::Options;
pub use own::explore_own;
