//! Searches in orders other than breadth first, and the engine code that they share.
//!
//! A [`Technique`] determines which state is visited next. Runs are claimed as soon as they are found, and not
//! shortened. If memory is used up, the technique starts over with an empty table. Then the technique can still
//! find errors. It can claim that labels are unreachable only if it exhausts the space later.

use super::dfs::Dfs;
use super::expand::Expander;
use super::jumpstart::Jumpstart;
use super::restart::Restart;
use super::technique::Technique;
use super::{Labels, POLL_EVERY, certificate, trace};
use crate::ReactiveStepper;
use model::{Certificate, Goal, InputId, Reactive, ReactiveTask, Reason, Stats, Stop, Trace};
use search::Pause;
use search::explicit::Explicit;
pub(super) use search::explicit::search::StateSearch;
use std::fmt::Debug;
use std::sync::Arc;

/// Search orders other than breadth first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ReactiveStrategy {
    /// Depth first.
    Dfs,
    /// Repeated depth-first searches with limits.
    Restart,
    /// Like [`ReactiveStrategy::Restart`], with breadth-first searches from near the errors found.
    Jumpstart,
}

impl ReactiveStrategy {
    fn name(self) -> &'static str {
        match self {
            ReactiveStrategy::Dfs => "explicit.dfs",
            ReactiveStrategy::Restart => "explicit.restart",
            ReactiveStrategy::Jumpstart => "explicit.jumpstart",
        }
    }

    fn technique(self, expander: &Expander, seed: u64) -> Box<dyn Technique> {
        match self {
            ReactiveStrategy::Dfs => Box::new(Dfs::new(expander, seed)),
            ReactiveStrategy::Restart => Box::new(Restart::new(expander, seed)),
            ReactiveStrategy::Jumpstart => Box::new(Jumpstart::new(expander, seed)),
        }
    }
}

/// A search of a reactive program for error labels, in an order that a seed determines. The same seed leads to
/// the same claimed runs.
pub(super) type ReactiveRandomised = Explicit<Randomised>;

/// Returns a search for the error labels among the goals of `task`. Linear in the size of the program.
#[must_use]
pub fn explore_randomised(
    task: &ReactiveTask,
    strategy: ReactiveStrategy,
    seed: u64,
    explore_all: bool,
) -> ReactiveRandomised {
    let program = task.program();
    let goals = task.errors().to_vec();
    Explicit::with(goals, explore_all, Randomised::new(program, strategy, seed))
}

/// A search by a technique, with the labels to stop at.
#[derive(Debug)]
pub struct Randomised {
    strategy: ReactiveStrategy,
    expander: Expander,
    technique: Box<dyn Technique>,
    labels: Labels,
    /// The largest number of states stored at once so far.
    states: u64,
    restarts: u64,
}

impl Randomised {
    fn new(program: &Arc<Reactive>, strategy: ReactiveStrategy, seed: u64) -> Self {
        let expander = Expander::new(ReactiveStepper::new(program));
        let technique = strategy.technique(&expander, seed);
        Self { strategy, expander, technique, labels: Labels::of(program), states: 0, restarts: 0 }
    }

    /// Returns true if there is memory to continue. If there is not enough, the technique is started over
    /// first.
    fn makes_room(&mut self, stop: &Stop) -> bool {
        if stop.has_room(self.technique.growth_bytes()) {
            return true;
        }
        self.technique.start_over(&self.expander);
        self.restarts += 1;
        stop.has_room(self.technique.growth_bytes())
    }
}

impl StateSearch for Randomised {
    const NAME: &'static str = "explicit.dfs";
    /// The inputs of the run.
    type Place = Vec<InputId>;

    fn name(&self) -> &'static str {
        self.strategy.name()
    }

    fn advance(&mut self, means: u64, open: &[Goal], stop: &Stop) -> Pause<(Goal, Vec<InputId>)> {
        if !self.makes_room(stop) {
            return Pause::Stuck(Reason::Memory);
        }
        let Self { expander, technique, labels, .. } = self;
        let wanted = labels.wanted(open);
        let pause = technique.advance(expander, POLL_EVERY.min(means), &|error| wanted[error.index()]);
        self.states = self.states.max(technique.states().len() as u64);
        match pause {
            Pause::Hit((error, inputs)) if labels.tell(error) => Pause::Hit((Goal::Error(error), inputs)),
            Pause::Stuck(_) => {
                technique.start_over(expander);
                Pause::Turn
            }
            Pause::Exhausted => Pause::Exhausted,
            Pause::Hit(_) | Pause::Dear | Pause::Turn => Pause::Turn,
        }
    }

    fn work(&self) -> u64 {
        self.expander.work()
    }

    fn stats(&self) -> Stats {
        let mut stats = Stats { states: self.states, transitions: self.expander.transitions(), ..Stats::default() };
        if self.restarts > 0 {
            stats.more.insert("restarts", self.restarts);
        }
        stats
    }

    fn run_to(&mut self, inputs: &Vec<InputId>, _: &Stop) -> Result<Trace, Reason> {
        Ok(trace(inputs.iter().copied()))
    }

    fn finds_shortest(&self) -> bool {
        false
    }

    fn into_evidence(self) -> Result<Certificate, Reason> {
        self.labels.allow_proofs()?;
        Ok(certificate(&self.expander.into_stepper(), self.technique.into_states()))
    }
}
