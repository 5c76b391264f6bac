//! Warnings about features of a whole program that are legal, but probably a mistake.

use super::elaborate::Elaborator;
use formats::codes::{self, Code};
use formats::error::{Error, Span, Text, printable};
use model::{EventId, EventSet, LocalId, Program, ThreadId};
use std::collections::BTreeSet;

/// The largest number of warnings that are reported.
const WARNINGS: usize = 20;

/// The warnings about a text.
pub(super) struct Warnings<'a> {
    source: Text<'a>,
    pub(super) list: Vec<Error>,
    warned: BTreeSet<(&'static str, u32)>,
}

impl<'a> Warnings<'a> {
    pub(super) fn new(source: Text<'a>) -> Self {
        Self { source, list: Vec::new(), warned: BTreeSet::new() }
    }

    /// Adds a warning, at most once for each code and place.
    pub(super) fn add(&mut self, code: &'static Code, span: Span, message: String, label: &str) {
        if !self.is_full(code, span) {
            self.warned.insert((code.code, span.start));
            let error = self.source.error(code, span.range(), message).label(label);
            self.list.push(*error.warning());
        }
    }

    /// True if a warning would not be added.
    pub(super) fn is_full(&self, code: &'static Code, span: Span) -> bool {
        self.list.len() >= WARNINGS || self.warned.contains(&(code.code, span.start))
    }

    /// Warns about an event that no thread requests, since it never happens.
    pub(super) fn idle_event(&mut self, name: &str, span: Span, is_mentioned: bool) {
        let name = printable(name);
        let (code, message, label) = if is_mentioned {
            let message = format!("no thread requests `{name}`, so it never happens");
            (&codes::RWB_NEVER_REQUESTED, message, "waited for or blocked, but never requested")
        } else {
            (&codes::RWB_UNUSED_EVENT, format!("the event `{name}` is not used"), "no thread mentions it")
        };
        self.add(code, span, message, label);
    }

    /// Warns if some of these threads have a final state, and others have none. A run may end only where all threads
    /// may end, so the marks `final` have no effect.
    pub(super) fn ends<'n>(&mut self, threads: impl Iterator<Item = (&'n str, Span, bool)>) {
        let (may_end, never): (Vec<_>, Vec<_>) = threads.partition(|(.., may_end)| *may_end);
        let Some((name, span, _)) = never.first().filter(|_| !may_end.is_empty()) else { return };
        let name = printable(name);
        let message = match never.len() - 1 {
            0 => format!("no end is proper, as the thread `{name}` has no `final` state"),
            more => format!("no end is proper, as the thread `{name}` and {more} more have no `final` state"),
        };
        self.add(&codes::RWB_NO_END, *span, message, "the `final` states of the others have no effect");
    }
}

impl Elaborator<'_> {
    pub(super) fn warn_about(&mut self, program: &Program) {
        self.warn_about_events(program);
        self.warn_about_states(program);
        let threads = (0..).zip(program.threads()).zip(&self.thread_spans).map(|((t, thread), span)| {
            let mut states = (0..thread.states.len()).map(LocalId::new);
            (thread.name.as_str(), *span, states.any(|s| program.is_final(ThreadId::new(t), s)))
        });
        self.warnings.ends(threads);
    }

    /// Warns about events that no thread requests. Arrays are judged as a whole, because a part of an array may be
    /// unused on purpose (the walls of a grid).
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
        for array in &self.events.arrays {
            let any_in =
                |set: &EventSet| (array.first..array.first + array.count).any(|e| set.contains(EventId::new(e)));
            if !any_in(&requested) {
                self.warnings.idle_event(array.base.text, array.base.span, any_in(&mentioned));
            }
        }
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
            self.warnings.add(&codes::RWB_UNREACHABLE_STATE, span, message, "no events lead here");
        }
    }
}
