//! A search that gives up if its reduction saves too little, or if it takes too much memory.
//!
//! Choosing what to leave out takes several times as long as an expansion. If almost nothing is left out, plain
//! search is faster.

use crate::explicit::search::{Claims, Space, StateSearch};
use crate::{Breadth, Order, Packed, Pause, StateId};
use model::{Certificate, Goal, Reason, Stats, Stop, Trace};
use std::fmt::Debug;

/// Own work units of the search after which the savings are first checked. Each later check comes when the own
/// work units have doubled.
pub const TRIAL: u64 = 1 << 10;

/// A stepper with a reduction that makes its steps expensive.
pub trait Reduced: Space {
    /// Work units for one of its own units.
    const UNITS: u64;

    /// Returns true if the reduction saves so little that plain search would be faster.
    fn saves_little(&self) -> bool {
        false
    }

    /// Returns true if a search with so many states takes more memory than it should, as other engines run beside it.
    fn is_large(&self, states: usize) -> bool {
        let _ = states;
        false
    }
}

/// A search with checks of its savings.
#[derive(Debug)]
pub struct Trial<S: Reduced, O = Breadth> {
    search: Packed<S, O>,
    /// Own units of the search at the next check of its savings.
    look: u64,
}

impl<S: Reduced, O> Trial<S, O> {
    /// Returns the search with checks of its savings.
    #[must_use]
    pub fn new(search: Packed<S, O>) -> Self {
        Self { search, look: TRIAL }
    }
}

impl<S: Reduced, O: Order<S> + Claims + Debug> StateSearch for Trial<S, O> {
    const NAME: &'static str = S::NAME;
    type Place = StateId;

    fn advance(&mut self, means: u64, open: &[Goal], stop: &Stop) -> Pause<(Goal, StateId)> {
        let left = self.look.saturating_sub(self.search.work()).max(1);
        let pause = self.search.advance(left.min(means.div_ceil(S::UNITS)), open, stop);
        if !matches!(pause, Pause::Turn) {
            return pause;
        }
        let is_due = self.search.work() >= self.look;
        if is_due {
            self.look = self.look.saturating_mul(2);
        }
        let stepper = self.search.stepper();
        if is_due && stepper.saves_little() || stepper.is_large(self.search.len()) {
            return Pause::Stuck(Reason::GaveUp);
        }
        pause
    }

    fn work(&self) -> u64 {
        self.search.work().saturating_mul(S::UNITS)
    }

    fn stats(&self) -> Stats {
        self.search.stats()
    }

    fn run_to(&mut self, place: &StateId, stop: &Stop) -> Result<Trace, Reason> {
        self.search.run_to(place, stop)
    }

    fn is_whole(&self) -> bool {
        false
    }

    fn finds_shortest(&self) -> bool {
        false
    }

    fn into_evidence(self) -> Result<Certificate, Reason> {
        self.search.into_evidence()
    }
}
