//! Explicit search of nets: breadth first over all markings, all goals in one pass.
//!
//! A net whose initial markings are infinitely many (any number of processes), or too many to begin with, is searched under
//! bounds that double, each time anew. That finds shortest runs for the least number of processes first and never proves anything
//! unless a bound cuts nothing off; it goes on until somebody stops it.

mod search;
mod stubborn;
#[cfg(test)]
mod tests;

use crate::savings::Savings;
use model::{Bound, Budget, Certificate, Claim, Engine, Goal, Markings, NetTask, Reason, Stats, Turn};
use num_bigint::BigUint;
use search::{NetSearch, Pause};
use store::Unsteppable;
pub use stubborn::NetStubborn;

/// More initial markings than this are taken in portions.
const MANY_INITIAL: u64 = 1 << 20;

/// How to search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NetOptions {
    /// Go on through the whole space when every asked goal is settled. (Not where there is no end to it.)
    pub explore_all: bool,
}

/// Breadth-first search of a net.
#[derive(Debug)]
pub struct NetExplore {
    task: NetTask,
    options: NetOptions,
    /// Asked goals without a claim.
    open: Vec<Goal>,
    rounds: Rounds,
    savings: Savings,
    search: Option<NetSearch>,
    is_done: bool,
    complete: bool,
    states: u64,
    transitions: u64,
}

/// Which markings the search takes in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Rounds {
    /// All within the task's bound.
    All,
    /// Those with so many tokens more than the lightest initial one.
    More(u64),
}

impl NetExplore {
    /// A search for the goals of `task`.
    #[must_use]
    pub fn new(task: NetTask, options: NetOptions) -> Self {
        Self {
            open: task.goals.clone(),
            task,
            options,
            rounds: Rounds::All,
            savings: Savings::default(),
            search: None,
            is_done: false,
            complete: false,
            states: 0,
            transitions: 0,
        }
    }

    /// Has the whole space been seen, with nothing cut off or left out? Only then are the counts those of the net.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// Begins the next round; a reason if there is none.
    fn begin(&mut self) -> Result<(), Reason> {
        if self.rounds == Rounds::All {
            match NetSearch::new(self.task.clone(), &self.open, self.may_cover()) {
                Ok(search) if search.initial_count() <= MANY_INITIAL => {
                    self.search = Some(search);
                    return Ok(());
                }
                Err(Unsteppable::Overflow) if self.task.net.open_places().is_empty() => return Err(Reason::Overflow),
                _ if self.open.is_empty() => return Err(Reason::GaveUp),
                _ => self.rounds = Rounds::More(1),
            }
        }
        let task = self.round_task().ok_or(Reason::Overflow)?;
        let search = NetSearch::new(task, &self.open, false).map_err(|why| match why {
            Unsteppable::Overflow => Reason::Overflow,
            // a bound was asked for that does not count these tokens
            Unsteppable::Endless => Reason::Unsupported,
        })?;
        self.search = Some(search);
        Ok(())
    }

    /// The task under this round's bound; `None` if the bound is beyond all numbers.
    fn round_task(&self) -> Option<NetTask> {
        let Rounds::More(more) = self.rounds else { return Some(self.task.clone()) };
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

    /// Is this round within the bound that was asked for, so that there are others?
    fn has_next_round(&self) -> bool {
        let this = self.round_task().and_then(|task| task.bound);
        matches!(self.rounds, Rounds::More(_)) && this != self.task.bound
    }

    /// Markings covered by others are left out only where that loses no goal and no number.
    fn may_cover(&self) -> bool {
        let upward = |goal: &Goal| self.task.formula(*goal).is_some_and(|formula| formula.is_upward_closed());
        let is_count = self.options.explore_all;
        !is_count
            && !self.task.exact
            && self.task.bound.is_none()
            && self.task.net.is_monotone()
            && self.open.iter().all(upward)
    }

    /// Searches until something is worth saying.
    fn advance(&mut self, budget: &mut Budget) -> Pause {
        loop {
            if self.search.is_none()
                && let Err(reason) = self.begin()
            {
                return Pause::Stuck(reason);
            }
            let Some(search) = &mut self.search else { return Pause::Turn };
            let before = search.units();
            let pause = search.advance(self.savings.means(budget), &self.open, budget);
            let spent = search.units() - before;
            (self.states, self.transitions) = (search.len() as u64, search.transitions());
            budget.stop.report_states(self.states);
            let is_next = matches!(pause, Pause::Exhausted) && search.is_cut() && self.has_next_round();
            if is_next && let Rounds::More(more) = &mut self.rounds {
                *more = more.saturating_mul(2);
                self.search = None;
            }
            // a round costs something even if it is empty
            let may_go_on = self.savings.pay(spent.max(u64::from(is_next)), budget);
            if matches!(pause, Pause::Dear) {
                self.savings.keep(budget);
                return Pause::Turn;
            }
            if !may_go_on && (is_next || matches!(pause, Pause::Turn)) {
                return Pause::Turn;
            }
            if !is_next && !matches!(pause, Pause::Turn) {
                return pause;
            }
        }
    }

    fn exhausted(&mut self) -> Turn {
        let Some(search) = self.search.take() else { return Turn::Done };
        if search.is_overflown() {
            return self.give_up(Reason::Overflow);
        }
        if search.is_cut() {
            return self.give_up(Reason::Bound);
        }
        self.is_done = true;
        self.complete = !search.is_covered();
        if self.open.is_empty() {
            return Turn::Done;
        }
        let markings = Markings {
            slots: self.task.slots.clone(),
            markable: vec![true; self.task.net.places().len()],
            states: search.into_states(),
        };
        let goals = std::mem::take(&mut self.open);
        Turn::Claims(Claim::Safe { goals, certificate: Certificate::Markings(markings) })
    }

    fn give_up(&mut self, reason: Reason) -> Turn {
        self.search = None;
        self.is_done = true;
        if self.open.is_empty() {
            return Turn::Done;
        }
        Turn::Claims(Claim::Unknown { goals: std::mem::take(&mut self.open), reason })
    }

    fn hit(&mut self, goal: Goal, id: store::StateId, budget: &Budget) -> Turn {
        let Some(trace) = self.search.as_mut().and_then(|search| search.trace_to(id, budget)) else {
            return self.give_up(Reason::Memory);
        };
        self.open.retain(|g| *g != goal);
        Turn::Claims(Claim::Unsafe { goal, trace, candidate: false })
    }
}

impl Engine for NetExplore {
    fn name(&self) -> &'static str {
        "explicit"
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        let is_count = self.options.explore_all && self.rounds == Rounds::All;
        if self.is_done || (self.open.is_empty() && !is_count) {
            self.search = None;
            self.is_done = true;
            return Turn::Done;
        }
        match self.advance(budget) {
            Pause::Hit(goal, id) => self.hit(goal, id, budget),
            Pause::Exhausted => self.exhausted(),
            Pause::Stuck(reason) => self.give_up(reason),
            Pause::Dear | Pause::Turn => Turn::More,
        }
    }

    fn refused(&mut self, _goal: Goal) {
        // Never called: claims of this engine are no candidates.
    }

    fn claims_shortest(&self, _goal: Goal) -> bool {
        self.rounds == Rounds::All && self.task.bound.is_none()
    }

    fn stats(&self) -> Stats {
        Stats { states: self.states, transitions: self.transitions, ..Stats::default() }
    }
}
