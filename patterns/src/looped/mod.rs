//! Looped threads: if threads are clocks, a violation can only happen at a step that all clocks allow.
//!
//! After Katz, Barrett, Harel 2015, section IV. A thread that runs in a loop whatever event fires is in a state
//! that is determined by the number of events. An event can only fire at steps at which no clock blocks it. So
//! a bad state implies a set of congruences about the length T of the run. If no T satisfies them, no run is
//! bad, and no state needs to be visited.
//!
//! # Formula
//!
//! Let rho = s_0 e_0 s_1 .. e_{T-1} s_T be any violating run, and f_i(u) the state of clock i at step u.
//!
//! * Bad: rho ends in a bad state of some thread. From there, the moves of the thread are unrolled backwards
//!   for a few events: some event led to its state from some state before, or the run had just begun. Each
//!   event that occurs in this way was not blocked by any clock at its step. Some clock requested it if no
//!   other thread can request it.
//! * Deadlock: for every event that clock i requests, f_i(T) does not request it, or some clock blocks it at T.
//!   This is stated only if no other thread can block the event.
//!
//! # Soundness
//!
//! The lemmas are sound for any other threads, because every clause alone is a necessary condition on every
//! violating run. [`model::justification`] proves this for each kind of clause. Other threads only make the
//! lemmas weaker. If a thread that is not a clock may request an event, no clause states when this event is
//! requested. If such a thread may block an event, no clause about deadlocks uses this event.
//! [`SideCondition`] lists the conditions that the lemmas need.

mod candidates;
mod conditions;
mod lemmas;
#[cfg(test)]
mod tests;
mod users;

pub(crate) use conditions::Conditions;
pub use conditions::SideCondition;
pub use lemmas::{BAD, CLOCK_STATE, DEAD, ENTERED, EVENT, FROM, OPEN, REQUESTED};

use crate::clock::Clock;
use model::{Coverage, EventId, Goal, Lemma, Match, Pattern, Thread, ThreadId, Values, WhyNot};

/// The registered pattern.
pub const LOOPED: Looped = Looped { conditions: Conditions::ALL };

/// The matcher of looped threads.
#[derive(Clone, Copy, Debug)]
pub struct Looped {
    conditions: Conditions,
}

impl Looped {
    /// Returns the pattern without one of its side conditions, which makes it unsound. It exists for tests,
    /// which must detect the missing condition.
    #[doc(hidden)]
    #[must_use]
    pub const fn without(condition: SideCondition) -> Self {
        Self { conditions: Conditions { omit: Some(condition) } }
    }
}

impl Pattern for Looped {
    fn name(&self) -> &'static str {
        "looped"
    }

    fn recognize(&self, threads: &[Thread], goal: Goal) -> Result<Box<dyn Match>, WhyNot> {
        if matches!(goal, Goal::Formula(_)) {
            return Err(WhyNot::new(None, "formulas are goals of nets"));
        }
        let tables: Vec<_> = threads.iter().map(|t| Clock::under(t, self.conditions)).collect();
        if !tables.iter().flatten().any(|clock| clock.states().len() > 1) {
            let failed = threads.iter().zip(&tables).enumerate().find_map(|(i, (thread, table))| {
                let failed = table.as_ref().err()?;
                let why = WhyNot::new(Some(ThreadId::new(i)), format!("thread `{}` is no clock: ", thread.name));
                Some(failed.describe(thread, why))
            });
            let idle = || WhyNot::new(None, "no thread takes more than one state");
            return Err(failed.unwrap_or_else(idle));
        }
        let clocks = tables.into_iter().map(Result::ok).collect();
        Ok(Box::new(LoopedMatch { threads: threads.to_vec(), clocks, goal, conditions: self.conditions }))
    }
}

/// The threads, with a table for each thread that is a clock.
struct LoopedMatch {
    threads: Vec<Thread>,
    clocks: Vec<Option<Clock>>,
    goal: Goal,
    conditions: Conditions,
}

impl Match for LoopedMatch {
    fn coverage(&self) -> Coverage {
        let clocks = self.clocks.iter().enumerate().filter(|(_, clock)| clock.is_some());
        Coverage { goal: self.goal, threads: clocks.map(|(i, _)| ThreadId::new(i)).collect() }
    }

    fn on_start(&mut self, out: &mut Vec<Lemma>) {
        match self.goal {
            Goal::Bad => lemmas::bad(&self.threads, &self.clocks, self.conditions, out),
            Goal::Deadlock => lemmas::deadlock(&self.threads, &self.clocks, self.conditions, out),
            _ => unreachable!("not matched"),
        };
    }

    fn candidates(&self, values: &Values) -> Vec<Vec<(Vec<EventId>, u64)>> {
        candidates::of_length(&self.threads, &self.clocks, self.goal, values)
    }
}
