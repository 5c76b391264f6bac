//! Explicit search of reactive programs: breadth first over all states, all error labels in one pass.
//!
//! Each label is claimed, with a shortest run, as soon as it is met; when the space ends, all others are claimed unreachable,
//! and the states are the evidence. Other orders: [`strategy`].

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

use model::ids::{ErrorId, EventId};
use model::{Budget, Certificate, Claim, Engine, Goal, Holds, ReactiveTask, Reason, Stats, Trace, Turn, Valuations};
use model::{InputId, Reactive};
use store::Stepper;
use store::reactive::{Exploration, Pause, States, Stopped};

/// Work between looks at the stop flag and the memory.
const POLL_EVERY: u64 = 512;
/// The same where there is work for several.
const POLL_TOGETHER_EVERY: u64 = 1 << 14;

/// How to search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReactiveOptions {
    /// Go on through the whole space when every asked label is settled.
    pub explore_all: bool,
    /// Threads that may work at once; more than one change nothing but the time it takes, and the lengths of turns.
    pub jobs: usize,
}

impl Default for ReactiveOptions {
    fn default() -> Self {
        Self { explore_all: false, jobs: 1 }
    }
}

/// Breadth-first search of a reactive program for error labels. Temporal formulas are left to others.
#[derive(Debug)]
pub struct ReactiveSearch {
    options: ReactiveOptions,
    /// Asked labels without a claim.
    open: Vec<Goal>,
    /// Labels whose runs were refused: neither can be claimed.
    refused: Vec<Goal>,
    /// Gone when its states were handed over as evidence, or nothing is left to do.
    search: Option<Exploration>,
    complete: bool,
    undefined: Undefined,
    stats: Stats,
}

impl ReactiveSearch {
    /// A search for the error labels that `task` asks about. Linear in the size of the program.
    #[must_use]
    pub fn new(task: &ReactiveTask, options: ReactiveOptions) -> Self {
        let program = task.program();
        Self {
            options,
            open: task.errors().to_vec(),
            refused: Vec::new(),
            search: Some(Exploration::new(Stepper::new(program), options.jobs)),
            complete: false,
            undefined: Undefined::of(program),
            stats: Stats::default(),
        }
    }

    /// Has the whole space been seen? Only then are the counts those of the program.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    fn hit(&mut self, stopped: Stopped) -> Turn {
        if self.undefined.meets(stopped.error) {
            return Turn::More;
        }
        let goal = Goal::Error(stopped.error);
        self.open.retain(|other| *other != goal);
        let Some(search) = &mut self.search else { return Turn::Done };
        let inputs = search.inputs_to(stopped.from).into_iter().chain([stopped.input]);
        Turn::Claims(Claim::Unsafe { goal, trace: trace(inputs), candidate: false })
    }

    fn exhausted(&mut self) -> Turn {
        self.complete = true;
        let refused = std::mem::take(&mut self.refused);
        self.open.retain(|goal| !refused.contains(goal));
        if !refused.is_empty() {
            return Turn::Claims(Claim::Unknown { goals: refused, reason: Reason::GaveUp });
        }
        if self.undefined.is_met {
            return self.give_up(Reason::Undefined);
        }
        let Some(search) = self.search.take().filter(|_| !self.open.is_empty()) else { return Turn::Done };
        let (stepper, states) = search.into_parts();
        let certificate = certificate(&stepper, states);
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

/// Watches for calls that come to what is not defined: behind one that is met, nothing is proved.
#[derive(Clone, Copy, Debug)]
struct Undefined {
    label: Option<ErrorId>,
    is_met: bool,
}

impl Undefined {
    fn of(program: &Reactive) -> Self {
        Self { label: program.undefined(), is_met: false }
    }

    /// Is this what is watched for, and has it not been met?
    fn awaits(self, error: ErrorId) -> bool {
        !self.is_met && self.label == Some(error)
    }

    /// A run to this label was found. Is it the one that is watched for?
    fn meets(&mut self, error: ErrorId) -> bool {
        let is_it = self.label == Some(error);
        self.is_met |= is_it;
        is_it
    }
}

/// The run of a list of inputs.
fn trace(inputs: impl IntoIterator<Item = InputId>) -> Trace {
    let mut trace = Trace::new(Box::default());
    inputs.into_iter().for_each(|input| trace.push(EventId(input.0), None));
    trace
}

/// All states there are, as evidence.
fn certificate(stepper: &Stepper, states: States) -> Certificate {
    let slots = stepper.slots().iter().map(|&var| (var, Holds::Exactly)).collect();
    Certificate::Valuations(Box::new(Valuations { slots, rows: Box::new(states) }))
}

impl Engine for ReactiveSearch {
    fn name(&self) -> &'static str {
        "explicit"
    }

    fn claims_shortest(&self, _goal: Goal) -> bool {
        true
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        if self.open.is_empty() && self.refused.is_empty() && !self.options.explore_all {
            self.search = None;
        }
        let poll_every = if self.options.jobs > 1 { POLL_TOGETHER_EVERY } else { POLL_EVERY };
        loop {
            let Some(search) = &mut self.search else { return Turn::Done };
            if !budget.stop.may_allocate(search.growth_bytes()) {
                return self.give_up(Reason::Memory);
            }
            let before = search.work();
            let (open, refused, undefined) = (&self.open, &self.refused, self.undefined);
            let pause = search.advance(poll_every.min(budget.work), |error| {
                let is_asked = || open.contains(&Goal::Error(error)) && !refused.contains(&Goal::Error(error));
                undefined.awaits(error) || is_asked()
            });
            self.stats.states = search.states().len() as u64;
            self.stats.transitions = search.transitions();
            budget.stop.report_states(self.stats.states);
            let may_go_on = budget.spend(search.work() - before);
            match pause {
                Pause::Stopped(stopped) => return self.hit(stopped),
                Pause::Exhausted => return self.exhausted(),
                Pause::Full => return self.give_up(Reason::Memory),
                Pause::Turn if may_go_on => {}
                Pause::Turn => return Turn::More,
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
        self.refused.retain(|goal| !goals.contains(goal));
    }

    fn stats(&self) -> Stats {
        self.stats.clone()
    }
}
