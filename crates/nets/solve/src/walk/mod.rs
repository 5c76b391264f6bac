//! Random and guided runs of nets, as a cheap first engine for unsafe systems. [`BestFirst`] searches nets for a
//! limited time, nearest to the goal first. (Walks of programs and circuits are in the crates of these kinds.)
//!
//! ```
//! use impasse_nets::walk::Walk;
//! use model::{Budget, Claim, Engine, Goal, Net, Range, Turn};
//! use testkit::net::{arcs, is_dead, place, replay, task};
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
//! let net = task.net.clone();
//! let turn = Walk::new(task, 1).run(&mut Budget::unlimited(Default::default()));
//! let Turn::Claims(Claim::Unsafe { goal: Goal::Deadlock, trace, .. }) = turn else { panic!("{turn:?}") };
//! let last = replay::<u64>(&net, &trace).expect("it is a run");
//! assert!(is_dead(&net, &last));
//! ```
//!
//! Most unsafe systems in the literature have many violating runs, and a walk of some thousand random firings
//! finds one before a systematic search has built its tables (random simulation before model checking, as in
//! Murphi or SPIN's swarms; Holzmann, Joshi, Groce 2011). Walks restart with varying lengths in the sequence of
//! Luby, Sinclair and Zuckerman (1993). Preferences change from walk to walk, and so do the numbers of tokens
//! on places with an open initial count. Runs are shortened and replayed before they are claimed. The engines
//! never claim `safe`.
//!
//! [`LassoWalk`] is for formulas about runs and about branching time: its walks repeat a marking, so that they are
//! infinite runs, or they end.

mod best_first;
mod choose;
mod distance;
mod goals;
mod judge;
mod lasso;
mod path;
mod policy;
mod random;
mod state;
#[cfg(test)]
mod tests;
mod wish;
mod word;

pub use best_first::{BestFirst, Limits};
pub use lasso::{Constant, LassoWalk, Question};
pub use random::Walk;
