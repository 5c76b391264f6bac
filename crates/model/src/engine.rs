//! The interface of engines. The caller runs an engine in turns, each with a budget, until all goals are
//! claimed.
//!
//! Engines do not read the clock, do not measure memory, and do not communicate with each other. A [`Budget`]
//! counts work units (about one state expansion each), so with one job all results are reproducible. The caller
//! enforces limits with a [`Stop`] flag.

use crate::claim::{Claim, Reason};
use crate::goal::Goal;
use crate::grown::Grown;
use crate::saved::{Save, Saved, Unrestored, Unsaved};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering};

/// A flag that ends all work when it is raised, for example by the time limit, the memory limit or Ctrl-C. The
/// first raise determines the reason. The flag also passes progress counts to the caller.
#[derive(Debug, Default)]
pub struct Stop {
    raised: AtomicU8,
    /// True if engines that can be saved should end their turns.
    paused: AtomicBool,
    states: AtomicU64,
    memory_limit: AtomicUsize,
    memory_used: Option<fn() -> usize>,
    /// Number of threads that the work may use, if there is a limit.
    threads: Option<usize>,
    /// The flag of the whole work, if this flag belongs to a part. The part also ends when the whole ends.
    whole: Option<Arc<Stop>>,
}

const REASONS: [Reason; 3] = [Reason::Timeout, Reason::Memory, Reason::Interrupted];

impl Stop {
    /// Creates a flag with a memory limit of `limit` bytes. `used` returns the number of bytes allocated now.
    #[must_use]
    pub fn with_memory_limit(limit: usize, used: fn() -> usize) -> Self {
        Self { memory_limit: AtomicUsize::new(limit), memory_used: Some(used), ..Self::default() }
    }

    /// Creates a flag for a part of the work. The part ends when `whole` is raised, and has the same memory
    /// limit. If the part reaches the memory limit, only the part ends, and other parts may continue with the
    /// memory that it frees.
    #[must_use]
    pub fn part_of(whole: &Arc<Stop>) -> Self {
        let memory_limit = AtomicUsize::new(whole.memory_limit.load(Ordering::Relaxed));
        Self { memory_limit, memory_used: whole.memory_used, whole: Some(Arc::clone(whole)), ..Self::default() }
    }

    /// Returns the flag with a limit on the threads that the work may use.
    #[must_use]
    pub fn with_threads(self, threads: usize) -> Self {
        Self { threads: Some(threads.max(1)), ..self }
    }

    /// Returns the number of threads that the work may use, at least 1 and at most `wanted`.
    #[must_use]
    pub fn threads(&self, wanted: usize) -> usize {
        wanted.min(self.threads.unwrap_or(usize::MAX)).max(1)
    }

    /// Raises the flag for `reason` (timeout, memory or interrupted). If the flag was raised before, the
    /// earlier reason stays.
    ///
    /// # Panics
    /// Panics if `reason` is none of these three.
    pub fn raise(&self, reason: Reason) {
        let code = REASONS.iter().position(|r| *r == reason).expect("only limits and the user stop an engine") + 1;
        let code = u8::try_from(code).expect("three reasons");
        let _ = self.raised.compare_exchange(0, code, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Returns the reason why work must end, if the flag is raised. This is cheap.
    #[must_use]
    pub fn raised(&self) -> Option<Reason> {
        match self.raised.load(Ordering::Relaxed) {
            0 => self.whole.as_ref().and_then(|whole| whole.raised()),
            code => Some(REASONS[usize::from(code) - 1]),
        }
    }

    /// Asks engines that can be saved to end their turns soon, or withdraws this. Work need not end.
    pub fn pause(&self, is_asked: bool) {
        self.paused.store(is_asked, Ordering::Relaxed);
    }

    /// Returns true if engines that can be saved should end their turns. This is cheap.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.paused.load(Ordering::Relaxed) || self.whole.as_ref().is_some_and(|whole| whole.is_paused())
    }

    /// Returns true if `bytes` more bytes may be allocated. If this would exceed the memory limit, raises the
    /// flag with the reason `memory` and returns false. To be called before a large structure (a table, an
    /// arena) grows, so that the answer becomes `unknown (memory)` instead of an abort of the process.
    pub fn may_allocate(&self, bytes: usize) -> bool {
        let fits = self.has_room(bytes);
        if !fits {
            self.raise(Reason::Memory);
        }
        fits
    }

    /// Returns true if `bytes` more bytes would stay within the memory limit. Unlike [`Stop::may_allocate`],
    /// this function never raises the flag. It is meant for memory that the caller can do without.
    #[must_use]
    pub fn has_room(&self, bytes: usize) -> bool {
        let Some(used) = self.memory_used else { return true };
        used().saturating_add(bytes) <= self.memory_limit.load(Ordering::Relaxed)
    }

    /// Reports the number of states visited so far, for the progress display. The flag of the whole work gets the
    /// number, too.
    pub fn report_states(&self, states: u64) {
        self.states.store(states, Ordering::Relaxed);
        if let Some(whole) = &self.whole {
            whole.report_states(states);
        }
    }

    /// Returns the last reported number of states.
    #[must_use]
    pub fn reported_states(&self) -> u64 {
        self.states.load(Ordering::Relaxed)
    }
}

/// The work that an engine may do in one turn.
#[derive(Clone, Debug)]
pub struct Budget {
    /// Work units left. One unit is about one state expansion, or other work of about the same duration.
    pub work: u64,
    /// Work units done beyond the budget, by a step that could not be interrupted.
    pub over: u64,
    /// The flag that ends all work.
    pub stop: Arc<Stop>,
}

impl Budget {
    /// Creates a budget of `work` units.
    #[must_use]
    pub fn new(work: u64, stop: Arc<Stop>) -> Self {
        Self { work, over: 0, stop }
    }

    /// Creates a budget that only `stop` ends.
    #[must_use]
    pub fn unlimited(stop: Arc<Stop>) -> Self {
        Self::new(u64::MAX, stop)
    }

    /// Subtracts `units` from the work left. Returns false if no work is left or the stop flag is raised.
    pub fn spend(&mut self, units: u64) -> bool {
        self.over = self.over.saturating_add(units.saturating_sub(self.work));
        self.work = self.work.saturating_sub(units);
        self.work > 0 && self.stop.raised().is_none()
    }

    /// Returns the work units spent from a budget that began with `given` units, including the units beyond the
    /// budget.
    #[must_use]
    pub fn spent_of(&self, given: u64) -> u64 {
        (given - self.work.min(given)).saturating_add(self.over)
    }
}

/// The way in which a turn ended.
#[derive(Debug)]
pub enum Turn {
    /// The engine makes a claim. The claimed goals count as settled, unless the caller calls
    /// [`Engine::refused`]. If unsettled goals are left, the caller runs the engine again.
    Claims(Claim),
    /// The budget is spent, or the stop flag is raised. The engine can continue in another turn.
    More,
    /// The engine has nothing left to claim.
    Done,
}

/// Counts for reports, in a fixed order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// Distinct states visited.
    pub states: u64,
    /// Transitions taken.
    pub transitions: u64,
    /// Numbers of lemmas, by kind.
    pub lemmas: BTreeMap<String, u64>,
    /// Other counts for the report, by name (`decisions`, `conflicts`, `literals`).
    pub more: BTreeMap<&'static str, u64>,
    /// What has grown the most, if the search looks for it.
    pub grown: Option<Grown>,
}

/// A search algorithm. Engines are deterministic: the same sequence of turns gives the same claims. Turns of different
/// engines may be taken on different threads at the same time.
pub trait Engine: Send {
    /// Returns the name of the engine, as in `--engine` and in reports.
    fn name(&self) -> &'static str;

    /// Works until the engine has a claim, the budget is spent, or nothing is left to claim.
    fn run(&mut self, budget: &mut Budget) -> Turn;

    /// Tells the engine that its last claim, a candidate trace for `goal`, could not be replayed. The engine
    /// must continue without this trace.
    fn refused(&mut self, goal: Goal);

    /// Tells the engine that other engines have settled these goals (ascending). It need not make claims about
    /// them any more.
    fn settled(&mut self, _goals: &[Goal]) {}

    /// Called after a claim that `goal` is reachable. Returns true if the search order guarantees that no run
    /// to the goal is shorter.
    fn claims_shortest(&self, _goal: Goal) -> bool {
        false
    }

    /// Saves what the engine has added since the checkpoint with the mark `since` ([`crate::saved`]). 0 stands for
    /// none. Returns the new mark, or `None` if the engine cannot be saved now. An engine that can be saved ends its
    /// turn soon if [`Stop::is_paused`] says so.
    ///
    /// # Errors
    /// The errors of `to`.
    fn save(&mut self, _since: u64, _to: &mut dyn Save) -> Result<Option<u64>, Unsaved> {
        Ok(None)
    }

    /// Continues from saved records. To be called before the first turn, with an engine for the same task. Returns
    /// the mark of the checkpoint. The engine starts anew if the result is `None` or an error.
    ///
    /// # Errors
    /// The errors of `from`, and if records do not fit the task.
    fn restore(&mut self, _from: &mut dyn Saved, _stop: &Stop) -> Result<Option<u64>, Unrestored> {
        Ok(None)
    }

    /// Returns the counts so far.
    fn stats(&self) -> Stats;
}
