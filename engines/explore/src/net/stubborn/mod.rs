//! Search of nets by stubborn sets ([`reduce::stubborn`] says which and why), nearest to the goal first.
//!
//! What the sets leave out does not depend on the order of the search. So markings are expanded in the order of what
//! their tokens lack of the goal, the latest first among equals: that finds what there is to find early, and is done no later
//! where there is nothing. One goal at a time: each goal that a set must serve makes it larger.

mod search;
mod stepper;
#[cfg(test)]
mod tests;

use crate::POLL_EVERY;
use crate::net::search::Pause;
use model::{Budget, Certificate, Claim, Engine, Goal, Markings, NetTask, Reason, Stats, Turn};
use reduce::rules::Rules;
use reduce::stubborn::{Depends, Omit};
use search::StubbornSearch;
use std::sync::Arc;

/// More than this a search does not take: many run side by side, and who runs out of memory ends them all.
const MOST_BYTES: usize = 100 << 20;

/// Search of a net by stubborn sets for the goals of a task, all at once.
#[derive(Debug)]
pub struct NetStubborn {
    task: NetTask,
    /// Goals without a claim.
    open: Vec<Goal>,
    /// Made in the first turn.
    search: Option<StubbornSearch>,
    is_done: bool,
    omit: Option<Omit>,
    stats: Stats,
}

impl NetStubborn {
    /// A search for the goals of `task`, which should be one.
    #[must_use]
    pub fn new(task: NetTask) -> Self {
        let open = task.goals.clone();
        Self { task, open, search: None, is_done: false, omit: None, stats: Stats::default() }
    }

    /// Without a part of the rules, for tests.
    #[cfg(test)]
    fn without(task: NetTask, omit: Omit) -> Self {
        Self { omit: Some(omit), ..Self::new(task) }
    }

    /// Costs a pass over the net.
    fn begin(&mut self) -> Result<(), Reason> {
        let rules = Rules::new(&self.task.net).filter(|rules| rules.small && self.task.bound.is_none());
        let rules = rules.ok_or(Reason::Unsupported)?;
        let depends = Depends::without(&rules, self.omit);
        let search = StubbornSearch::new(self.task.clone(), Arc::new(rules), Arc::new(depends));
        self.search = Some(search.ok_or(Reason::Unsupported)?);
        Ok(())
    }

    fn advance(&mut self, budget: &mut Budget) -> Pause {
        let Some(search) = &mut self.search else { return Pause::Turn };
        loop {
            let before = search.units();
            let pause = search.advance(POLL_EVERY.min(budget.work), &self.open, budget);
            let spent = search.units() - before;
            (self.stats.states, self.stats.transitions) = (search.len() as u64, search.transitions());
            self.stats.more.insert("enabled", search.enabled());
            budget.stop.report_states(self.stats.states);
            let may_go_on = budget.spend(spent);
            if matches!(pause, Pause::Turn) && search.bytes() > MOST_BYTES {
                return Pause::Stuck(Reason::GaveUp);
            }
            if !matches!(pause, Pause::Turn) || !may_go_on {
                return pause;
            }
        }
    }

    fn exhausted(&mut self) -> Turn {
        self.is_done = true;
        let Some(search) = self.search.take() else { return Turn::Done };
        if search.is_overflown() {
            return self.give_up(Reason::Overflow);
        }
        if self.open.is_empty() {
            return Turn::Done;
        }
        let markings = Markings {
            slots: self.task.slots.clone(),
            markable: vec![true; self.task.net.places().len()],
            states: search.into_states(),
        };
        let goals = std::mem::take(&mut self.open);
        Turn::Claims(Claim::Safe { goals, certificate: Certificate::ReducedMarkings(markings) })
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

impl Engine for NetStubborn {
    fn name(&self) -> &'static str {
        "stubborn"
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        if self.is_done || self.open.is_empty() {
            self.search = None;
            return Turn::Done;
        }
        if self.search.is_none()
            && let Err(reason) = self.begin()
        {
            return self.give_up(reason);
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

    fn stats(&self) -> Stats {
        self.stats.clone()
    }
}
