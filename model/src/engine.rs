//! How the tool drives an engine: in turns, under a budget, until every asked goal is claimed.
//!
//! Engines do not read the clock, do not measure memory and do not know of each other. A [`Budget`] counts work units
//! (about one state expansion each), so that with one job everything is reproducible; limits arrive as a [`Stop`] that
//! somebody outside raised.

use crate::claim::{Claim, Reason};
use crate::goal::Goal;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering};

/// A flag that anybody may raise to end all work: time limit, memory limit, Ctrl-C. The first raise wins.
/// It also carries live progress counts outwards.
#[derive(Debug, Default)]
pub struct Stop {
    raised: AtomicU8,
    states: AtomicU64,
    memory_limit: AtomicUsize,
    memory_used: Option<fn() -> usize>,
    /// Whatever ends that work ends this, too.
    whole: Option<Arc<Stop>>,
}

const REASONS: [Reason; 3] = [Reason::Timeout, Reason::Memory, Reason::Interrupted];

impl Stop {
    /// A flag that checks growth against `limit` bytes, with `used` telling the bytes allocated now.
    #[must_use]
    pub fn with_memory_limit(limit: usize, used: fn() -> usize) -> Self {
        Self { memory_limit: AtomicUsize::new(limit), memory_used: Some(used), ..Self::default() }
    }

    /// A flag for a part of the work that `whole` ends. It has the same memory limit, but where it meets that, only the part
    /// ends: others may go on with the memory that this one gives back.
    #[must_use]
    pub fn part_of(whole: &Arc<Stop>) -> Self {
        let memory_limit = AtomicUsize::new(whole.memory_limit.load(Ordering::Relaxed));
        Self { memory_limit, memory_used: whole.memory_used, whole: Some(Arc::clone(whole)), ..Self::default() }
    }

    /// Ends all work for `reason` (timeout, memory or interrupted), unless it has been ended already.
    ///
    /// # Panics
    /// If `reason` is not one that comes from outside.
    pub fn raise(&self, reason: Reason) {
        let code = REASONS.iter().position(|r| *r == reason).expect("only limits and the user stop an engine") + 1;
        let code = u8::try_from(code).expect("three reasons");
        let _ = self.raised.compare_exchange(0, code, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Why work must end, if it must. Cheap.
    #[must_use]
    pub fn raised(&self) -> Option<Reason> {
        match self.raised.load(Ordering::Relaxed) {
            0 => self.whole.as_ref().and_then(|whole| whole.raised()),
            code => Some(REASONS[usize::from(code) - 1]),
        }
    }

    /// May `bytes` more be allocated? Raises `memory` and says no if that would break the limit. Call it before growing
    /// anything large (tables, arenas), so that the answer is `unknown (memory)` and not an abort.
    pub fn may_allocate(&self, bytes: usize) -> bool {
        let fits = self.has_room(bytes);
        if !fits {
            self.raise(Reason::Memory);
        }
        fits
    }

    /// Would `bytes` more stay within the limit? For what one can do without: nothing ends.
    #[must_use]
    pub fn has_room(&self, bytes: usize) -> bool {
        let Some(used) = self.memory_used else { return true };
        used().saturating_add(bytes) <= self.memory_limit.load(Ordering::Relaxed)
    }

    /// Reports the number of states visited so far, for progress display.
    pub fn report_states(&self, states: u64) {
        match &self.whole {
            Some(whole) => whole.report_states(states),
            None => self.states.store(states, Ordering::Relaxed),
        }
    }

    /// The last reported number of states.
    #[must_use]
    pub fn reported_states(&self) -> u64 {
        self.states.load(Ordering::Relaxed)
    }
}

/// One turn's allowance.
#[derive(Clone, Debug)]
pub struct Budget {
    /// Work units left; about one state expansion (or the like in time) each.
    pub work: u64,
    /// Work units done beyond the allowance, by a step that could not be divided.
    pub over: u64,
    /// The flag that ends all work.
    pub stop: Arc<Stop>,
}

impl Budget {
    /// An allowance of `work` units.
    #[must_use]
    pub fn new(work: u64, stop: Arc<Stop>) -> Self {
        Self { work, over: 0, stop }
    }

    /// A budget without end but for `stop`.
    #[must_use]
    pub fn unlimited(stop: Arc<Stop>) -> Self {
        Self::new(u64::MAX, stop)
    }

    /// Takes `units` from the allowance; false when it is used up or work must stop.
    pub fn spend(&mut self, units: u64) -> bool {
        self.over = self.over.saturating_add(units.saturating_sub(self.work));
        self.work = self.work.saturating_sub(units);
        self.work > 0 && self.stop.raised().is_none()
    }

    /// What has been spent of a budget that had `given` units when it was new, with what went beyond them.
    #[must_use]
    pub fn spent_of(&self, given: u64) -> u64 {
        (given - self.work.min(given)).saturating_add(self.over)
    }
}

/// How a turn ended.
#[derive(Debug)]
pub enum Turn {
    /// The engine claims something. Goals it has claimed are settled unless the caller says otherwise with
    /// [`Engine::refused`]; if others are left, call it again.
    Claims(Claim),
    /// The allowance is used up (or the stop flag is up): call again to go on.
    More,
    /// Nothing left to claim.
    Done,
}

/// Counts for reports, in a fixed order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// Distinct states visited.
    pub states: u64,
    /// Transitions taken.
    pub transitions: u64,
    /// Lemmas by kind.
    pub lemmas: BTreeMap<String, u64>,
    /// Anything else worth a line (`decisions`, `conflicts`, `literals`).
    pub more: BTreeMap<&'static str, u64>,
}

/// A way to search. Deterministic: the same turns give the same claims.
pub trait Engine {
    /// As in `--engine` and in reports.
    fn name(&self) -> &'static str;

    /// Works until it has a claim, the budget ends, or nothing is left.
    fn run(&mut self, budget: &mut Budget) -> Turn;

    /// The last claim was a candidate trace for `goal` and did not replay: go on without it.
    fn refused(&mut self, goal: Goal);

    /// Other engines have settled these goals (ascending): claims about them are of no use any more.
    fn settled(&mut self, _goals: &[Goal]) {}

    /// Asked after a claim that `goal` is reachable: does the order of the search show that no run to it is shorter?
    fn claims_shortest(&self, _goal: Goal) -> bool {
        false
    }

    /// The counts so far.
    fn stats(&self) -> Stats;
}
