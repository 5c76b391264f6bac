//! Analyses of systems that need no search: invariants of nets, and stubborn sets for partial-order reduction.
//!
//! ```
//! use impasse_analysis::invariants::Invariants;
//! use model::{Budget, Net, Range};
//! use testkit::net::{arcs, place, task};
//!
//! // Two processes share a lock. The places are 0: idle processes, 1: the free lock, 2: busy processes.
//! let initial = [("idle", 2u8), ("lock", 1), ("busy", 0)];
//! let places = initial.map(|(name, tokens)| place(name, Range::exactly(tokens))).to_vec();
//! let enter = arcs("enter", &[(0, 1), (1, 1)], &[(2, 1)]);
//! let leave = arcs("leave", &[(2, 1)], &[(0, 1), (1, 1)]);
//! let task = task(Net::new(places, vec![enter, leave]).unwrap(), Vec::new(), true);
//!
//! let invariants = Invariants::new(&task).expect("the numbers are small");
//! let mut budget = Budget::unlimited(Default::default());
//! // The lock is never free while a process is busy.
//! assert!(!invariants.pairs(&mut budget).unwrap().allows(1, 2));
//! // Two processes are never busy together. The evidence is a bound on a sum of token counts.
//! let bound = invariants.refute(&[(2, 2)], &mut budget).unwrap();
//! assert_eq!(bound.at_most, 1.into());
//! ```
//!
//! [`invariants`] computes statements about a net that hold in every reachable marking: potentially marked
//! places, places that may be marked together, traps, weighted sums and the state equation. Each has a
//! certificate of its own. [`stubborn`] chooses the events that a search needs to explore, for nets and for
//! programs. Both use [`rules`], which stores a net in machine numbers for searches. [`targets`] translates
//! goal formulas into the minimal markings that satisfy them. [`exact`] is the linear arithmetic below them.
//! [`simulate`] simulates circuits, and [`rng`] is the
//! random generator of walks and simulations.

pub mod exact;
pub mod invariants;
pub mod rng;
mod rows;
pub mod rules;
pub mod simulate;
pub mod siphons;
pub mod structure;
pub mod stubborn;
pub mod targets;

pub use rows::Rows;
