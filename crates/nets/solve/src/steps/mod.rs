//! Nets as packed states: compiled stepping, goal tests, and coverage.
//!
//! A [`NetStepper`] is compiled for one [`Width`] (bits per slot). Searches start with narrow slots and widen
//! them when a number does not fit, because most places of most nets never hold more than one token.
//!
//! ```
//! use impasse_nets::{NetStepper, Width};
//! use search::{Breadth, Packed, Pause};
//! use model::{Goal, Net, Range, Stop};
//! use testkit::net::{arcs, place, task};
//!
//! // A philosopher takes the fork on the left, then the fork on the right, eats, and returns both. Places 0 to 4
//! // are the forks. Places 5 to 9 are philosophers with one fork.
//! let places = (0..10).map(|p| place(format!("p{p}"), Range::exactly(u8::from(p < 5)))).collect();
//! let transitions = (0..5).flat_map(|i| {
//!     let (one_fork, right) = (5 + i, (i + 1) % 5);
//!     let take = arcs(format!("take{i}"), &[(i, 1)], &[(one_fork, 1)]);
//!     [take, arcs(format!("eat{i}"), &[(one_fork, 1), (right, 1)], &[(i, 1), (right, 1)])]
//! });
//! let task = task(Net::new(places, transitions.collect()).unwrap(), Vec::new(), true);
//!
//! let stepper = NetStepper::new(&task, Width::narrow(&task)).unwrap();
//! let mut search = Packed::new(stepper, Breadth::of);
//! let pause = search.advance(u64::MAX, &[Goal::Deadlock], &Stop::default());
//! let Pause::Hit((Goal::Deadlock, state)) = pause else { panic!("{pause:?}") };
//! assert_eq!(search.trace_to(state).len(), Some(5), "each philosopher takes a fork");
//! ```

mod compile;
mod goals;
mod initial;
mod query;
mod stepper;
#[cfg(test)]
mod tests;
mod width;

pub use goals::NetGoals;
pub use query::Query;
pub use stepper::{NetStepper, Unsteppable};
pub use width::Width;
