//! Stubborn sets: the enabled events of a state that suffice, so that every goal keeps a run that is no longer.
//!
//! One argument serves nets and programs.
//!
//! 1. A shortest run to a goal contains an event of the stubborn set. The first such event is already enabled
//!    in the state, and it can be moved to the front of the run.
//! 2. So a search that explores only the events of the set comes one step nearer to the goal each time.
//!
//! The conditions on the set are stated as rules. For nets, they are about guards and effects of transitions
//! ([`net`]). For programs, they are about the local states that each thread can still reach ([`program`]). The
//! checker has its own version of both.

pub mod net;
pub mod program;
