//! Engines for behavioral programs, and what they share.
//!
//! ```
//! use model::{Budget, Claim, Engine, EventId, EventSet, Goal, LocalId, LocalState, Program, ProgramTask, Thread};
//! use model::Turn;
//! use std::sync::Arc;
//!
//! // One thread requests event `a` once. After that, no event is requested: a deadlock.
//! let a = EventId(0);
//! let state = |name: &str, request: &[EventId], on: &[(EventId, Vec<LocalId>)]| LocalState {
//!     name: name.to_owned(),
//!     request: EventSet::from_events(1, request.iter().copied()),
//!     block: EventSet::empty(1),
//!     bad: false,
//!     on: on.iter().cloned().collect(),
//! };
//! let states = vec![state("asks", &[a], &[(a, vec![LocalId(1)])]), state("rests", &[], &[])];
//! let thread = Thread { name: "T".to_owned(), states, initial: vec![LocalId(0)] };
//! let program = Program::new(vec!["a".to_owned()], vec![thread], vec![Goal::Deadlock]).unwrap();
//!
//! let task = ProgramTask::of_program(Arc::new(program));
//! let turn = impasse_programs::explore(&task, Default::default()).run(&mut Budget::unlimited(Default::default()));
//! assert!(matches!(turn, Turn::Claims(Claim::Unsafe { trace, .. }) if trace.len() == Some(1)));
//! ```
//!
//! * [`RwbStepper`] steps packed states of a program. [`running`] steps one state that is not packed, and [`script`]
//!   runs.
//! * [`restrict()`] removes unreachable local states. [`Outlines`] reduce programs to some of their threads.
//!   [`ProgramShortener`] shortens runs. [`stubborn`] chooses the events that a search needs to explore.
//! * The engines: explicit search ([`explore()`]), the search with lemmas ([`dpllt`]), [`thread_abstraction`], random
//!   runs ([`ProgramWalk`]), IC3 on the program as a circuit ([`ProgramIc3`], [`encode`]), the state equation on the
//!   program as a net ([`as_net()`]), and [`symbolic`] for programs with unbounded data.

mod as_net;
pub mod dpllt;
pub mod encode;
pub mod explore;
mod ic3;
mod project;
mod ranks;
mod restrict;
pub mod running;
mod rwb;
mod script;
mod shorten;
pub mod stubborn;
pub mod symbolic;
mod tables;
#[cfg(test)]
mod tests;
pub mod thread_abstraction;
mod walk;

pub use as_net::as_net;
pub use explore::{counted, explore, explore_stubborn, lossy};
pub use ic3::ProgramIc3;
pub use project::{Offers, Outline, Outlines, Projected};
pub use restrict::{Restrictions, restrict};
pub use rwb::RwbStepper;
pub use script::{Script, Stepped};
pub use shorten::ProgramShortener;
pub use walk::ProgramWalk;
