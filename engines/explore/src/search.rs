//! What an explicit search is to the engine around it.

use model::{Certificate, Goal, Reason, StateSet, Stats, Stop, Trace};
use std::fmt::Debug;
use store::search::{Breadth, Guided, Nearest, Order, Packed, Pause, Together, may_grow};
use store::{StateId, Step};

/// A search under way through the states of one system.
pub trait Search: Debug {
    /// As in `--engine` and in reports.
    const NAME: &'static str;

    /// Where a goal was met.
    type Place;

    /// The name, where it depends on how the search is done.
    fn name(&self) -> &'static str {
        Self::NAME
    }

    /// Searches for about `means` units of work, and pauses before that where it is time to look at the stop flag, or
    /// where a goal among `open` is met.
    fn advance(&mut self, means: u64, open: &[Goal], stop: &Stop) -> Pause<(Goal, Self::Place)>;

    /// The work done so far, in units of about a microsecond.
    fn work(&self) -> u64;

    /// The counts so far.
    fn stats(&self) -> Stats;

    /// The run to where a goal was met; `None` if there is no memory for it.
    fn run_to(&mut self, place: &Self::Place, stop: &Stop) -> Option<Trace>;

    /// Does the search end by itself, so that it can be asked to complete the space?
    fn has_end(&self) -> bool {
        true
    }

    /// After it was exhausted: has it seen every state?
    fn is_whole(&self) -> bool {
        true
    }

    /// Is no run shorter than the first one that it finds to a goal?
    fn finds_shortest(&self) -> bool;

    /// After it was exhausted: the proof that goals it has not met cannot be reached, or why there is none.
    ///
    /// # Errors
    /// If something was cut off, or not defined.
    fn into_evidence(self) -> Result<Certificate, Reason>;
}

/// Makes a certificate of states.
pub(crate) type Certifier = Box<dyn FnOnce(Box<dyn StateSet>) -> Certificate>;

/// What claims say of the states of a stepper.
pub trait Space: Step + Debug + 'static {
    /// The engine that searches it.
    const NAME: &'static str;

    /// What is unknown if successors were left out.
    const CUT: Reason = Reason::GaveUp;

    /// How all its states are evidence.
    fn certifier(&self) -> Certifier;

    /// A run of unpacked states as claims have it.
    fn claimed(&self, trace: Trace) -> Trace {
        trace
    }

    /// Counts beside states and transitions.
    fn count(&self, stats: &mut Stats) {
        let _ = stats;
    }
}

/// Orders, as far as claims depend on them.
pub trait Claims {
    /// Are the first runs to goals shortest ones?
    const SHORTEST: bool;
}

impl Claims for Breadth {
    const SHORTEST: bool = true;
}

impl<S> Claims for Together<S> {
    const SHORTEST: bool = true;
}

impl Claims for Nearest {
    const SHORTEST: bool = false;
}

/// A search of packed states, breadth first, by so many workers.
pub(crate) fn by_breadth<S: Space + Clone>(stepper: S, jobs: usize) -> Packed<S, Together<S>> {
    Packed::new(stepper, |stepper| Together::of(stepper, jobs))
}

/// A search of packed states, those nearest to a goal first.
pub(crate) fn nearest_first<S: Space + Guided>(stepper: S) -> Packed<S, Nearest> {
    Packed::new(stepper, |_| Nearest::default())
}

impl<S: Space, O: Order<S> + Claims + Debug> Search for Packed<S, O> {
    const NAME: &'static str = S::NAME;
    type Place = StateId;

    fn advance(&mut self, means: u64, open: &[Goal], stop: &Stop) -> Pause<(Goal, StateId)> {
        Packed::advance(self, means, open, stop)
    }

    fn work(&self) -> u64 {
        Packed::work(self)
    }

    fn stats(&self) -> Stats {
        let mut stats = Stats { states: self.len() as u64, transitions: self.transitions(), ..Stats::default() };
        self.stepper().count(&mut stats);
        stats
    }

    fn run_to(&mut self, place: &StateId, stop: &Stop) -> Option<Trace> {
        if !may_grow(self.trace_bytes(*place), stop) {
            return None;
        }
        let trace = self.trace_to(*place);
        Some(self.stepper().claimed(trace))
    }

    fn is_whole(&self) -> bool {
        !self.is_cut() && !self.is_covered()
    }

    fn finds_shortest(&self) -> bool {
        O::SHORTEST
    }

    fn into_evidence(self) -> Result<Certificate, Reason> {
        if self.is_overflown() {
            return Err(Reason::Overflow);
        }
        if self.is_cut() {
            return Err(S::CUT);
        }
        let certify = self.stepper().certifier();
        Ok(certify(self.into_states()))
    }
}
