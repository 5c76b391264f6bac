//! Engines for Petri nets, and what they share. Thread-transition systems are translated to nets.
//!
//! ```
//! use impasse_nets::invariants::Invariants;
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
//! * [`rules`] stores a net in machine numbers. [`steps`] steps packed markings.
//! * [`invariants`] computes statements that hold in every reachable marking: potentially marked places, places that
//!   may be marked together, traps, weighted sums and the state equation. Each has a certificate of its own.
//!   [`structure`] and [`siphons`] are facts from the structure alone. [`targets`] translates goal formulas into the
//!   minimal markings that satisfy them.
//! * [`reduce`] makes nets smaller, and lifts claims back. [`stubborn`] chooses the transitions that a search needs to
//!   explore.
//! * The engines: explicit search ([`explore()`], [`explore_stubborn`]), IC3 on markings ([`Ic3`]) and on bits
//!   ([`Ic3Bits`]), [`cover`], [`equation`], [`walk`], and [`diagrams`] for counts of markings.
//! * [`encode`] writes a net within a bound as a circuit.

pub mod cover;
mod coverability;
pub mod diagrams;
pub mod encode;
pub mod equation;
mod explore;
mod ic3;
pub mod invariants;
pub mod reduce;
pub mod rules;
pub mod siphons;
mod steps;
pub mod structure;
pub mod stubborn;
pub mod targets;
pub mod walk;

pub use coverability::Ic3;
pub use explore::{
    Constants, MOST_STARTING, counts, explore, explore_stubborn, lossy_net, net_branching, net_temporal,
};
pub use ic3::{Ic3Bits, InvariantUse, NetBitsOptions};
pub use steps::{NetGoals, NetStepper, Query, Unsteppable, Width};
