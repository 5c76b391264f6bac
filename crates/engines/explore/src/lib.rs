//! Explicit search: visits all states, breadth first or in another order. Explicit search is the fallback.
//! Tests compare the other engines with explicit search. An engine is useful where it is faster than explicit
//! search.
//!
//! ```
//! use impasse_explore::{NetExplore, Options};
//! use model::{Budget, Claim, Engine, Goal, Net, Range, Turn};
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
//! let mut engine = NetExplore::new(task, Options { explore_all: true, ..Options::default() });
//! let mut budget = Budget::unlimited(Default::default());
//! let turn = engine.run(&mut budget);
//! let Turn::Claims(Claim::Unsafe { goal: Goal::Deadlock, trace, .. }) = turn else { panic!("{turn:?}") };
//! assert_eq!(trace.len(), Some(5), "each philosopher takes a fork");
//! while !matches!(engine.run(&mut budget), Turn::Done) {}
//! assert!(engine.is_complete());
//! assert_eq!(engine.stats().states, 32);
//! ```
//!
//! One engine, [`Explicit`], stores the goals and makes the claims. A [`search::Search`] visits the states.
//! Behavioral programs, nets and systems defined in Rust are searched by [`store::search::Packed`]. Reactive
//! programs, which have valuations as states, are searched by [`reactive`]. States are numbered in the order in
//! which they are found. So with breadth-first order, the first state of a goal ends a shortest run to the
//! goal.
//!
//! [`Explore`] searches behavioral programs and systems defined in Rust, [`NetExplore`] searches nets, and
//! [`ReactiveSearch`] searches reactive programs. [`Stubborn`] and [`NetStubborn`] leave out successors that
//! need not be visited. [`counted`] is for programs with assumptions, and
//! [`Temporal`] and [`net_temporal()`] are for temporal formulas, and [`net_branching()`] is for formulas of
//! computation tree logic. [`counts()`] counts the markings of a net.

mod engine;
mod lossy;
mod net;
mod options;
mod program;
mod reactive;
mod savings;
mod search;
mod stubborn;
mod temporal;
mod trial;

pub use engine::Explicit;
pub use lossy::lossy;
pub use net::{Constants, MOST_STARTING, NetExplore, NetStubborn, counts, lossy_net, net_branching, net_temporal};
pub use options::Options;
pub use program::{Explore, counted};
pub use reactive::{ReactiveRandomised, ReactiveSearch, ReactiveStrategy};
pub use store::disk::Disk;
pub use stubborn::Stubborn;
pub use temporal::Temporal;

#[cfg(test)]
mod tests;
