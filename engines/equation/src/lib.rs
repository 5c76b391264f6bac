//! The state equation with cases: goals of any form that linear facts about all runs exclude.
//!
//! A goal's formula is a set of propositional cases, each a list of inequalities; the state equation says whether
//! they have a solution at all, and if so, traps, pairs and splits on single places try to do without that one
//! ([`search`]). After J. Esparza et al., An SMT-based approach to coverability analysis, CAV 2014, which does so for
//! covering, and H. Wimmel, K. Wolf, Applying CEGAR to the Petri net state equation, 2011. What is found is evidence
//! that any reader can check with additions and comparisons; violations it finds none.

mod by_facts;
mod known;
mod proof;
mod search;

pub use by_facts::ByFacts;

use analysis::facts::Facts;
use known::Known;
use model::{Budget, Certificate, Claim, Engine, Exclusion, Formula, Goal, Invariant, NetTask, Stats, Turn};
use search::{Search, Step};
use std::collections::VecDeque;
use std::sync::Arc;

/// Work on a goal before the next one has its turn, to begin with; doubled each time.
const FIRST: u64 = 1 << 17;

/// Work on a goal in all, about half a minute's: who is not refuted by then hardly ever is.
const MOST: u64 = 1 << 25;

/// Tries to exclude the goals of a task.
pub struct Equation {
    task: NetTask,
    facts: Arc<Facts>,
    known: Option<Known>,
    /// Goals still open; those not begun have no search yet.
    open: VecDeque<Open>,
    excluded: u64,
    given_up: u64,
    stats: search::Counts,
}

struct Open {
    goal: Goal,
    search: Option<Box<Search>>,
    /// Work that is left in this turn of the goal, and what its turns have come to.
    allowance: u64,
    turn: u64,
}

impl Equation {
    /// `facts` are about the net of `task`.
    #[must_use]
    pub fn new(task: NetTask, facts: Arc<Facts>) -> Self {
        let open = |goal: &Goal| Open { goal: *goal, search: None, allowance: FIRST, turn: FIRST };
        let open = task.goals.iter().map(open).collect();
        Self { task, facts, known: None, open, excluded: 0, given_up: 0, stats: search::Counts::default() }
    }

    fn formula(&self, goal: Goal) -> Arc<Formula> {
        let deadlock = || Arc::new(model::deadlock::deadlock_of(self.task.net.transitions()));
        self.task.formula(goal).map_or_else(deadlock, Arc::clone)
    }
}

impl Engine for Equation {
    fn name(&self) -> &'static str {
        "equation"
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        let facts = Arc::clone(&self.facts);
        if self.known.is_none() {
            self.known = Some(Known::new(&facts, budget));
        }
        while let Some(mut open) = self.open.pop_front() {
            if !budget.spend(1) {
                self.open.push_front(open);
                return Turn::More;
            }
            let search = match &mut open.search {
                Some(search) => search,
                none => match Search::new(self.formula(open.goal), &self.facts) {
                    Some(search) => none.insert(Box::new(search)),
                    None => {
                        self.given_up += 1;
                        continue;
                    }
                },
            };
            let Some(known) = &mut self.known else { return Turn::Done };
            let before = budget.work;
            let mut own = Budget::new(open.allowance.min(budget.work), Arc::clone(&budget.stop));
            let most = own.work;
            let step = search.run(&self.facts, known, &mut own);
            let spent = own.spent_of(most);
            let may_go_on = budget.spend(spent.max(1));
            debug_assert!(budget.work <= before);
            open.allowance = open.allowance.saturating_sub(spent);
            match step {
                Step::Excluded(cases) => {
                    self.excluded += 1;
                    self.stats.add(search.counts());
                    let (facts, cases) = known.certificate(facts.markable(), cases);
                    let invariant = Invariant { facts, exclusions: vec![(open.goal, Exclusion::Cases(cases))] };
                    let certificate = Certificate::Invariant(Box::new(invariant));
                    return Turn::Claims(Claim::Safe { goals: vec![open.goal], certificate });
                }
                Step::GaveUp => {
                    self.stats.add(search.counts());
                    self.given_up += 1;
                }
                Step::More if open.allowance == 0 && open.turn >= MOST => {
                    self.stats.add(search.counts());
                    self.given_up += 1;
                }
                Step::More if open.allowance == 0 => {
                    open.turn *= 2;
                    open.allowance = open.turn;
                    self.open.push_back(open);
                }
                Step::More => self.open.push_front(open),
            }
            if !may_go_on {
                return Turn::More;
            }
        }
        Turn::Done
    }

    fn refused(&mut self, _goal: Goal) {
        // Never called: these claims are no candidates.
    }

    fn settled(&mut self, goals: &[Goal]) {
        self.open.retain(|open| goals.binary_search(&open.goal).is_err());
    }

    fn stats(&self) -> Stats {
        let mut stats = Stats::default();
        stats.more.insert("excluded", self.excluded);
        stats.more.insert("given_up", self.given_up);
        stats.more.insert("cases", self.stats.cases);
        stats.more.insert("splits", self.stats.splits);
        stats.more.insert("traps", self.known.as_ref().map_or(0, Known::traps));
        stats
    }
}

#[cfg(test)]
mod tests;
