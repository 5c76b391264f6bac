//! Best-first search: expands the marking that lacks least of the goal.
//!
//! A formula lacks the differences of its inequalities to the values that they require: a conjunction lacks the sum of
//! its children, a disjunction the minimum ([`Goals::lack`]). For a deadlock, what a marking lacks is its number of
//! enabled transitions. Explicit model checkers of nets order their searches like this (Jensen, Larsen, Srba 2017).
//! Among markings that lack the same, the last one found comes first, so that the search goes forward on plateaus.
//!
//! There is one search for each goal, because an order that serves several goals serves none of them. A search ends
//! after a limited number of markings: what this order is good at, it finds within few markings, and the rest is left
//! to other engines. Searches of all goals with a small limit precede those with the next one, which begin again, so
//! that only one search takes memory at any time.
//!
//! The runs are shortened before they are claimed. The engine never claims `safe`: markings are compared by a hash, and
//! markings with more tokens on a place than machine words hold are left out.

mod search;
mod seen;
#[cfg(test)]
mod tests;

use crate::reduce::shorten::{FiringRun, Shortener};
use crate::rules::Rules;
use crate::walk::goals::Goals;
use crate::walk::state::WalkState;
use model::{Budget, Claim, Engine, EventId, Goal, NetTask, Stats, Trace, Turn};
use search::{BestFirstSearch, Progress};
use seen::Hashes;

/// The largest numbers of markings of the searches for one goal, ascending.
pub type Limits = &'static [usize];

/// This many updates of guards cost about as much as a work unit.
const UPDATES_PER_UNIT: u64 = 64;
/// Limit on the firings spent on shortening a run.
const SHORTENING: u64 = 200_000;

/// The engine of best-first searches on a net.
pub struct BestFirst {
    /// `None` if numbers of the net are too large, or when all searches have ended.
    work: Option<Box<Work>>,
    stats: Stats,
}

/// The data of the searches.
struct Work {
    task: NetTask,
    net: Rules,
    hashes: Hashes,
    state: WalkState,
    /// The only goal of the current search, kept up to date with the state.
    goals: Goals,
    /// Goals that are neither found nor settled.
    open: Vec<Goal>,
    /// Goals that wait for a search with the current limit, the next one last.
    waiting: Vec<Goal>,
    /// Goals that wait for a search with the next limit.
    limited: Vec<Goal>,
    limits: Limits,
    /// Index of the current limit.
    round: usize,
    current: Option<(Goal, BestFirstSearch)>,
}

impl BestFirst {
    /// Makes the engine for the goals of `task`.
    #[must_use]
    pub fn new(task: NetTask, limits: Limits) -> Self {
        let work = Rules::new(&task.net).map(|net| Box::new(Work::new(task, net, limits)));
        Self { work, stats: Stats::default() }
    }
}

impl Engine for BestFirst {
    fn name(&self) -> &'static str {
        "best-first"
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        let Some(work) = &mut self.work else { return Turn::Done };
        let turn = work.run(budget, &mut self.stats);
        if matches!(turn, Turn::Done) {
            self.work = None;
        }
        turn
    }

    fn refused(&mut self, _goal: Goal) {
        // Never called, because this engine makes no claim with `candidate: true`.
    }

    fn settled(&mut self, goals: &[Goal]) {
        if let Some(work) = &mut self.work {
            work.open.retain(|goal| goals.binary_search(goal).is_err());
        }
    }

    fn stats(&self) -> Stats {
        self.stats.clone()
    }
}

impl Work {
    fn new(task: NetTask, net: Rules, limits: Limits) -> Self {
        let open = task.goals.clone();
        let waiting: Vec<Goal> = open.iter().rev().copied().collect();
        let goals = Goals::of(&task, &[]);
        let (state, hashes) = (WalkState::new(&net), Hashes::new(&net));
        Self { task, net, hashes, state, goals, open, waiting, limited: Vec::new(), limits, round: 0, current: None }
    }

    fn run(&mut self, budget: &mut Budget, stats: &mut Stats) -> Turn {
        while self.begin(budget) {
            let Some((goal, search)) = &mut self.current else { break };
            let goal = *goal;
            let effort = self.state.effort;
            let mut on =
                search::On { net: &self.net, hashes: &self.hashes, state: &mut self.state, goals: &mut self.goals };
            let (progress, firings) = search.expand(&mut on);
            stats.transitions += firings;
            stats.states += 1;
            let is_affordable = budget.spend(1 + (self.state.effort - effort) / UPDATES_PER_UNIT);
            match progress {
                Progress::More if !self.open.contains(&goal) => self.current = None,
                Progress::More => {}
                Progress::Found(found) => {
                    self.current = None;
                    return Turn::Claims(self.claim(goal, found, budget));
                }
                Progress::Over => self.current = None,
                Progress::Limit => {
                    self.current = None;
                    self.limited.push(goal);
                }
            }
            if !is_affordable {
                return Turn::More;
            }
        }
        Turn::Done
    }

    /// Begins the next search if there is no current one. Returns false if no search is left.
    fn begin(&mut self, budget: &mut Budget) -> bool {
        while self.current.is_none() {
            let Some(goal) = self.waiting.pop() else {
                self.round += 1;
                self.waiting = std::mem::take(&mut self.limited);
                self.waiting.reverse();
                if self.round >= self.limits.len() || self.waiting.is_empty() {
                    return false;
                }
                continue;
            };
            if !self.open.contains(&goal) {
                continue;
            }
            self.state.jump(&self.net, &mut self.goals, &mut std::iter::empty());
            let asked = goal != Goal::Deadlock;
            let goals = Goals::of(&self.task, if asked { std::slice::from_ref(&goal) } else { &[] });
            budget.spend((self.net.places() / 64) as u64 + 1);
            let limit = self.limits[self.round];
            if !asked || goals.watched().next().is_some() {
                self.goals = goals;
                self.current = Some((goal, BestFirstSearch::new(&self.net, &self.hashes, limit, asked)));
            }
        }
        true
    }

    fn claim(&mut self, goal: Goal, found: FiringRun, budget: &mut Budget) -> Claim {
        let formula = self.task.formula(goal).map(|f| &**f);
        let mut shortener = Shortener { net: &self.net, goal: formula, work: SHORTENING };
        let short = shortener.shorten(found);
        budget.spend((SHORTENING - shortener.work) / 8);
        self.open.retain(|g| *g != goal);
        let mut trace = Trace::new(short.extra.into_boxed_slice());
        short.steps.into_iter().for_each(|t| trace.push(EventId(t), None));
        Claim::Unsafe { goal, trace, candidate: false }
    }
}
