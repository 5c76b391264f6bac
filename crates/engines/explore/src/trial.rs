//! A search that gives up if its reduction saves too little, or if it takes too much memory.
//!
//! Choosing what to leave out takes several times as long as an expansion. If almost nothing is left out, plain
//! search is faster.

use crate::search::Search;
use model::{Certificate, Goal, Reason, Stats, Stop, Trace};
use store::search::Pause;

/// Own work units of the search after which the savings are first checked. Each later check comes when the own
/// work units have doubled.
pub(crate) const TRIAL: u64 = 1 << 10;

/// A search with a reduction that makes its steps expensive.
pub trait Reduced: Search {
    /// Work units for one of its own units.
    const UNITS: u64;

    /// Returns true if the reduction saves so little that plain search would be faster.
    fn saves_little(&self) -> bool {
        false
    }

    /// Returns true if the search takes more memory than it should, as other engines run beside it.
    fn is_large(&self) -> bool {
        false
    }
}

/// A search with checks of its savings.
#[derive(Debug)]
pub struct Trial<S> {
    search: S,
    /// Own units of the search at the next check of its savings.
    look: u64,
}

impl<S: Reduced> Trial<S> {
    pub(crate) fn new(search: S) -> Self {
        Self { search, look: TRIAL }
    }
}

impl<S: Reduced> Search for Trial<S> {
    const NAME: &'static str = S::NAME;
    type Place = S::Place;

    fn advance(&mut self, means: u64, open: &[Goal], stop: &Stop) -> Pause<(Goal, S::Place)> {
        let left = self.look.saturating_sub(self.search.work()).max(1);
        let pause = self.search.advance(left.min(means.div_ceil(S::UNITS)), open, stop);
        if !matches!(pause, Pause::Turn) {
            return pause;
        }
        let is_due = self.search.work() >= self.look;
        if is_due {
            self.look = self.look.saturating_mul(2);
        }
        if is_due && self.search.saves_little() || self.search.is_large() {
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

    fn run_to(&mut self, place: &S::Place, stop: &Stop) -> Result<Trace, Reason> {
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
