//! Local states that no thread can come to, however the others behave within what each of them can come to.
//!
//! Formula: the least family F of sets of local states with all initial states in it that is closed under *alive* events; an
//! event is alive iff some thread has a state in its F that requests it and every thread has one that does not block it.
//! What lies outside of F is never visited (the Cartesian abstraction of the product; thread-modular reasoning as in Flanagan
//! and Qadeer 2003). Sound: by induction over a run, each thread's state lies in its F, so every event that fires is alive.
//!
//! This is where events that nobody can request, or that somebody blocks for ever, take their consequences with them:
//! phases that never begin, markers that wait for what never comes. It speaks of restrictions only.

use crate::future::Closure;
use model::{Goal, LemmaKind, LocalId, Match, Pattern, Restriction, Thread, ThreadId, Unreachable, WhyNot};

/// `F` leaves out local states that a thread by itself would come to.
pub const STATES: LemmaKind = LemmaKind("cartesian.states");

/// The pattern, as registered.
pub const CARTESIAN: Cartesian = Cartesian;

/// The restriction to what the Cartesian abstraction reaches.
#[derive(Clone, Copy, Debug)]
pub struct Cartesian;

impl Pattern for Cartesian {
    fn name(&self) -> &'static str {
        "cartesian"
    }

    fn recognize(&self, _threads: &[Thread], _goal: Goal) -> Result<Box<dyn Match>, WhyNot> {
        Err(WhyNot::new(None, "it only finds states out of reach, and has no lemmas"))
    }

    /// States that a thread by itself reaches and F leaves out. Cost: linear in the sum of the threads' arrows and sets.
    fn restrict(&self, threads: &[Thread]) -> Option<Restriction> {
        let closure = Closure::of(threads, threads.iter().map(|t| t.initial.clone()));
        let mut excluded = Vec::new();
        for (i, thread) in threads.iter().enumerate() {
            let alone = thread.locally_reachable();
            let out = (0..alone.len()).filter(|&s| alone[s] && !closure.contains(i, s));
            excluded.extend(out.map(|s| (ThreadId::new(i), LocalId::new(s))));
        }
        (!excluded.is_empty()).then_some(Restriction { kind: STATES, excluded, why: Unreachable::Cartesian })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit;
    use std::collections::BTreeSet;

    #[test]
    fn excluded_states_are_never_visited() {
        let mut random = kit::Random::new(6);
        let mut excluded = 0;
        for _ in 0..3_000 {
            let program = kit::program(&mut random);
            let Some(restriction) = CARTESIAN.restrict(program.threads()) else { continue };
            let out: BTreeSet<_> = restriction.excluded.iter().copied().collect();
            let mut seen: BTreeSet<Box<[u32]>> = kit::initial_states(&program).into_iter().collect();
            let mut work: Vec<_> = seen.iter().cloned().collect();
            while let Some(state) = work.pop() {
                let visited = |(i, s): (usize, &u32)| out.contains(&(ThreadId::new(i), LocalId(*s)));
                assert!(!state.iter().enumerate().any(visited), "{state:?} {}", kit::describe(&program));
                for event in kit::enabled(&program, &state) {
                    let next = kit::successors(&program, &state, event).into_iter();
                    work.extend(next.filter(|n| seen.insert(n.clone())));
                }
            }
            excluded += out.len();
        }
        assert!(excluded > 300, "{excluded}");
    }
}
