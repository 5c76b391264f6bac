//! Packed states: interning, hashing, compiled stepping, and the step-and-store loop that all searches share.
//!
//! ```
//! use impasse_store::search::{Breadth, Packed, Pause};
//! use impasse_store::{NetStepper, Width};
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
//!
//! A packed state is a few 64-bit words. [`RwbStepper`] compiles a behavioral program into tables that step
//! such words directly, and [`NetStepper`] does the same for nets. [`StateTable`] numbers the states.
//! [`Exploration`] joins a stepper and a table, and stores how each state was reached. [`search::Packed`] is
//! the explicit search, in any order.

mod counted;
mod covering;
pub mod disk;
mod exploration;
mod generic;
mod layout;
mod net;
mod parents;
mod ranks;
pub mod reactive;
mod rwb;
pub mod search;
mod step;
mod table;
mod tables;
#[cfg(test)]
mod tests;

pub use counted::Counted;
pub use covering::Covering;
pub use exploration::{Exploration, PackedStates};
pub use generic::Generic;
pub use net::{NetGoals, NetStepper, Query, Unsteppable, Width};
pub use reactive::ReactiveStepper;
pub use rwb::RwbStepper;
pub use step::{Stepper, Successors};
pub use table::{StateId, StateTable};
