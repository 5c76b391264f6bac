//! The search for goals of nets, and of thread-transition systems translated to nets. There is one search per
//! goal, one after the other.
//!
//! There are no patterns for nets, so a search uses only the theory of transition systems: splitting on demand,
//! regions, components (explained in the crate `ts`), and the literal `cut` for all successors that a bound
//! excludes. A goal is safe if the refutation does not use `cut`. The markings seen are then the certificate.
//!
//! A net that may start with arbitrarily many tokens has infinitely many initial markings. With a bound, the
//! initial markings within the bound are searched, and the others count as cut. Without a bound, this engine
//! does not support the net: unknown (unsupported).

mod goal_search;
#[cfg(test)]
mod tests;

use crate::dpllt::Options;
use goal_search::{GoalSearch, Outcome};
use model::{Budget, Certificate, Claim, Engine, Goal, Markings, NetTask, PlaceId, Reason, Stats, Stop, Trace, Turn};
use nets::{NetStepper, Query, Unsteppable, Width};
use num_traits::ToPrimitive;
use search::Stepper;
use std::collections::VecDeque;

/// Number of restarts that widen single slots, each with a new search. After that, all slots of the same width
/// are widened together.
const ONE_BY_ONE: u32 = 8;

/// The engine for one net.
pub struct NetDpllt {
    task: NetTask,
    options: Options,
    /// Goals without a claim. The first one is being searched for.
    open: VecDeque<Goal>,
    /// Width in which numbers are stored. It only grows, and searches for later goals start with it.
    width: Width,
    /// Number of searches ended because a number exceeded its slot.
    restarts: u32,
    /// True if slots can still be widened. Then a search ends as soon as a slot overflows.
    can_widen: bool,
    search: Option<GoalSearch<Query>>,
    /// Counts of the searches that have ended.
    past: Stats,
}

impl NetDpllt {
    /// Creates an engine for the goals of `task`, which are searched for in their order.
    #[must_use]
    pub fn new(task: NetTask, options: Options) -> Self {
        let width = Width::narrow(&task);
        let open = task.goals.iter().copied().collect();
        Self { task, options, open, width, restarts: 0, can_widen: true, search: None, past: Stats::default() }
    }

    /// Sets up the search for `goal`.
    ///
    /// # Errors
    /// The reason why it cannot be set up.
    fn start(&mut self, goal: Goal, stop: &Stop) -> Result<(), Reason> {
        let stepper = NetStepper::new(&self.task, self.width.clone()).map_err(|why| match why {
            Unsteppable::Endless => Reason::Unsupported,
            Unsteppable::Overflow => Reason::Overflow,
        })?;
        let query = Query::new(stepper, &self.task, goal);
        let search = GoalSearch::new(query, goal, self.options, self.can_widen, stop);
        self.search = Some(search.ok_or(Reason::Memory)?);
        Ok(())
    }

    /// Ends the current search and adds up its counts.
    fn end(&mut self) -> Option<GoalSearch<Query>> {
        self.past = self.stats();
        self.search.take()
    }

    /// Ends the search because numbers exceeded their slots. The next search has wider slots.
    fn widen(&mut self) {
        let Some(mut search) = self.search.take() else { return };
        self.restarts += 1;
        let widen = if self.restarts > ONE_BY_ONE { Width::widen_class } else { Width::widen };
        let mut widened = false;
        for &slot in search.exploration().stepper().stepper().overflown() {
            widened |= widen(&mut self.width, slot);
        }
        if !widened {
            self.can_widen = false;
            self.width = Width::wide(&self.task);
        }
    }

    fn unsafe_claim(&mut self, goal: Goal, mut trace: Trace) -> Turn {
        let Some(mut search) = self.end() else { return Turn::Done };
        self.open.pop_front();
        trace.start = self.extra_tokens(search.exploration().stepper(), &trace.start);
        Turn::Claims(Claim::Unsafe { goal, trace, candidate: false })
    }

    /// Returns for each place without a fixed initial count how many tokens it has in an initial state beyond
    /// its least count.
    fn extra_tokens(&self, query: &Query, state: &[u32]) -> Box<[u32]> {
        let mut packed = Vec::new();
        query.pack(state, &mut packed);
        let net = &self.task.net;
        let extra = |p: PlaceId| {
            let least = net.place(p).initial.at_least.to_u64();
            let extra = least.and_then(|least| query.stepper().tokens(p, &packed).checked_sub(least));
            extra
                .and_then(|extra| u32::try_from(extra).ok())
                .expect("an initial state is in its range, and fits 32 bits")
        };
        net.open_places().into_iter().map(extra).collect()
    }

    fn safe_claim(&mut self, goal: Goal) -> Turn {
        let Some(search) = self.end() else { return Turn::Done };
        self.open.pop_front();
        let certificate = Certificate::Markings(Markings {
            slots: self.task.slots.clone(),
            potentially_marked: vec![true; self.task.net.places().len()],
            states: Box::new(search.into_states()),
        });
        Turn::Claims(Claim::Safe { goals: vec![goal], certificate })
    }

    fn unknown_claim(&mut self, goal: Goal, reason: Reason) -> Turn {
        self.end();
        self.open.pop_front();
        Turn::Claims(Claim::Unknown { goals: vec![goal], reason })
    }
}

impl Engine for NetDpllt {
    fn name(&self) -> &'static str {
        "dpllt"
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        loop {
            let Some(&goal) = self.open.front() else { return Turn::Done };
            if !budget.spend(0) {
                return Turn::More;
            }
            if self.search.is_none() {
                match self.start(goal, &budget.stop) {
                    Ok(()) => {}
                    Err(Reason::Memory) => return Turn::More, // the stop flag is raised
                    Err(reason) => return self.unknown_claim(goal, reason),
                }
            }
            let Some(search) = &mut self.search else { return Turn::More };
            match search.run(budget) {
                Outcome::Found(trace) => return self.unsafe_claim(goal, trace),
                Outcome::Closed => return self.safe_claim(goal),
                Outcome::Cut => return self.unknown_claim(goal, Reason::Bound),
                Outcome::GaveUp => return self.unknown_claim(goal, Reason::GaveUp),
                Outcome::Overflow if self.can_widen => self.widen(),
                Outcome::Overflow => return self.unknown_claim(goal, Reason::Overflow),
                Outcome::More => {}
            }
        }
    }

    fn refused(&mut self, _goal: Goal) {
        // Never called: claims of this engine are not candidates.
    }

    fn stats(&self) -> Stats {
        let mut stats = self.past.clone();
        let Some(search) = &self.search else { return stats };
        let now = search.stats();
        // Searches for different goals visit the same states, so the greatest count is reported.
        stats.states = stats.states.max(now.states);
        stats.transitions = stats.transitions.max(now.transitions);
        for (what, count) in now.more {
            *stats.more.entry(what).or_insert(0) += count;
        }
        stats
    }
}
