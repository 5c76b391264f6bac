//! Explicit search of nets: breadth first over all markings, with all goals in one pass.
//!
//! If a net has infinitely many initial markings (for arbitrarily many processes), or too many, it is searched
//! in rounds under bounds that double. Each round starts anew. So violations with few processes are found first.
//! Safety is proved only if a bound cuts nothing off. Otherwise the search continues until it is stopped.
//!
//! ```
//! use impasse_nets::explore;
//! use search::explicit::Options;
//! use model::{Budget, Claim, Engine, Goal, Net, Range, Turn};
//! use testkit::net::{arcs, place, task};
//!
//! // A philosopher takes the fork on the left, then the fork on the right, eats, and returns both. Places 0 to 4
//! // are the forks. Places 5 to 9 are philosophers with one fork.
//! let places = (0..10).map(|p| place(format!("p{p}"), Range::exactly(u8::from(p < 5)))).collect();
//! let transitions = (0..5).flat_map(|i| {
//!     let (one_fork, right) = (5 + i, (i + 1) % 5);
//!     let take = arcs(format!("take{i}"), &[(i, 1)], &[(one_fork, 1)]);
//!     [take, arcs(format!("eat{i}"), &[(one_fork, 1), (right, 1)], &[(i, 1), (right, 1)])]
//! });
//! let task = task(Net::new(places, transitions.collect()).unwrap(), Vec::new(), true);
//!
//! let mut engine = explore(task, Options { explore_all: true, ..Options::default() });
//! let mut budget = Budget::unlimited(Default::default());
//! let turn = engine.run(&mut budget);
//! let Turn::Claims(Claim::Unsafe { goal: Goal::Deadlock, trace, .. }) = turn else { panic!("{turn:?}") };
//! assert_eq!(trace.len(), Some(5), "each philosopher takes a fork");
//! while !matches!(engine.run(&mut budget), Turn::Done) {}
//! assert!(engine.is_complete());
//! assert_eq!(engine.stats().states, 32);
//! ```

mod branching;
mod chained;
mod counts;
mod graph;
mod instances;
mod labels;
mod local;
mod order;
mod saved;
mod siphons;
mod stubborn;
mod system;
mod temporal;
#[cfg(test)]
mod tests;

use crate::Unsteppable;
pub use branching::{Constants, net_branching};
pub use counts::counts;
pub use instances::MOST as MOST_STARTING;
use model::{Bound, Certificate, Engine, Goal, NetTask, Reason, Save, Saved, Stats, Stop, Trace, Unrestored, Unsaved};
use num_bigint::BigUint;
use search::disk::{Large, Place};
use search::explicit::search::{StateSearch, by_breadth};
use search::explicit::{Explicit, Options};
use search::{Bitstate, Pause, Stepper};
use std::sync::Arc;
pub use stubborn::explore_stubborn;
use system::{NetSystem, Whole, may_cover};
pub use temporal::net_temporal;

/// With more initial markings than this, the net is searched in rounds.
const MANY_INITIAL: u64 = 1 << 20;

/// Breadth-first search of a net.
pub(crate) type NetExplore = Explicit<Rounds>;

/// Returns a search for the goals of `task`.
#[must_use]
pub fn explore(task: NetTask, options: Options) -> NetExplore {
    let goals = task.goals.clone();
    Explicit::with(goals, options.explore_all, Rounds::new(task, options))
}

/// Returns a search for the goals of `task` that has `bytes` bytes for bits of markings. It finds runs, and never
/// claims that there are none. Nets with infinitely many initial markings are not supported.
#[must_use]
pub fn lossy_net(task: NetTask, bytes: usize) -> Box<dyn Engine> {
    let goals = task.goals.clone();
    let search = match NetSystem::new(Arc::new(task), &goals, false, Whole) {
        Ok(system) if system.initial_count() <= MANY_INITIAL => Ok(Bitstate::new(system, bytes)),
        Err(Unsteppable::Overflow) => Err(Reason::Overflow),
        _ => Err(Reason::Unsupported),
    };
    Box::new(Explicit::of(goals, false, search))
}

type OneRound = Large<NetSystem<Whole>>;

/// A sequence of searches. There is only one, unless a growing bound is needed.
#[derive(Debug)]
pub struct Rounds {
    task: NetTask,
    options: Options,
    round: Round,
    search: Option<OneRound>,
    /// Work of earlier rounds.
    past: u64,
}

/// The markings that a round visits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Round {
    /// All markings within the task's bound.
    All,
    /// Markings with at most this many tokens more than the initial marking with the fewest tokens.
    More(u64),
}

impl Rounds {
    fn new(task: NetTask, options: Options) -> Self {
        Self { task, options, round: Round::All, search: None, past: 0 }
    }

    /// Begins the next round. Returns a reason if that is impossible.
    fn begin(&mut self, open: &[Goal]) -> Result<(), Reason> {
        if self.round == Round::All {
            // Only memory holds which markings are covered.
            let covers = !self.options.explore_all && self.options.disk.is_none() && may_cover(&self.task, open);
            match NetSystem::new(Arc::new(self.task.clone()), open, covers, Whole) {
                Ok(system) if system.initial_count() <= MANY_INITIAL => {
                    self.search = Some(by_breadth(system, &self.options));
                    return Ok(());
                }
                Err(Unsteppable::Overflow) if self.task.net.open_places().is_empty() => return Err(Reason::Overflow),
                _ if open.is_empty() => return Err(Reason::GaveUp),
                _ => self.round = Round::More(1),
            }
        }
        self.search = Some(self.of_round(open, false)?);
        Ok(())
    }

    /// Returns a new search within this round's bound.
    fn of_round(&self, open: &[Goal], covers: bool) -> Result<OneRound, Reason> {
        let task = self.round_task().ok_or(Reason::Overflow)?;
        let system = NetSystem::new(Arc::new(task), open, covers, Whole).map_err(|why| match why {
            Unsteppable::Overflow => Reason::Overflow,
            // The task's bound does not count the unbounded places.
            Unsteppable::Endless => Reason::Unsupported,
        })?;
        Ok(by_breadth(system, &self.options))
    }

    /// Returns the task under this round's bound, or `None` if the bound does not fit 64 bits.
    fn round_task(&self) -> Option<NetTask> {
        let Round::More(more) = self.round else { return Some(self.task.clone()) };
        let counted = match &self.task.bound {
            Some(bound) => bound.counted.clone(),
            None => vec![true; self.task.net.places().len()],
        };
        let places = self.task.net.places().iter().zip(&counted).filter(|(_, counted)| **counted);
        let least: BigUint = places.map(|(place, _)| &place.initial.at_least).sum();
        let most = u64::try_from(least).ok()?.checked_add(more)?;
        let most = self.task.bound.as_ref().map_or(most, |bound| most.min(bound.most));
        Some(NetTask { bound: Some(Bound { most, counted }), ..self.task.clone() })
    }

    /// Returns true if this round's bound is not yet that of the task, so that another round may follow.
    fn has_next_round(&self) -> bool {
        let this = self.round_task().and_then(|task| task.bound);
        matches!(self.round, Round::More(_)) && this != self.task.bound
    }
}

impl StateSearch for Rounds {
    const NAME: &'static str = "explicit";
    type Place = Place;

    fn advance(&mut self, means: u64, open: &[Goal], stop: &Stop) -> Pause<(Goal, Place)> {
        if self.search.is_none()
            && let Err(reason) = self.begin(open)
        {
            return Pause::Stuck(reason);
        }
        let Some(search) = &mut self.search else { return Pause::Turn };
        let pause = search.advance(means, open, stop);
        let is_next = matches!(pause, Pause::Exhausted) && search.is_cut() && self.has_next_round();
        if is_next && let Round::More(more) = &mut self.round {
            *more = more.saturating_mul(2);
            // A round costs something even if it is empty.
            self.past += 1 + self.search.take().map_or(0, |search| search.work());
            return Pause::Turn;
        }
        pause
    }

    fn work(&self) -> u64 {
        self.past + self.search.as_ref().map_or(0, Large::work)
    }

    fn stats(&self) -> Stats {
        self.search.as_ref().map(StateSearch::stats).unwrap_or_default()
    }

    fn save(&self, since: u64, to: &mut dyn Save) -> Result<Option<u64>, Unsaved> {
        saved::save(self, since, to)
    }

    fn restore(&mut self, open: &[Goal], from: &mut dyn Saved, stop: &Stop) -> Result<Option<u64>, Unrestored> {
        saved::restore(self, open, from, stop)
    }

    fn run_to(&mut self, place: &Place, stop: &Stop) -> Result<Trace, Reason> {
        let search = self.search.as_mut().ok_or(Reason::GaveUp)?;
        StateSearch::run_to(search, place, stop)
    }

    fn has_end(&self) -> bool {
        self.round == Round::All
    }

    fn is_whole(&self) -> bool {
        self.search.as_ref().is_some_and(StateSearch::is_whole)
    }

    fn finds_shortest(&self) -> bool {
        self.round == Round::All && self.task.bound.is_none()
    }

    fn into_evidence(self) -> Result<Certificate, Reason> {
        self.search.map_or(Err(Reason::GaveUp), StateSearch::into_evidence)
    }
}
