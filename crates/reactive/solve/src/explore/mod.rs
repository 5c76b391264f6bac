//! Explicit search of reactive programs: breadth first over all states, with all error labels in one pass.
//!
//! Each label is claimed with a shortest run as soon as it is met. When all states have been visited, the other
//! labels are claimed unreachable, with the states as evidence. Other orders are in [`strategy`].

mod dfs;
mod expand;
mod jumpstart;
mod random;
mod restart;
mod stack;
mod strategy;
mod technique;
#[cfg(test)]
mod tests;
mod wide;

pub use strategy::{ReactiveStrategy, explore_randomised};

use crate::ReactiveStepper;
use crate::store::{Exploration, Stopped};
use model::ids::{ErrorId, EventId};
use model::saved::{Parts, Record};
use model::{
    Certificate, Goal, Holds, InputId, Reactive, ReactiveTask, Reason, Save, Saved, Stats, Stop, Trace, Unrestored,
    Unsaved, Valuations,
};
use search::Pause;
pub(crate) use search::explicit::search::StateSearch;
use search::explicit::{Explicit, Options};
use search::valuations::States;

/// Work units between checks of the stop flag and the memory.
const POLL_EVERY: u64 = 512;
/// Work units between these checks if there are several workers.
const POLL_TOGETHER_EVERY: u64 = 1 << 14;

/// Breadth-first search of a reactive program for error labels. Temporal formulas are left to other engines.
pub(crate) type ReactiveSearch = Explicit<InBreadth>;

/// Returns a search for the error labels among the goals of `task`. Linear in the size of the program.
#[must_use]
pub fn explore(task: &ReactiveTask, options: Options) -> ReactiveSearch {
    let program = task.program();
    let goals = task.errors().to_vec();
    let search = Exploration::new(ReactiveStepper::new(program), options.jobs);
    let poll_every = if options.jobs > 1 { POLL_TOGETHER_EVERY } else { POLL_EVERY };
    let labels = Labels::of(program);
    let search = InBreadth { search, jobs: options.jobs, poll_every, labels, stops: Vec::new(), again: Vec::new() };
    Explicit::with(goals, options.explore_all, search)
}

/// The breadth-first search, with the labels to stop at.
#[derive(Debug)]
pub struct InBreadth {
    search: Exploration,
    jobs: usize,
    poll_every: u64,
    labels: Labels,
    /// The calls that were reported.
    stops: Vec<Stopped>,
    /// Those of a saved search. They are reported again.
    again: Vec<Stopped>,
}

impl StateSearch for InBreadth {
    const NAME: &'static str = "explicit";
    type Place = Stopped;

    fn advance(&mut self, means: u64, open: &[Goal], stop: &Stop) -> Pause<(Goal, Stopped)> {
        if !stop.may_allocate(self.search.growth_bytes()) {
            return Pause::Stuck(Reason::Memory);
        }
        while let Some(stopped) = self.again.pop() {
            let goal = Goal::Error(stopped.error);
            if open.contains(&goal) {
                return Pause::Hit((goal, stopped));
            }
        }
        let wanted = self.labels.wanted(open);
        self.search.allow(stop.threads(usize::MAX));
        match self.search.advance(self.poll_every.min(means), |error| wanted[error.index()]) {
            Pause::Hit(stopped) if self.labels.tell(stopped.error) => {
                self.stops.push(stopped);
                Pause::Hit((Goal::Error(stopped.error), stopped))
            }
            Pause::Hit(_) | Pause::Dear | Pause::Turn => Pause::Turn,
            Pause::Exhausted => Pause::Exhausted,
            Pause::Stuck(reason) => Pause::Stuck(reason),
        }
    }

    fn work(&self) -> u64 {
        self.search.work()
    }

    fn save(&self, since: u64, to: &mut dyn Save) -> Result<Option<u64>, Unsaved> {
        self.search.save(since, HEAD, self.told().bytes(), to).map(Some)
    }

    fn restore(&mut self, open: &[Goal], from: &mut dyn Saved, stop: &Stop) -> Result<Option<u64>, Unrestored> {
        let mut head = Vec::new();
        if !from.next(&mut head)? {
            return Ok(None);
        }
        if head != HEAD {
            return Err(Unrestored::damaged("the records are those of another search"));
        }
        let stepper = ReactiveStepper::new(self.search.stepper().program());
        let (search, told) = Exploration::restored(stepper, self.jobs, from, stop)?;
        self.tell_again(&told, open, search.states().len())?;
        self.search = search;
        Ok(Some(self.search.states().len() as u64))
    }

    fn stats(&self) -> Stats {
        let (states, transitions) = (self.search.states().len() as u64, self.search.transitions());
        Stats { states, transitions, ..Stats::default() }
    }

    fn run_to(&mut self, stopped: &Stopped, _: &Stop) -> Result<Trace, Reason> {
        let inputs = self.search.inputs_to(stopped.from).ok_or(Reason::GaveUp)?;
        Ok(trace(inputs.into_iter().chain([stopped.input])))
    }

    fn finds_shortest(&self) -> bool {
        true
    }

    fn into_evidence(self) -> Result<Certificate, Reason> {
        self.labels.allow_proofs()?;
        let (stepper, states) = self.search.into_parts();
        Ok(certificate(&stepper, states))
    }
}

/// The first record of a saved search.
const HEAD: &[u8] = b"explicit reactive";

impl InBreadth {
    /// Returns a record of the labels that were met.
    fn told(&self) -> Record {
        let mut record = Record::new(b'T');
        record.small(self.labels.is_undefined.into());
        record.small(self.stops.len() as u64);
        for Stopped { error, from, input } in &self.stops {
            [error.0, *from, input.0].into_iter().for_each(|number| record.small(number.into()));
        }
        record
    }

    /// Reads the record of [`InBreadth::told`] of a search with `states` states. Labels that are goals are going to be
    /// reported again, with the same runs.
    fn tell_again(&mut self, record: &[u8], open: &[Goal], states: usize) -> Result<(), Unrestored> {
        let wrong = || Unrestored::damaged("a label is none of the program");
        let (_, mut parts) = Parts::of(record)?;
        self.labels.is_undefined = parts.flag()?;
        let (errors, inputs) = (self.labels.wanted.len(), self.search.stepper().program().inputs().len());
        for _ in 0..parts.index()? {
            let [error, from, input] = [parts.index()?, parts.index()?, parts.index()?];
            let from = u32::try_from(from).map_err(|_| wrong())?;
            let stopped = Stopped { error: ErrorId::new(error), from, input: InputId::new(input) };
            if error >= errors
                || from as usize >= states
                || input >= inputs
                || self.labels.told.contains(&stopped.error)
            {
                return Err(wrong());
            }
            self.labels.told.push(stopped.error);
            self.stops.push(stopped);
        }
        let is_open = |stopped: &&Stopped| open.contains(&Goal::Error(stopped.error));
        self.again = self.stops.iter().rev().filter(is_open).copied().collect();
        parts.end()
    }
}

/// The labels at which a search stops: each goal once, and the label of calls with undefined behaviour. If that
/// label is reachable, nothing is proved.
#[derive(Clone, Debug)]
struct Labels {
    undefined: Option<ErrorId>,
    is_undefined: bool,
    /// Labels for which a run was reported. If the run was refused, another one would be refused, too.
    told: Vec<ErrorId>,
    wanted: Vec<bool>,
}

impl Labels {
    fn of(program: &Reactive) -> Self {
        let wanted = vec![false; program.errors().len()];
        Self { undefined: program.undefined(), is_undefined: false, told: Vec::new(), wanted }
    }

    /// Returns for each label whether the search stops at it. Linear in the number of labels.
    fn wanted(&mut self, open: &[Goal]) -> &[bool] {
        self.wanted.fill(false);
        for goal in open {
            if let Goal::Error(error) = goal {
                self.wanted[error.index()] = true;
            }
        }
        self.told.iter().for_each(|error| self.wanted[error.index()] = false);
        if let Some(undefined) = self.undefined {
            self.wanted[undefined.index()] = !self.is_undefined;
        }
        &self.wanted
    }

    /// Records that a run to this label was found. Returns true if the run has to be reported.
    fn tell(&mut self, error: ErrorId) -> bool {
        if self.undefined == Some(error) {
            self.is_undefined = true;
            return false;
        }
        debug_assert!(!self.told.contains(&error), "a label is told once");
        self.told.push(error);
        true
    }

    fn allow_proofs(&self) -> Result<(), Reason> {
        if self.is_undefined { Err(Reason::Undefined) } else { Ok(()) }
    }
}

/// Returns the run of a list of inputs.
fn trace(inputs: impl IntoIterator<Item = InputId>) -> Trace {
    let mut trace = Trace::new(Box::default());
    inputs.into_iter().for_each(|input| trace.push(EventId(input.0), None));
    trace
}

/// Returns the certificate made of all states.
fn certificate(stepper: &ReactiveStepper, states: States) -> Certificate {
    let slots = stepper.slots().iter().map(|&var| (var, Holds::Exactly)).collect();
    Certificate::Valuations(Box::new(Valuations { slots, rows: Box::new(states) }))
}
