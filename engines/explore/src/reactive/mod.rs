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
#[cfg(test)]
mod tests;
mod wide;

pub use strategy::{ReactiveRandomised, ReactiveStrategy};

use crate::search::Search;
use crate::{Explicit, Options};
use model::ids::{ErrorId, EventId};
use model::{Certificate, Goal, Holds, InputId, Reactive, ReactiveTask, Reason, Stats, Stop, Trace, Valuations};
use store::ReactiveStepper;
use store::reactive::{Exploration, States, Stopped};
use store::search::Pause;

/// Work units between checks of the stop flag and the memory.
const POLL_EVERY: u64 = 512;
/// Work units between these checks if there are several workers.
const POLL_TOGETHER_EVERY: u64 = 1 << 14;

/// Breadth-first search of a reactive program for error labels. Temporal formulas are left to other engines.
pub type ReactiveSearch = Explicit<InBreadth>;

impl ReactiveSearch {
    /// Returns a search for the error labels among the goals of `task`. Linear in the size of the program.
    #[must_use]
    pub fn new(task: &ReactiveTask, options: Options) -> Self {
        let program = task.program();
        let goals = task.errors().to_vec();
        let search = Exploration::new(ReactiveStepper::new(program), options.jobs);
        let poll_every = if options.jobs > 1 { POLL_TOGETHER_EVERY } else { POLL_EVERY };
        Self::with(goals, options.explore_all, InBreadth { search, poll_every, labels: Labels::of(program) })
    }
}

/// The breadth-first search, with the labels to stop at.
#[derive(Debug)]
pub struct InBreadth {
    search: Exploration,
    poll_every: u64,
    labels: Labels,
}

impl Search for InBreadth {
    const NAME: &'static str = "explicit";
    type Place = Stopped;

    fn advance(&mut self, means: u64, open: &[Goal], stop: &Stop) -> Pause<(Goal, Stopped)> {
        if !stop.may_allocate(self.search.growth_bytes()) {
            return Pause::Stuck(Reason::Memory);
        }
        let wanted = self.labels.wanted(open);
        self.search.allow(stop.threads(usize::MAX));
        match self.search.advance(self.poll_every.min(means), |error| wanted[error.index()]) {
            Pause::Hit(stopped) if self.labels.tell(stopped.error) => Pause::Hit((Goal::Error(stopped.error), stopped)),
            Pause::Hit(_) | Pause::Dear | Pause::Turn => Pause::Turn,
            Pause::Exhausted => Pause::Exhausted,
            Pause::Stuck(reason) => Pause::Stuck(reason),
        }
    }

    fn work(&self) -> u64 {
        self.search.work()
    }

    fn stats(&self) -> Stats {
        let (states, transitions) = (self.search.states().len() as u64, self.search.transitions());
        Stats { states, transitions, ..Stats::default() }
    }

    fn run_to(&mut self, stopped: &Stopped, _: &Stop) -> Result<Trace, Reason> {
        Ok(trace(self.search.inputs_to(stopped.from).into_iter().chain([stopped.input])))
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
