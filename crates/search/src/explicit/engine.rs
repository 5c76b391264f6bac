//! The engine around every explicit search: it handles goals, claims, turns, and giving up.

use crate::Pause;
use crate::disk::Large;
use crate::explicit::options::Options;
use crate::explicit::savings::Savings;
use crate::explicit::search::{Space, StateSearch, by_breadth};
use model::{Budget, Claim, Engine, Goal, Reason, Save, Saved, Stats, Stop, Turn, Unrestored, Unsaved};

/// An explicit search as an engine.
#[derive(Debug)]
pub struct Explicit<S: StateSearch> {
    name: &'static str,
    /// True if the search continues through the whole space when every goal is settled.
    explore_all: bool,
    /// Goals without a claim.
    open: Vec<Goal>,
    /// Open goals with a run that was found but did not count, because assumptions restrict runs. They can be
    /// claimed unsafe, but not safe.
    met: Vec<Goal>,
    /// `None` after the states were moved to the evidence, or when nothing is left to do.
    search: Option<S>,
    /// The reason why no search was started, or `None` if one was.
    refusal: Option<Reason>,
    complete: bool,
    /// True if the engine is saved at times, also when memory is short.
    is_saved: bool,
    /// True if a checkpoint of the complete search was asked for.
    is_kept: bool,
    savings: Savings,
    stats: Stats,
}

/// Returns a breadth-first search for the goals of a task.
#[must_use]
pub fn breadth_first<S: Space + Clone>(stepper: S, goals: Vec<Goal>, options: &Options) -> Explicit<Large<S>> {
    Explicit::with(goals, options.explore_all, by_breadth(stepper, options))
}

impl<S: StateSearch> Explicit<S> {
    /// Returns an engine that searches for `goals`.
    pub fn with(goals: Vec<Goal>, explore_all: bool, search: S) -> Self {
        Self::of(goals, explore_all, Ok(search))
    }

    /// Like `with`, but `search` may be the reason why the search cannot decide anything.
    pub fn of(goals: Vec<Goal>, explore_all: bool, search: Result<S, Reason>) -> Self {
        let name = search.as_ref().map_or(S::NAME, StateSearch::name);
        let (search, refusal) = match search {
            Ok(search) => (Some(search), None),
            Err(reason) => (None, Some(reason)),
        };
        Self {
            name,
            explore_all,
            open: goals,
            met: Vec::new(),
            search,
            refusal,
            complete: false,
            is_saved: false,
            is_kept: false,
            savings: Savings::default(),
            stats: Stats::default(),
        }
    }

    /// Returns true if the whole space has been visited, and nothing was cut off or left out. Only then are the
    /// counts those of the system.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// Searches until there is a result to report, or the turn ends.
    fn advance(&mut self, budget: &mut Budget) -> Pause<(Goal, S::Place)> {
        let Some(search) = &mut self.search else { return Pause::Turn };
        loop {
            let before = search.work();
            let pause = search.advance(self.savings.means(budget), &self.open, &budget.stop);
            debug_assert!(search.work() >= before, "work is never taken back");
            let spent = search.work() - before;
            self.stats = search.stats();
            budget.stop.report_states(self.stats.states);
            let may_go_on = self.savings.pay(spent, budget) && !budget.stop.is_paused();
            match pause {
                Pause::Turn if may_go_on => {}
                Pause::Dear => {
                    self.savings.keep(budget);
                    return Pause::Turn;
                }
                pause => return pause,
            }
        }
    }

    fn hit(&mut self, goal: Goal, place: &S::Place, budget: &Budget) -> Turn {
        let Some(search) = &mut self.search else { return Turn::Done };
        let trace = match search.run_to(place, &budget.stop) {
            Ok(trace) => trace,
            Err(reason) => return self.give_up(reason),
        };
        self.open.retain(|other| *other != goal);
        Turn::Claims(Claim::Unsafe { goal, trace, candidate: false })
    }

    fn exhausted(&mut self) -> Turn {
        self.complete = self.search.as_ref().is_some_and(StateSearch::is_whole);
        let met = std::mem::take(&mut self.met);
        self.open.retain(|goal| !met.contains(goal));
        if !met.is_empty() {
            // The search found only one run to each state. Other runs may satisfy the assumptions.
            return Turn::Claims(Claim::Unknown { goals: met, reason: Reason::GaveUp });
        }
        let Some(search) = self.search.take() else { return Turn::Done };
        match search.into_evidence() {
            _ if self.open.is_empty() => Turn::Done,
            Ok(certificate) => Turn::Claims(Claim::Safe { goals: std::mem::take(&mut self.open), certificate }),
            Err(reason) => self.give_up(reason),
        }
    }

    fn give_up(&mut self, reason: Reason) -> Turn {
        self.search = None;
        if self.open.is_empty() {
            return Turn::Done;
        }
        Turn::Claims(Claim::Unknown { goals: std::mem::take(&mut self.open), reason })
    }
}

impl<S: StateSearch> Engine for Explicit<S> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        if let Some(reason) = self.refusal.take() {
            return self.give_up(reason);
        }
        let goes_on = |search: &S| !self.open.is_empty() || self.explore_all && search.has_end();
        if !self.search.as_ref().is_some_and(goes_on) {
            self.search = None;
            return Turn::Done;
        }
        match self.advance(budget) {
            Pause::Hit((goal, place)) => self.hit(goal, &place, budget),
            Pause::Exhausted if self.is_saved && !self.is_kept => {
                // To check the evidence may take as long as the search, and afterwards the search is gone.
                self.is_kept = true;
                budget.stop.pause(true);
                Turn::More
            }
            Pause::Exhausted => self.exhausted(),
            // The search is still needed for a checkpoint. The turn ends because the flag is raised.
            Pause::Stuck(Reason::Memory) if self.is_saved && budget.stop.raised().is_some() => Turn::More,
            Pause::Stuck(reason) => self.give_up(reason),
            Pause::Dear | Pause::Turn => Turn::More,
        }
    }

    fn refused(&mut self, goal: Goal) {
        for goals in [&mut self.open, &mut self.met] {
            if !goals.contains(&goal) {
                goals.push(goal);
            }
        }
    }

    fn settled(&mut self, goals: &[Goal]) {
        self.open.retain(|goal| !goals.contains(goal));
        self.met.retain(|goal| !goals.contains(goal));
    }

    fn claims_shortest(&self, goal: Goal) -> bool {
        self.search.as_ref().is_some_and(StateSearch::finds_shortest) && !self.met.contains(&goal)
    }

    fn save(&mut self, since: u64, to: &mut dyn Save) -> Result<Option<u64>, Unsaved> {
        self.search.as_ref().map_or(Ok(None), |search| search.save(since, to))
    }

    /// Runs that were found before are claimed again, so that the checker sees them.
    fn restore(&mut self, from: &mut dyn Saved, stop: &Stop) -> Result<Option<u64>, Unrestored> {
        self.is_saved = true;
        let Some(search) = &mut self.search else { return Ok(None) };
        let mark = search.restore(&self.open, from, stop)?;
        self.stats = search.stats();
        Ok(mark)
    }

    fn stats(&self) -> Stats {
        self.stats.clone()
    }
}
