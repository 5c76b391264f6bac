//! Formulas about systems in which any number of tokens or threads may start, for one number after the other.
//!
//! Where the number is open, it becomes fixed: as few tokens as possible, then one more in each such place, and so on.
//! A formula that does not hold for one number does not hold for the system. That it holds for some numbers says
//! nothing, so no such answer is passed on. After [`MOST`] numbers the search gives up.

use model::{Budget, Claim, Engine, Goal, Net, NetTask, Place, Range, Reason, Stats, Trace, Turn};
use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

/// The largest number of tokens beyond the fewest.
pub const MOST: u32 = 8;

type Make = Box<dyn Fn(NetTask, &[Goal]) -> Box<dyn Engine> + Send>;

/// An engine that searches one number after the other.
pub(super) struct Instances {
    task: NetTask,
    make: Make,
    open: Vec<Goal>,
    more: u32,
    engine: Box<dyn Engine>,
    claims: VecDeque<Claim>,
    past: Stats,
}

impl fmt::Debug for Instances {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Instances").field("open", &self.open).field("more", &self.more).finish_non_exhaustive()
    }
}

/// Returns true if a place may start with any number of tokens.
fn is_endless(place: &Place) -> bool {
    place.initial.at_most.is_none()
}

/// Returns the task for this number of tokens beyond the fewest.
fn instance(task: &NetTask, more: u32) -> NetTask {
    let mut places = task.net.places().to_vec();
    for place in places.iter_mut().filter(|place| is_endless(place)) {
        place.initial = Range::exactly(&place.initial.at_least + more);
    }
    let net = Net::new(places, task.net.transitions().to_vec()).expect("only initial tokens are changed");
    NetTask { net: Arc::new(net), ..task.clone() }
}

impl Instances {
    /// Returns the engine that `make` creates for a task and goals; or an engine that searches one number after the
    /// other if the task leaves it open how many tokens start.
    pub(super) fn of<E: Engine + 'static>(
        task: NetTask,
        goals: Vec<Goal>,
        make: impl Fn(NetTask, &[Goal]) -> E + Send + 'static,
    ) -> Box<dyn Engine> {
        if !task.net.places().iter().any(is_endless) {
            return Box::new(make(task, &goals));
        }
        let engine = Box::new(make(instance(&task, 0), &goals));
        let make: Make = Box::new(move |task, goals| Box::new(make(task, goals)));
        let (claims, past) = (VecDeque::new(), Stats::default());
        Box::new(Self { task, make, open: goals, more: 0, engine, claims, past })
    }

    /// Adds the tokens of this number to the start of a run.
    fn trace(&self, mut trace: Trace) -> Trace {
        let mut known = trace.start.iter().copied();
        let open = self.task.net.open_places().into_iter().map(|p| self.task.net.place(p));
        let start = open.map(|place| if is_endless(place) { self.more } else { known.next().unwrap_or(0) });
        trace.start = start.collect();
        trace
    }

    /// Returns the claim about the system that follows from a claim about this number.
    fn about_all(&mut self, claim: Claim) -> Option<Claim> {
        let claim = match claim {
            Claim::Unsafe { goal, trace, candidate } => Claim::Unsafe { goal, trace: self.trace(trace), candidate },
            Claim::Branching { holds: false, .. } | Claim::Unknown { .. } => claim,
            _ => return None,
        };
        self.open.retain(|goal| !claim.goals().contains(goal));
        Some(claim)
    }

    /// Goes on to the next number.
    fn next(&mut self) {
        let done = self.engine.stats();
        self.past.states += done.states;
        self.past.transitions += done.transitions;
        if self.more == MOST && !self.open.is_empty() {
            let goals = std::mem::take(&mut self.open);
            self.claims.push_back(Claim::Unknown { goals, reason: Reason::GaveUp });
        }
        if self.open.is_empty() {
            return;
        }
        self.more += 1;
        self.engine = (self.make)(instance(&self.task, self.more), &self.open);
    }
}

impl Engine for Instances {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        loop {
            if let Some(claim) = self.claims.pop_front() {
                return Turn::Claims(claim);
            }
            if self.open.is_empty() {
                return Turn::Done;
            }
            match self.engine.run(budget) {
                Turn::Claims(claim) => {
                    let claim = self.about_all(claim);
                    self.claims.extend(claim);
                }
                Turn::Done => self.next(),
                Turn::More => return Turn::More,
            }
        }
    }

    fn refused(&mut self, goal: Goal) {
        self.engine.refused(goal);
    }

    fn settled(&mut self, goals: &[Goal]) {
        self.open.retain(|goal| !goals.contains(goal));
        self.engine.settled(goals);
    }

    fn stats(&self) -> Stats {
        let now = self.engine.stats();
        let (states, transitions) = (self.past.states + now.states, self.past.transitions + now.transitions);
        Stats { states, transitions, ..now }
    }
}
