//! The interface between an explicit search and the engine around it.

use crate::disk::{Large, Place};
use crate::explicit::Options;
use crate::{Breadth, Guided, Nearest, Order, Packed, Pause, StateId, Stepper, Together, may_grow};
use model::{Certificate, Goal, Reason, Save, Saved, StateSet, Stats, Stop, Trace, Unrestored, Unsaved};
use std::fmt::Debug;

/// A search through the states of one system.
pub trait StateSearch: Debug + Send {
    /// Name of the engine, as in `--engine` and in reports.
    const NAME: &'static str;

    /// Describes where a goal was met.
    type Place;

    /// Returns the name, which may depend on the kind of search.
    fn name(&self) -> &'static str {
        Self::NAME
    }

    /// Searches for about `means` units of work. Returns early when the stop flag has to be checked, or at a
    /// state of a goal among `open`.
    fn advance(&mut self, means: u64, open: &[Goal], stop: &Stop) -> Pause<(Goal, Self::Place)>;

    /// Returns the work done so far, in units of about a microsecond.
    fn work(&self) -> u64;

    /// Returns the counts so far.
    fn stats(&self) -> Stats;

    /// Saves the search, as [`model::Engine::save`] does.
    ///
    /// # Errors
    /// The errors of `to`.
    fn save(&self, _since: u64, _to: &mut dyn Save) -> Result<Option<u64>, Unsaved> {
        Ok(None)
    }

    /// Continues from saved records with the goals `open`, as [`model::Engine::restore`] does.
    ///
    /// # Errors
    /// The errors of `from`, and if records do not fit the system.
    fn restore(&mut self, _open: &[Goal], _from: &mut dyn Saved, _: &Stop) -> Result<Option<u64>, Unrestored> {
        Ok(None)
    }

    /// Returns the run to where a goal was met.
    ///
    /// # Errors
    /// If there is no memory for it, it cannot be read from disk, `stop` is raised, or the search was restored from
    /// wrong records.
    fn run_to(&mut self, place: &Self::Place, stop: &Stop) -> Result<Trace, Reason>;

    /// Returns true if the search ends by itself, so that it can be made to visit the whole space.
    fn has_end(&self) -> bool {
        true
    }

    /// Returns true if an exhausted search has visited every state.
    fn is_whole(&self) -> bool {
        true
    }

    /// Returns true if the first run found to a goal is a shortest one.
    fn finds_shortest(&self) -> bool;

    /// Returns the certificate of an exhausted search for all goals that it has not met, or the reason why
    /// there is none.
    ///
    /// # Errors
    /// If something was cut off, or behaviour is undefined.
    fn into_evidence(self) -> Result<Certificate, Reason>;
}

/// Makes a certificate from the set of states.
pub type Certifier = Box<dyn FnOnce(Box<dyn StateSet>) -> Certificate>;

/// How the states of a stepper appear in claims.
pub trait Space: Stepper + Debug + 'static {
    /// Name of the engine that searches these states.
    const NAME: &'static str;

    /// The reason for `unknown` if successors were left out.
    const CUT: Reason = Reason::GaveUp;

    /// Returns the function that makes all states a certificate.
    fn certifier(&self) -> Certifier;

    /// Converts a run of unpacked states to the form of claims.
    fn claimed(&self, trace: Trace) -> Trace {
        trace
    }

    /// Adds counts other than states and transitions.
    fn count(&self, stats: &mut Stats) {
        let _ = stats;
    }
}

/// The properties of orders that claims depend on.
pub trait Claims {
    /// True if the first run found to a goal is a shortest one.
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

/// Returns a breadth-first search of packed states.
pub fn by_breadth<S: Space + Clone>(stepper: S, options: &Options) -> Large<S> {
    Large::new(stepper, options.jobs, options.disk.clone())
}

/// Returns a search of packed states that expands those nearest to a goal first.
pub fn nearest_first<S: Space + Guided>(stepper: S) -> Packed<S, Nearest> {
    Packed::new(stepper, |_| Nearest::default())
}

impl<S: Space, O: Order<S> + Claims + Debug> StateSearch for Packed<S, O> {
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

    fn run_to(&mut self, place: &StateId, stop: &Stop) -> Result<Trace, Reason> {
        if !may_grow(self.trace_bytes(*place), stop) {
            return Err(Reason::Memory);
        }
        let trace = self.find_trace(*place).ok_or(Reason::GaveUp)?;
        Ok(self.stepper().claimed(trace))
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

impl<S: Space + Clone> StateSearch for Large<S> {
    const NAME: &'static str = S::NAME;
    type Place = Place;

    fn advance(&mut self, means: u64, open: &[Goal], stop: &Stop) -> Pause<(Goal, Place)> {
        Large::advance(self, means, open, stop)
    }

    fn work(&self) -> u64 {
        Large::work(self)
    }

    fn stats(&self) -> Stats {
        let mut stats = Stats { states: self.len(), transitions: self.transitions(), ..Stats::default() };
        if let Some(stepper) = self.stepper() {
            stepper.count(&mut stats);
        }
        if let Some(bytes) = self.disk_bytes() {
            stats.more.insert("disk_bytes", bytes);
        }
        stats
    }

    fn save(&self, since: u64, to: &mut dyn Save) -> Result<Option<u64>, Unsaved> {
        Large::save(self, since, S::NAME.as_bytes(), to)
    }

    fn restore(&mut self, _: &[Goal], from: &mut dyn Saved, stop: &Stop) -> Result<Option<u64>, Unrestored> {
        let mut head = Vec::new();
        if !from.next(&mut head)? {
            return Ok(None);
        }
        if head != S::NAME.as_bytes() {
            return Err(Unrestored::damaged("the records are those of another search"));
        }
        *self = self.restored(from, stop)?;
        Ok(Some(self.len()))
    }

    fn run_to(&mut self, place: &Place, stop: &Stop) -> Result<Trace, Reason> {
        let trace = Large::run_to(self, place, stop)?;
        self.stepper().map(|stepper| stepper.claimed(trace)).ok_or(Reason::GaveUp)
    }

    fn is_whole(&self) -> bool {
        !self.is_cut() && !self.is_covered()
    }

    fn finds_shortest(&self) -> bool {
        true
    }

    fn into_evidence(self) -> Result<Certificate, Reason> {
        if self.is_overflown() {
            return Err(Reason::Overflow);
        }
        if self.is_cut() {
            return Err(S::CUT);
        }
        let certify = self.stepper().map(Space::certifier);
        let states = self.into_states()?;
        certify.map(|certify| certify(states)).ok_or(Reason::GaveUp)
    }
}
