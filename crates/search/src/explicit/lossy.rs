//! Searches that may leave states out, for bugs in very large spaces.

use crate::explicit::search::{Space, StateSearch};
use crate::{Bitstate, Pause};
use model::{Certificate, Goal, Reason, Stats, Stop, Trace};

impl<S: Space> StateSearch for Bitstate<S> {
    const NAME: &'static str = S::NAME;
    type Place = ();

    fn advance(&mut self, means: u64, open: &[Goal], stop: &Stop) -> Pause<(Goal, ())> {
        match Bitstate::advance(self, means, open, stop) {
            Pause::Hit(goal) => Pause::Hit((goal, ())),
            Pause::Exhausted => Pause::Exhausted,
            Pause::Stuck(reason) => Pause::Stuck(reason),
            Pause::Dear => Pause::Dear,
            Pause::Turn => Pause::Turn,
        }
    }

    fn work(&self) -> u64 {
        Bitstate::work(self)
    }

    fn stats(&self) -> Stats {
        let mut stats = Stats { states: self.len(), transitions: self.transitions(), ..Stats::default() };
        self.stepper().count(&mut stats);
        let (bits, set) = self.bits();
        stats.more.extend([("bits", bits), ("bits_set", set), ("too_deep", self.too_deep())]);
        stats
    }

    fn run_to(&mut self, _: &(), stop: &Stop) -> Result<Trace, Reason> {
        let trace = self.run(stop)?;
        Ok(self.stepper().claimed(trace))
    }

    fn is_whole(&self) -> bool {
        false
    }

    fn finds_shortest(&self) -> bool {
        false
    }

    fn into_evidence(self) -> Result<Certificate, Reason> {
        Err(Reason::Lossy)
    }
}
