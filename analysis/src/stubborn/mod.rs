//! Stubborn sets: which of the enabled events of a state are enough, so that every goal keeps a run that is no longer.
//!
//! One argument serves both kinds of systems: a shortest run to a goal has an event of the set; the first one is
//! enabled already and can be done first; so a search that takes the events of the set alone comes one step nearer to
//! the goal each time. What a set must have for that is said by rules about guards and effects of transitions in
//! [`net`], and by rules about what each thread may come to in [`program`]. The checker has both of its own.

pub mod net;
pub mod program;
