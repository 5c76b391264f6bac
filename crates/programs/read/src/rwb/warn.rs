//! Warnings about features of a whole program that are legal, but probably a mistake.

use super::elaborate::Elaborator;
use formats::codes;
use formats::error::printable;
use model::{EventId, EventSet, LocalId, Program, ThreadId};
use std::collections::BTreeSet;

impl Elaborator<'_> {
    pub(super) fn warn_about(&mut self, program: &Program) {
        self.warn_about_events(program);
        self.warn_about_states(program);
        self.warn_about_ends(program);
    }

    /// Warns about events that no thread requests, since they never happen. Arrays are judged as a whole,
    /// because a part of an array may be unused on purpose (the walls of a grid).
    fn warn_about_events(&mut self, program: &Program) {
        let universe = program.events().len();
        let (mut requested, mut mentioned) = (EventSet::empty(universe), EventSet::empty(universe));
        for state in program.threads().iter().flat_map(|t| &t.states).filter(|s| !s.bad) {
            requested.union_with(&state.request);
            if !state.block.is_full() {
                mentioned.union_with(&state.block);
            }
            state.on.keys().for_each(|event| mentioned.insert(*event));
        }
        let arrays: Vec<_> = self.events.arrays.iter().map(|a| (a.base, a.first..a.first + a.count)).collect();
        for (base, mut range) in arrays {
            if range.clone().any(|e| requested.contains(EventId::new(e))) {
                continue;
            }
            let name = printable(base.text);
            if range.any(|e| mentioned.contains(EventId::new(e))) {
                let message = format!("no thread requests `{name}`, so it never happens");
                self.warn(
                    &codes::RWB_NEVER_REQUESTED,
                    base.span,
                    message,
                    "waited for or blocked, but never requested",
                );
            } else {
                let message = format!("the event `{name}` is not used");
                self.warn(&codes::RWB_UNUSED_EVENT, base.span, message, "no thread mentions it");
            }
        }
    }

    /// Warns if a thread has no final state although other threads have one. A run may end only where all
    /// threads may end, so the marks `final` in the other threads have no effect.
    fn warn_about_ends(&mut self, program: &Program) {
        let may_end = |t: &usize| {
            let states = (0..program.threads()[*t].states.len()).map(LocalId::new);
            states.into_iter().any(|s| program.is_final(ThreadId::new(*t), s))
        };
        let count = program.threads().len();
        if !program.has_finals() || (0..count).all(|t| may_end(&t)) {
            return;
        }
        let mut never = (0..count).filter(|t| !may_end(t));
        let Some(first) = never.next() else { return };
        let name = printable(&program.threads()[first].name);
        let message = match never.count() {
            0 => format!("no end is proper, as the thread `{name}` has no `final` state"),
            more => format!("no end is proper, as the thread `{name}` and {more} more have no `final` state"),
        };
        self.warn(
            &codes::RWB_NO_END,
            self.thread_spans[first],
            message,
            "the `final` states of the others have no effect",
        );
    }

    /// Warns about states that cannot be reached, whatever the other threads do: one warning for each thread.
    /// States that one `for` declares are judged as a whole, like arrays of events. An unreachable bad state is
    /// desirable and gives no warning.
    fn warn_about_states(&mut self, program: &Program) {
        for (t, thread) in program.threads().iter().enumerate() {
            let reachable = thread.locally_reachable();
            let places = &self.state_places[t].spans;
            let visited: BTreeSet<u32> =
                places.iter().zip(&reachable).filter(|(_, r)| **r).map(|(p, _)| p.start).collect();
            let mut unreachable =
                (0..places.len()).filter(|s| !thread.states[*s].bad && !visited.contains(&places[*s].start));
            let Some(first) = unreachable.next() else { continue };
            let state = printable(&thread.states[first].name);
            let message = match unreachable.count() {
                0 => format!("the state `{state}` cannot be reached"),
                1 => format!("the state `{state}` and another of its thread cannot be reached"),
                more => format!("the state `{state}` and {more} others of its thread cannot be reached"),
            };
            let span = places[first];
            self.warn(&codes::RWB_UNREACHABLE_STATE, span, message, "no events lead here");
        }
    }
}
