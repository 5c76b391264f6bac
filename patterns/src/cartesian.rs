//! Finds local states that no thread can reach, even if each other thread may be in any of its own reachable
//! states.
//!
//! # Formula
//!
//! Let F be the least family of sets of local states, one set for each thread, that contains all initial states
//! and is closed under *alive* events. An event is alive if and only if some thread requests it in a state of
//! its set, and every thread has a state in its set that does not block it. States outside F are never visited.
//! This is the Cartesian abstraction of the product, and thread-modular reasoning as in Flanagan and Qadeer
//! 2003.
//!
//! # Soundness
//!
//! Every state of a run lies in F. Proof: by induction over the run, the state of each thread lies in its set,
//! so every event that fires is alive.
//!
//! An event that no thread can request, or that some thread always blocks, makes everything that depends on it
//! unreachable: phases that never begin, and markers that wait for such an event. The pattern only emits
//! restrictions.

use crate::future::Closure;
use model::{Goal, LemmaKind, LocalId, Match, Pattern, Restriction, Thread, ThreadId, Unreachable, WhyNot};

/// States outside `F` that are locally reachable in their thread.
pub const STATES: LemmaKind = LemmaKind("cartesian.states");

/// The registered pattern.
pub const CARTESIAN: Cartesian = Cartesian;

/// The restriction to the states that the Cartesian abstraction reaches.
#[derive(Clone, Copy, Debug)]
pub struct Cartesian;

impl Pattern for Cartesian {
    fn name(&self) -> &'static str {
        "cartesian"
    }

    fn recognize(&self, _threads: &[Thread], _goal: Goal) -> Result<Box<dyn Match>, WhyNot> {
        Err(WhyNot::new(None, "it only finds states out of reach, and has no lemmas"))
    }

    /// Returns locally reachable states that are outside F. The cost is linear in the total size of arrows,
    /// requests and blocks of the threads.
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
