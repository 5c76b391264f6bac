//! Test support that the tests of all crates share, so that nothing is defined twice. It has the number of
//! cases of random tests ([`count()`]), random numbers ([`Random`]), and one module for each kind of system. Such
//! a module has the semantics taken directly from the definition, generators, and brute force. Its code is slow
//! and simple on purpose, and it shares no code with what it is compared with.
//!
//! ```
//! use impasse_testkit::{Random, count, net};
//! use model::{Goal, Net, Range};
//!
//! // Brute force: two processes take two locks (0 and 1) in different orders.
//! let places = (0..4).map(|p| net::place(format!("p{p}"), Range::exactly(u8::from(p < 2)))).collect();
//! let take = [net::arcs("a takes 0", &[(0, 1)], &[(2, 1)]), net::arcs("b takes 1", &[(1, 1)], &[(3, 1)])];
//! let work = |name, has, needs| net::arcs(name, &[(has, 1), (needs, 1)], &[(0, 1), (1, 1)]);
//! let transitions = [take, [work("a works", 2, 1), work("b works", 3, 0)]].concat();
//! let task = net::task(Net::new(places, transitions).unwrap(), Vec::new(), true);
//! let truth = net::explore(&task, 100).expect("there are few markings");
//! assert_eq!((truth.depths.len(), truth.goals[&Goal::Deadlock]), (4, 2));
//!
//! // Random tests: a seed stands for the same case on every machine.
//! for seed in 0..count(100) {
//!     assert_eq!(net::net(&mut Random::new(seed)), net::net(&mut Random::new(seed)));
//! }
//! ```
//!
//! * [`program`], [`net`], [`threads`], [`circuit`] and [`reactive`] are the modules of the kinds of systems.
//!   [`coloured`] is about coloured nets, [`marked`] about nets and thread-transition systems together, [`words`] about
//!   systems over words, and [`formula`] about formulas.
//! * [`reach()`] explores the states of any type.
//! * [`Listed`] is a set of states as evidence. [`Log`] keeps the records of an engine that is saved.
//! * [`count()`] and [`config`] return the number of random cases of a test. [`are_full`] returns true if this is
//!   at least the full number.
//!
//! The crate is only a dev-dependency. The tests of the checker have their own oracle.

pub mod circuit;
pub mod coloured;
pub mod formula;
pub mod grammar;
pub mod marked;
pub mod net;
pub mod program;
pub mod reactive;
pub mod runs;
pub mod threads;
pub mod words;

mod cases;
mod count;
mod listed;
mod log;
mod random;
mod reach;
mod trace;

pub use cases::{are_full, config, count};
pub use count::Count;
pub use listed::Listed;
pub use log::Log;
pub use random::Random;
pub use reach::{Reached, choices, reach};
pub use trace::steps;
