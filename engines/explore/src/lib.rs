//! Explicit search: over all states, breadth first or in another order. The fallback, the oracle, and the rate that
//! other engines have to beat.
//!
//! One engine, [`Explicit`], holds what is asked and what is claimed; a [`search::Search`] goes through the states.
//! Programs, nets and systems of one's own are searched by [`store::search::Packed`], reactive programs, whose states
//! are valuations, by [`reactive`]. States are numbered in the order in which they are found, so the first goal state
//! of a kind ends a shortest run to that kind, breadth first. [`Explore`] searches behavioral programs and systems of
//! one's own, [`NetExplore`] nets, [`ReactiveSearch`] reactive programs, [`Stubborn`] and [`NetStubborn`] leave out
//! what need not be looked at, [`counted`] is for programs with assumptions.

mod engine;
mod net;
mod program;
mod reactive;
mod savings;
mod search;
mod stubborn;
mod trial;

pub use engine::Explicit;
pub use net::{NetExplore, NetStubborn};
pub use program::{Explore, counted};
pub use reactive::{ReactiveRandomised, ReactiveSearch, ReactiveStrategy};
pub use stubborn::Stubborn;

/// How to search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Go on through the whole space when every asked goal is settled. (Not where there is no end to it.)
    pub explore_all: bool,
    /// Threads that may work at once. With more than one, the time it takes, the lengths of turns, and how many
    /// states are known when a goal ends the search are different; answers, lengths of runs and counts of a whole
    /// space are not.
    pub jobs: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { explore_all: false, jobs: 1 }
    }
}

#[cfg(test)]
mod tests;
