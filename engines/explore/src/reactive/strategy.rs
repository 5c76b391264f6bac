//! Searches in another order than breadth first: what they share as engines.
//!
//! A [`Technique`] says where to look next. Runs are claimed as soon as they are found, and not shortened. Where memory ends, the
//! technique starts over with an empty table: only that errors cannot happen is then never claimed.

use super::dfs::Dfs;
use super::expand::Expander;
use super::jumpstart::Jumpstart;
use super::restart::Restart;
use super::{POLL_EVERY, Undefined, certificate, trace};
use model::ids::ErrorId;
use model::{Budget, Claim, Engine, Goal, InputId, ReactiveTask, Reason, Stats, Turn};
use std::fmt::Debug;
use store::Stepper;
use store::reactive::States;

/// What a stretch of search ended with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Event {
    /// The allowance is used up.
    Turn,
    /// All states are known, and all calls from them have been made.
    Closed,
    /// The inputs of a run from the initial state that ends with a call that stops at the label.
    Found(ErrorId, Vec<InputId>),
    /// There are more states than can be numbered.
    Full,
}

/// Where to look next.
pub(super) trait Technique: Debug {
    /// Searches for about `work` units, or until there is something to tell.
    fn advance(&mut self, expander: &mut Expander, work: u64, wanted: &dyn Fn(ErrorId) -> bool) -> Event;

    /// Forgets the states, and goes on from the initial one.
    fn start_over(&mut self, expander: &Expander);

    /// The states that the search remembers; after [`Event::Closed`] all there are.
    fn states(&self) -> &States;

    /// About the bytes that a thousand units of work may take beyond those in use.
    fn growth_bytes(&self) -> usize;

    /// See [`Technique::states`].
    fn into_states(self: Box<Self>) -> States;
}

/// Ways to search that are not breadth first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ReactiveStrategy {
    /// Depth first.
    Dfs,
    /// Depth first, again and again, with limits.
    Restart,
    /// As [`ReactiveStrategy::Restart`], and breadth first around what was found.
    Jumpstart,
}

/// A search of a reactive program for error labels in an order that a seed decides. The same seed claims the same runs.
#[derive(Debug)]
pub struct ReactiveRandomised {
    strategy: ReactiveStrategy,
    /// Go on when every asked label is settled.
    explore_all: bool,
    /// Asked labels without a claim.
    open: Vec<Goal>,
    /// Labels whose runs were refused.
    refused: Vec<Goal>,
    /// Gone when nothing is left to do.
    search: Option<(Expander, Box<dyn Technique>)>,
    undefined: Undefined,
    stats: Stats,
    restarts: u64,
}

impl ReactiveRandomised {
    /// A search for the error labels that `task` asks about. Linear in the size of the program.
    #[must_use]
    pub fn new(task: &ReactiveTask, strategy: ReactiveStrategy, seed: u64, explore_all: bool) -> Self {
        let program = task.program();
        let expander = Expander::new(Stepper::new(program));
        let technique: Box<dyn Technique> = match strategy {
            ReactiveStrategy::Dfs => Box::new(Dfs::new(&expander, seed)),
            ReactiveStrategy::Restart => Box::new(Restart::new(&expander, seed)),
            ReactiveStrategy::Jumpstart => Box::new(Jumpstart::new(&expander, seed)),
        };
        Self {
            strategy,
            explore_all,
            open: task.errors().to_vec(),
            refused: Vec::new(),
            search: Some((expander, technique)),
            undefined: Undefined::of(program),
            stats: Stats::default(),
            restarts: 0,
        }
    }

    fn found(&mut self, error: ErrorId, inputs: Vec<InputId>) -> Turn {
        if self.undefined.meets(error) {
            return Turn::More;
        }
        let goal = Goal::Error(error);
        self.open.retain(|other| *other != goal);
        Turn::Claims(Claim::Unsafe { goal, trace: trace(inputs), candidate: false })
    }

    fn closed(&mut self) -> Turn {
        if self.undefined.is_met {
            return self.give_up(Reason::Undefined);
        }
        let Some((expander, technique)) = self.search.take() else { return Turn::Done };
        let refused = std::mem::take(&mut self.refused);
        self.open.retain(|goal| !refused.contains(goal));
        if self.open.is_empty() {
            return Turn::Done;
        }
        let certificate = certificate(&expander.into_stepper(), technique.into_states());
        Turn::Claims(Claim::Safe { goals: std::mem::take(&mut self.open), certificate })
    }

    fn give_up(&mut self, reason: Reason) -> Turn {
        self.search = None;
        if self.open.is_empty() {
            return Turn::Done;
        }
        Turn::Claims(Claim::Unknown { goals: std::mem::take(&mut self.open), reason })
    }
}

impl Engine for ReactiveRandomised {
    fn name(&self) -> &'static str {
        match self.strategy {
            ReactiveStrategy::Dfs => "explicit.dfs",
            ReactiveStrategy::Restart => "explicit.restart",
            ReactiveStrategy::Jumpstart => "explicit.jumpstart",
        }
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        if self.open.is_empty() && !self.explore_all {
            self.search = None;
        }
        loop {
            let Some((expander, technique)) = &mut self.search else { return Turn::Done };
            if !budget.stop.has_room(technique.growth_bytes()) {
                technique.start_over(expander);
                self.restarts += 1;
                if !budget.stop.has_room(technique.growth_bytes()) {
                    return self.give_up(Reason::Memory);
                }
            }
            let before = expander.work();
            let (open, refused, undefined) = (&self.open, &self.refused, self.undefined);
            let is_asked = |goal| open.contains(&goal) && !refused.contains(&goal);
            let wanted = |error| undefined.awaits(error) || is_asked(Goal::Error(error));
            let event = technique.advance(expander, POLL_EVERY.min(budget.work), &wanted);
            self.stats.states = self.stats.states.max(technique.states().len() as u64);
            self.stats.transitions = expander.transitions();
            budget.stop.report_states(self.stats.states);
            let may_go_on = budget.spend(expander.work() - before);
            match event {
                Event::Found(error, inputs) => return self.found(error, inputs),
                Event::Closed => return self.closed(),
                Event::Full => technique.start_over(expander),
                Event::Turn if may_go_on => {}
                Event::Turn => return Turn::More,
            }
        }
    }

    fn refused(&mut self, goal: Goal) {
        if !self.refused.contains(&goal) {
            self.refused.push(goal);
        }
    }

    fn settled(&mut self, goals: &[Goal]) {
        self.open.retain(|goal| !goals.contains(goal));
    }

    fn stats(&self) -> Stats {
        let mut stats = self.stats.clone();
        if self.restarts > 0 {
            stats.more.insert("restarts", self.restarts);
        }
        stats
    }
}
