//! Looped threads: where threads are clocks, a violation happens at a step that suits all of them.
//!
//! After Katz, Barrett, Harel 2015, section IV: a thread that runs round a loop whatever fires is in a state that the
//! number of events fixes. An event can only fire at steps where no clock blocks it, so "bad happens" becomes a set of
//! congruences about the length T of the run; if no T satisfies them, no run is bad and no state need be visited.
//!
//! Formula (rho = s_0 e_0 s_1 .. e_{T-1} s_T is any violating run, f_i(u) the state of clock i at step u):
//!
//! * bad: rho ends in some thread's bad state; from there the thread's moves are unrolled backwards for a few events:
//!   some event led to its state (or the run had just begun), from some state before. Each event named that way was open
//!   at its step in every clock, and requested by some clock if nobody else can request it.
//! * deadlock: for every event that clock i requests: f_i(T) does not request it, or some clock blocks it at T, provided
//!   that no other thread can block it.
//!
//! Sound for any other threads, because every clause is a necessary condition on every violating run by itself: the facts
//! in [`model::fact`] argue it one by one. Other threads only make lemmas weaker: an event that a non-clock may request has
//! no clause about requests, one that a non-clock may block no clause about deadlocks. Which conditions that takes is
//! listed in [`SideCondition`].

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
use model::pattern::ConcreteRun;
use model::{Constant, Coverage, EventId, Goal, Lemma, Match, Pattern, Thread, ThreadId, Values, WhyNot};

/// The pattern, as registered.
pub const LOOPED: Looped = Looped { conditions: Conditions::ALL };

/// The matcher of looped threads.
#[derive(Clone, Copy, Debug)]
pub struct Looped {
    conditions: Conditions,
}

impl Looped {
    /// The pattern without one of its side conditions: unsound, for tests that must notice.
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

/// Threads with the tables of those that are clocks.
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

    fn witness(&self, run: &ConcreteRun) -> Values {
        Values::from([(Constant::RunLength, run.events.len().into())])
    }

    fn candidates(&self, values: &Values) -> Vec<Vec<(Vec<EventId>, u64)>> {
        candidates::of_length(&self.threads, &self.clocks, self.goal, values)
    }
}
