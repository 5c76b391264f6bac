//! The state equation with cases: excludes goals of any form by linear invariants.
//!
//! ```
//! use impasse_nets::invariants::Invariants;
//! use impasse_nets::equation::Equation;
//! use model::{Budget, Certificate, Claim, Engine, Formula, Net, PlaceId, Range, Turn};
//! use std::sync::Arc;
//! use testkit::net::{arcs, place, task};
//!
//! // A reader takes one of a thousand permits, and a writer takes all. Can both work at the same time?
//! let initial = [("permits", 1_000u32), ("readers", 0), ("writers", 0)];
//! let places = initial.map(|(name, tokens)| place(name, Range::exactly(tokens))).to_vec();
//! let read = [arcs("read", &[(0, 1)], &[(1, 1)]), arcs("end reading", &[(1, 1)], &[(0, 1)])];
//! let write = [arcs("write", &[(0, 1_000)], &[(2, 1)]), arcs("end writing", &[(2, 1)], &[(0, 1_000)])];
//! let both = Formula::cover(&[(PlaceId(1), 1u8.into()), (PlaceId(2), 1u8.into())]);
//! let task = task(Net::new(places, [read, write].concat()).unwrap(), vec![both], false);
//! let invariants = Arc::new(Invariants::new(&task).expect("the numbers are small"));
//!
//! let turn = Equation::new(task, invariants).run(&mut Budget::unlimited(Arc::default()));
//! let Turn::Claims(Claim::Safe { certificate, .. }) = turn else { panic!("{turn:?}") };
//! assert!(matches!(certificate, Certificate::Invariant(_)));
//! ```
//!
//! The formula of a goal is decomposed into cases, each a list of inequalities. The state equation decides
//! whether a case has a solution at all. If it has, traps, pairs of places and splits on single places try to
//! exclude this solution ([`search`]). This follows J. Esparza et al., An SMT-based approach to coverability
//! analysis, CAV 2014, which does it for covering goals, and H. Wimmel, K. Wolf, Applying CEGAR to the Petri
//! net state equation, 2011. The evidence can be checked with additions and comparisons alone. The engine finds
//! no violations.
//!
//! [`Equation`] is the engine. [`ByInvariants`] is a cheaper one, which tries two kinds of invariant on each
//! covering goal.

mod by_invariants;
mod invariants;
mod proof;
mod search;

pub use by_invariants::ByInvariants;

use crate::invariants::Invariants;
use crate::invariants::equation::ExcludedTransitions;
use invariants::NetInvariants;
use model::{
    Budget, Certificate, Claim, Engine, Exclusion, Formula, Goal, InvariantCertificate, Net, NetTask, Stats,
    TransitionId, Turn,
};
use search::{EquationSearch, Progress};
use std::collections::VecDeque;
use std::sync::Arc;

/// Work units of a goal's first turn. Turns double each time.
const FIRST: u64 = 1 << 17;

/// Work units of a goal's last turn, which takes about half a minute. Goals that are not refuted by then are
/// hardly ever refuted later.
const MOST: u64 = 1 << 25;

/// The engine that tries to exclude the goals of a task by the state equation.
pub struct Equation {
    task: NetTask,
    /// The net of the task, without transitions that are known never to fire. `invariants` are about it.
    net: Arc<Net>,
    invariants: Arc<Invariants>,
    known: Option<NetInvariants>,
    /// Open goals. A goal has no search until its first turn.
    open: VecDeque<Open>,
    /// Goals with nothing left to try. They are tried once more without the transitions that linear bounds exclude.
    given_up: Vec<Open>,
    by_bounds: ByBounds,
    excluded: u64,
    /// Number of goals that took too long.
    too_long: u64,
    stats: search::Counts,
}

/// The search for transitions that linear bounds exclude.
enum ByBounds {
    Later,
    Now(ExcludedTransitions),
    Done,
}

struct Open {
    goal: Goal,
    search: Option<Box<EquationSearch>>,
    /// Work units left in the goal's turn. `turn` is the size of the whole turn.
    allowance: u64,
    turn: u64,
}

impl Equation {
    /// Makes the engine. `invariants` must be about the net of `task`.
    #[must_use]
    pub fn new(task: NetTask, invariants: Arc<Invariants>) -> Self {
        let open = |goal: &Goal| Open { goal: *goal, search: None, allowance: FIRST, turn: FIRST };
        let open = task.goals.iter().map(open).collect();
        let net = Arc::clone(&task.net);
        Self {
            task,
            net,
            invariants,
            known: None,
            open,
            given_up: Vec::new(),
            by_bounds: ByBounds::Later,
            excluded: 0,
            too_long: 0,
            stats: search::Counts::default(),
        }
    }

    /// Leaves out the transitions that are not in this list (ascending), because they never fire. They would weaken the
    /// state equation and the traps. Returns true if there are such transitions.
    fn keep(&mut self, firing: &[u32], budget: &mut Budget) -> bool {
        let net = &self.net;
        if firing.len() == net.transitions().len() {
            return false;
        }
        budget.spend(net.transitions().len() as u64);
        let transitions = firing.iter().map(|&t| net.transition(TransitionId(t)).clone()).collect();
        let net = Arc::new(Net::new(net.places().to_vec(), transitions).expect("a part of a net is one"));
        match Invariants::new(&NetTask { net: Arc::clone(&net), ..self.task.clone() }) {
            Some(invariants) => (self.net, self.invariants) = (net, Arc::new(invariants)),
            None => return false,
        }
        true
    }

    /// Continues the search for transitions that linear bounds exclude. When it has ended, these are left out, and the
    /// goals that were given up are open again if there are such transitions.
    fn exclude(&mut self, budget: &mut Budget) {
        if let ByBounds::Later = self.by_bounds {
            self.by_bounds = ByBounds::Now(ExcludedTransitions::new(&self.invariants));
        }
        let ByBounds::Now(search) = &mut self.by_bounds else { return };
        if !search.run(&self.invariants, budget) {
            return;
        }
        let ByBounds::Now(found) = std::mem::replace(&mut self.by_bounds, ByBounds::Done) else { return };
        let alive = |t: &u32| found.transitions.binary_search(t).is_err();
        let firing: Vec<u32> = (0..self.net.transitions().len() as u32).filter(alive).collect();
        if self.keep(&firing, budget)
            && let Some(known) = &mut self.known
        {
            known.exclude(found.bounds, &self.invariants);
            self.open.extend(self.given_up.drain(..));
        }
    }

    /// Searches for the open goals in turns. Returns `None` if none is left.
    fn search(&mut self, budget: &mut Budget) -> Option<Turn> {
        let invariants = Arc::clone(&self.invariants);
        while let Some(mut open) = self.open.pop_front() {
            if !budget.spend(1) {
                self.open.push_front(open);
                return Some(Turn::More);
            }
            let search = match &mut open.search {
                Some(search) => search,
                none => match EquationSearch::new(self.formula(open.goal), &self.invariants) {
                    Some(search) => none.insert(Box::new(search)),
                    None => {
                        self.too_long += 1;
                        continue;
                    }
                },
            };
            let Some(known) = &mut self.known else { return None };
            let before = budget.work;
            let mut own = Budget::new(open.allowance.min(budget.work), Arc::clone(&budget.stop));
            let most = own.work;
            let step = search.run(&self.invariants, known, &mut own);
            let spent = own.spent_of(most);
            let may_go_on = budget.spend(spent.max(1));
            debug_assert!(budget.work <= before);
            open.allowance = open.allowance.saturating_sub(spent);
            match step {
                Progress::Excluded(cases) => {
                    self.excluded += 1;
                    self.stats.add(search.counts());
                    let (invariants, cases) = known.certificate(invariants.potentially_marked(), cases);
                    let invariant =
                        InvariantCertificate { invariants, exclusions: vec![(open.goal, Exclusion::Cases(cases))] };
                    let certificate = Certificate::Invariant(Box::new(invariant));
                    return Some(Turn::Claims(Claim::Safe { goals: vec![open.goal], certificate }));
                }
                Progress::GaveUp => {
                    self.stats.add(search.counts());
                    self.given_up.push(Open { search: None, ..open });
                }
                Progress::More if open.allowance == 0 && open.turn >= MOST => {
                    self.stats.add(search.counts());
                    self.too_long += 1;
                }
                Progress::More if open.allowance == 0 => {
                    open.turn *= 2;
                    open.allowance = open.turn;
                    self.open.push_back(open);
                }
                Progress::More => self.open.push_front(open),
            }
            if !may_go_on {
                return Some(Turn::More);
            }
        }
        None
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
        if self.known.is_none() {
            let pairs = self.invariants.pairs(budget).cloned();
            let firing = self.invariants.firing(budget).to_vec();
            let is_pruned = self.keep(&firing, budget);
            self.known = Some(NetInvariants::new(pairs, is_pruned, &self.invariants));
        }
        loop {
            if let Some(turn) = self.search(budget) {
                return turn;
            }
            match self.by_bounds {
                ByBounds::Later | ByBounds::Now(_) if !self.given_up.is_empty() => self.exclude(budget),
                _ => return Turn::Done,
            }
            if budget.work == 0 {
                return Turn::More;
            }
        }
    }

    fn refused(&mut self, _goal: Goal) {
        // Never called, because this engine makes no claim with `candidate: true`.
    }

    fn settled(&mut self, goals: &[Goal]) {
        self.open.retain(|open| goals.binary_search(&open.goal).is_err());
        self.given_up.retain(|open| goals.binary_search(&open.goal).is_err());
    }

    fn stats(&self) -> Stats {
        let mut stats = Stats::default();
        stats.more.insert("excluded", self.excluded);
        stats.more.insert("given_up", self.too_long + self.given_up.len() as u64);
        stats.more.insert("cases", self.stats.cases);
        stats.more.insert("splits", self.stats.splits);
        stats.more.insert("traps", self.known.as_ref().map_or(0, NetInvariants::traps));
        stats
    }
}

#[cfg(test)]
mod tests;
