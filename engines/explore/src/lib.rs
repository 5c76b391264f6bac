//! Explicit search: breadth first over all states. The fallback, the oracle, and the rate that other engines have to beat.
//!
//! States are numbered in the order they are found, so the queue of a breadth-first search is the numbering itself and the
//! first goal state of a kind ends a shortest run to that kind. [`Explore`] searches behavioral programs, [`NetExplore`] nets, [`ReactiveSearch`] reactive programs,
//! [`Stubborn`] programs again, leaving out what need not be looked at, [`counted`] those of which something is assumed.

mod counted;
mod net;
mod reactive;
mod savings;
mod stubborn;

pub use counted::counted;
pub use net::{NetExplore, NetOptions, NetStubborn};
pub use reactive::{ReactiveOptions, ReactiveRandomised, ReactiveSearch, ReactiveStrategy};
pub use stubborn::Stubborn;

use model::{Budget, Certificate, Claim, Engine, Goal, Kind, OwnTask, ProgramTask, Reason, Stats, Turn};
use savings::Savings;
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;
use store::{Generic, RwbStepper, StateId, Step, Sweep};

/// How to search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Go on through the whole space when every asked goal is settled.
    pub explore_all: bool,
}

/// Work units between looks at the stop flag.
const POLL_EVERY: u64 = 1024;

/// Breadth-first search of a behavioral program, through the successors that its stepper tells.
#[derive(Debug)]
pub struct Explore<S: Step = RwbStepper> {
    options: Options,
    /// Asked goals without a claim.
    open: Vec<Goal>,
    /// Open goals of which some states were met, by runs that did not count (the user assumes something of runs): they can
    /// be claimed unsafe, but not safe.
    met: Vec<Goal>,
    /// Gone when its states were handed over as evidence, or nothing is left to do.
    search: Option<Sweep<S>>,
    started: bool,
    complete: bool,
    savings: Savings,
    tests: Tests,
    states: u64,
    transitions: u64,
}

/// Goals that expansions do not find: states are tested in the order in which they are found, so that the first hit ends
/// a shortest run.
#[derive(Debug, Default)]
struct Tests {
    /// States tested so far.
    tested: usize,
    hits: VecDeque<(Goal, StateId)>,
}

impl Tests {
    /// The next state of an open goal among those found so far.
    fn next<S: Step>(&mut self, search: &mut Sweep<S>, open: &[Goal]) -> Option<(Goal, StateId)> {
        while self.hits.is_empty() && self.tested < search.len() && search.stepper().has_tests() {
            let id = StateId::new(self.tested);
            self.tested += 1;
            search.test(id, &mut |goal| {
                if open.contains(&goal) {
                    self.hits.push_back((goal, id));
                }
            });
        }
        self.hits.pop_front()
    }
}

/// Why a stretch of the search ended.
enum Pause {
    Hit(Goal, StateId),
    Exhausted,
    /// It cannot go on: out of memory, stopped among the initial states, or at states some of whose successors are left out.
    Stuck(Reason),
    /// The next expansion takes more than this turn has.
    Dear,
    Turn,
}

impl Explore {
    /// A search for the goals of `task`.
    #[must_use]
    pub fn new(task: &ProgramTask, options: Options) -> Self {
        Self::with(task.goals().to_vec(), options, RwbStepper::new(task.program()))
    }
}

impl Explore<Generic> {
    /// A search for the goals of `task`, a system of one's own.
    #[must_use]
    pub fn of_own(task: &OwnTask, options: Options) -> Self {
        Self::with(task.goals().to_vec(), options, Generic::new(Arc::clone(task.system())))
    }
}

impl<S: Step + std::fmt::Debug + 'static> Explore<S> {
    fn with(goals: Vec<Goal>, options: Options, stepper: S) -> Self {
        Self {
            options,
            open: goals,
            met: Vec::new(),
            search: Some(Sweep::new(stepper)),
            started: false,
            complete: false,
            savings: Savings::default(),
            tests: Tests::default(),
            states: 0,
            transitions: 0,
        }
    }

    /// Has the whole space been seen? Only then are the counts those of the program.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// Searches until something is worth saying.
    fn advance(&mut self, budget: &mut Budget) -> Pause {
        let Some(search) = &mut self.search else { return Pause::Turn };
        if !self.started {
            if !may_grow(search.growth_bytes_initial(), budget) {
                return Pause::Stuck(Reason::Memory);
            }
            if !search.start(|| budget.stop.raised().is_none()) {
                return Pause::Stuck(budget.stop.raised().unwrap_or(Reason::Interrupted));
            }
            self.started = true;
        }
        loop {
            let before = search.work();
            let means = self.savings.means(budget);
            let pause = expand_some(search, &mut self.tests, means, &self.open, budget);
            let spent = search.work() - before;
            (self.states, self.transitions) = (search.len() as u64, search.transitions());
            budget.stop.report_states(self.states);
            let may_go_on = self.savings.pay(spent, budget);
            if matches!(pause, Pause::Dear) {
                self.savings.keep(budget);
                return Pause::Turn;
            }
            if !matches!(pause, Pause::Turn) || !may_go_on {
                return pause;
            }
        }
    }

    fn exhausted(&mut self) -> Turn {
        self.complete = true;
        let met = std::mem::take(&mut self.met);
        self.open.retain(|goal| !met.contains(goal));
        if !met.is_empty() {
            // The run to a state is the shortest one; longer ones may count.
            return Turn::Claims(Claim::Unknown { goals: met, reason: Reason::GaveUp });
        }
        match self.search.take() {
            Some(search) if !self.open.is_empty() => Turn::Claims(Claim::Safe {
                goals: std::mem::take(&mut self.open),
                certificate: Certificate::StateSet(Box::new(search.into_states())),
            }),
            _ => Turn::Done,
        }
    }

    fn give_up(&mut self, reason: Reason) -> Turn {
        self.search = None;
        if self.open.is_empty() {
            return Turn::Done;
        }
        Turn::Claims(Claim::Unknown { goals: std::mem::take(&mut self.open), reason })
    }

    fn hit(&mut self, goal: Goal, id: StateId, budget: &Budget) -> Turn {
        let Some(search) = &mut self.search else { return Turn::Done };
        if !may_grow(search.trace_bytes(id), budget) {
            return self.give_up(Reason::Memory);
        }
        let trace = search.trace_to(id);
        self.open.retain(|g| *g != goal);
        Turn::Claims(Claim::Unsafe { goal, trace, candidate: false })
    }
}

/// Expands states for a while, with about `means` units at most; ends early at a state of an open goal.
fn expand_some<S: Step>(search: &mut Sweep<S>, tests: &mut Tests, means: u64, open: &[Goal], budget: &Budget) -> Pause {
    let all = search.work().saturating_add(means);
    let end = search.work().saturating_add(POLL_EVERY.min(means));
    loop {
        if let Some((goal, id)) = tests.next(search, open) {
            return Pause::Hit(goal, id);
        }
        let left = usize::try_from(end.saturating_sub(search.work())).unwrap_or(usize::MAX);
        if left == 0 {
            return Pause::Turn;
        }
        if search.is_exhausted() {
            return Pause::Exhausted;
        }
        if search.is_beyond(all.saturating_sub(search.work())) {
            return Pause::Dear;
        }
        let growth = search.growth_bytes();
        if growth > 0 && !may_grow(growth, budget) {
            return Pause::Stuck(Reason::Memory);
        }
        let mut hit = None;
        search.advance(left, |id, kind| match kind {
            Kind::Goal(goal) if open.contains(&goal) => {
                hit = Some(Pause::Hit(goal, id));
                ControlFlow::Break(())
            }
            Kind::Cut => {
                hit = Some(Pause::Stuck(Reason::GaveUp));
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        });
        if let Some(hit) = hit {
            return hit;
        }
    }
}

fn may_grow(bytes: usize, budget: &Budget) -> bool {
    bytes != usize::MAX && budget.stop.may_allocate(bytes)
}

impl<S: Step + std::fmt::Debug + 'static> Engine for Explore<S> {
    fn name(&self) -> &'static str {
        "explicit"
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        if self.open.is_empty() && !self.options.explore_all {
            self.search = None;
        }
        if self.search.is_none() {
            return Turn::Done;
        }
        match self.advance(budget) {
            Pause::Hit(goal, id) => self.hit(goal, id, budget),
            Pause::Exhausted => self.exhausted(),
            Pause::Stuck(reason) => self.give_up(reason),
            Pause::Dear | Pause::Turn => Turn::More,
        }
    }

    fn refused(&mut self, goal: Goal) {
        if !self.open.contains(&goal) {
            self.open.push(goal);
        }
        if !self.met.contains(&goal) {
            self.met.push(goal);
        }
    }

    fn claims_shortest(&self, goal: Goal) -> bool {
        !self.met.contains(&goal)
    }

    fn stats(&self) -> Stats {
        Stats { states: self.states, transitions: self.transitions, ..Stats::default() }
    }
}

#[cfg(test)]
mod tests;
