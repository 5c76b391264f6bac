//! Clock tables: threads with a state that is determined by the number of events that have fired.
//!
//! A thread is a *clock* if and only if it has one initial state, and in every reachable state, all events that
//! the state does not block lead to the same single state. An event that a state does not mention leaves the
//! thread there, so it counts as a step to itself. This invisible self-loop is missed by checks that only read
//! the drawn arrows. Events that a state blocks cannot fire there, so they are ignored. The states of a clock
//! form a lasso: a prefix, then a cycle. Or they end in a state that blocks everything, and no run continues
//! from it.
//!
//! Source: Katz, Barrett, Harel, "Theory-Aided Model Checking of Concurrent Transition Systems" (FMCAD 2015),
//! section IV.

use crate::lasso::LassoSet;
use crate::looped::{Conditions, SideCondition};
use model::{EventId, EventSet, LocalId, Thread, WhyNot};
use std::fmt;

/// The state of a clock thread at every step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clock {
    /// The states `f(0), f(1), ..` up to the first repetition.
    states: Vec<LocalId>,
    /// Index in `states` at which the cycle begins. `None` if the last state blocks everything, so that no run
    /// is longer.
    cycle: Option<usize>,
}

/// The first condition of a clock that a thread violates.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotClock {
    /// The thread has several initial states.
    SeveralInitial {
        /// The number of initial states.
        count: usize,
    },
    /// An event that a reachable state does not block may lead to more than one state.
    SeveralTargets {
        /// The state.
        state: LocalId,
        /// The event.
        event: EventId,
    },
    /// Two events that a reachable state does not block lead to different states.
    TwoWays {
        /// The state.
        state: LocalId,
        /// One of the events and its target.
        one: (EventId, LocalId),
        /// The other event and its target.
        other: (EventId, LocalId),
    },
}

impl Clock {
    /// Computes the table of `thread`, in time `O(states * events)`.
    ///
    /// # Errors
    /// The first condition that fails on the way from the initial state.
    pub fn of(thread: &Thread) -> Result<Self, NotClock> {
        Self::under(thread, Conditions::ALL)
    }

    /// Like [`Clock::of`], but checks only the side conditions that `conditions` keeps.
    pub(crate) fn under(thread: &Thread, conditions: Conditions) -> Result<Self, NotClock> {
        if conditions.keep(SideCondition::OneInitialState) && thread.initial.len() != 1 {
            return Err(NotClock::SeveralInitial { count: thread.initial.len() });
        }
        let ignored = ignored_events(thread, conditions);
        let mut step_of = vec![None; thread.states.len()];
        let mut states = Vec::new();
        let mut now = thread.initial[0];
        loop {
            if let Some(first) = step_of[now.index()] {
                return Ok(Self::lasso(states, first, conditions));
            }
            step_of[now.index()] = Some(states.len());
            states.push(now);
            match successor(thread, now, &ignored, conditions)? {
                Some(next) => now = next,
                None => return Ok(Self { states, cycle: None }),
            }
        }
    }

    /// Builds the table of a lasso. If a test drops one of two side conditions, the table gets a mistake that
    /// the kit must find: the prefix becomes a part of the cycle, or the cycle is taken to start at step 0.
    fn lasso(states: Vec<LocalId>, first: usize, conditions: Conditions) -> Self {
        if !conditions.keep(SideCondition::PrefixNotRepeated) {
            return Self { states, cycle: Some(0) };
        }
        if !conditions.keep(SideCondition::PrefixNotCongruent) {
            let mut turned = states[first..].to_vec();
            let period = turned.len();
            turned.rotate_right(first % period);
            return Self { states: turned, cycle: Some(0) };
        }
        Self { states, cycle: Some(first) }
    }

    /// Returns the state at step `u`, or `None` if every run is shorter.
    #[must_use]
    pub fn at(&self, u: u64) -> Option<LocalId> {
        let within = usize::try_from(u).ok().filter(|&u| u < self.states.len());
        let index = within.or_else(|| {
            let period = self.period()?;
            let turn = (u - self.prefix() as u64) % period as u64;
            Some(self.prefix() + usize::try_from(turn).expect("a turn is below the number of states"))
        });
        index.map(|i| self.states[i])
    }

    /// Returns the states of the clock, each once, in the order of time.
    #[must_use]
    pub fn states(&self) -> &[LocalId] {
        &self.states
    }

    /// Returns the number of steps before the cycle begins, or the number of all states if there is no cycle.
    #[must_use]
    pub fn prefix(&self) -> usize {
        self.cycle.unwrap_or(self.states.len())
    }

    /// Returns the length of the cycle, or `None` if the last state blocks everything.
    #[must_use]
    pub fn period(&self) -> Option<usize> {
        self.cycle.map(|first| self.states.len() - first)
    }

    /// Returns true if `holds` is true for the state at every step. False for a clock without cycle.
    pub(crate) fn always(&self, holds: impl Fn(LocalId) -> bool) -> bool {
        self.cycle.is_some() && self.states.iter().all(|&s| holds(s))
    }

    /// Returns the set of all `u + shift` such that the state at step `u` satisfies `holds`.
    pub(crate) fn when(&self, shift: u64, holds: impl Fn(LocalId) -> bool) -> LassoSet {
        let hits =
            |range: std::ops::Range<usize>| range.filter(|&u| holds(self.states[u])).map(move |u| u as u64 + shift);
        let early = hits(0..self.prefix()).collect();
        let start = self.prefix() as u64 + shift;
        let period = self.period().unwrap_or(1) as u64;
        LassoSet::new(early, start, period, hits(self.prefix()..self.states.len()))
    }
}

/// Returns the one state to which all unblocked events of `s` lead, or `None` if `s` blocks everything.
fn successor(
    thread: &Thread,
    s: LocalId,
    ignored: &EventSet,
    conditions: Conditions,
) -> Result<Option<LocalId>, NotClock> {
    let state = thread.state(s);
    let passes = |e: &EventId| !state.block.contains(*e) && !ignored.contains(*e);
    let mut events: Vec<EventId> = state.on.keys().copied().filter(passes).collect();
    // All events that the state does not mention lead to the state itself. The first of them represents all.
    if conditions.keep(SideCondition::InvisibleSelfLoops) || state.on.is_empty() {
        let mut open = EventSet::full(state.block.universe());
        open.subtract(&state.block);
        events.extend(open.iter().find(|e| passes(e) && !state.on.contains_key(e)));
        events.sort_unstable();
    }
    let mut found: Option<(EventId, LocalId)> = None;
    for event in events {
        let mut targets = thread.targets(s, event);
        let to = targets.next().expect("every event has a target");
        if conditions.keep(SideCondition::SingleTargets) && targets.next().is_some() {
            return Err(NotClock::SeveralTargets { state: s, event });
        }
        match found {
            Some(one) if one.1 != to => {
                return Err(NotClock::TwoWays { state: s, one, other: (event, to) });
            }
            _ => found = Some((event, to)),
        }
    }
    Ok(found.map(|(_, to)| to))
}

/// Returns the events that the clock condition ignores. There are none, unless a test has dropped a side
/// condition. Then events that one state blocks are treated as blocked in all states.
fn ignored_events(thread: &Thread, conditions: Conditions) -> EventSet {
    let mut ignored = EventSet::empty(thread.states[0].block.universe());
    if !conditions.keep(SideCondition::BlockedHereOnly) {
        for state in thread.states.iter().filter(|s| !s.bad) {
            ignored.union_with(&state.block);
        }
    }
    ignored
}

impl NotClock {
    /// Appends the failed condition to `why`, with state names of `thread`.
    #[must_use]
    pub fn describe(&self, thread: &Thread, why: WhyNot) -> WhyNot {
        let name = |s: LocalId| &thread.state(s).name;
        match self {
            Self::SeveralInitial { count } => why.text(format!("it has {count} initial states")),
            Self::SeveralTargets { state, event } => {
                why.text(format!("in state `{}` ", name(*state))).event(*event).text(" leads to several states")
            }
            Self::TwoWays { state, one, other } => why
                .text(format!("in state `{}` ", name(*state)))
                .event(one.0)
                .text(format!(" leads to `{}`, but ", name(one.1)))
                .event(other.0)
                .text(format!(" to `{}`", name(other.1))),
        }
    }
}

impl fmt::Display for NotClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SeveralInitial { count } => write!(f, "{count} initial states"),
            Self::SeveralTargets { state, event } => {
                write!(f, "state {}: event {} leads to several states", state.0, event.0)
            }
            Self::TwoWays { state, one, other } => {
                write!(
                    f,
                    "state {}: event {} leads to {}, event {} to {}",
                    state.0, one.0.0, one.1.0, other.0.0, other.1.0
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit;

    #[test]
    fn tables_tell_the_state_at_every_step_of_every_run() {
        let mut random = kit::Random::new(3);
        let mut compared = 0;
        for _ in 0..500 {
            let program = kit::program(&mut random);
            let runs = kit::violating_runs(&program, kit::Sample::default(), &mut random);
            for (i, thread) in program.threads().iter().enumerate() {
                let Ok(clock) = Clock::of(thread) else { continue };
                for (u, state) in runs.iter().flat_map(|run| run.states.iter().enumerate()) {
                    assert_eq!(clock.at(u as u64), Some(LocalId(state[i])), "{}", kit::describe(&program));
                    compared += 1;
                }
            }
        }
        assert!(compared > 10_000, "{compared}");
    }

    #[test]
    fn the_distant_future_is_computed() {
        let mut random = kit::Random::new(4);
        let clock = std::iter::repeat_with(|| kit::program(&mut random))
            .find_map(|p| Clock::of(&p.threads()[0]).ok().filter(|c| c.period() == Some(3)))
            .expect("some clock has a period of 3");
        let far = 3_000_000_000_000_000_000 + clock.prefix() as u64;
        assert_eq!(
            (0..3).map(|u| clock.at(far + u)).collect::<Vec<_>>(),
            (0..3).map(|u| clock.at(clock.prefix() as u64 + u)).collect::<Vec<_>>()
        );
    }
}
