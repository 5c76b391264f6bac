//! Runs of behavioral programs: threads and their local states.

use super::{Change, Play, State, What, everything, sentences};
use crate::cli::trace;
use impasse::model::{Goal, LocalId, Move, Program, ThreadId, Trace};
use impasse::walk;
use serde_json::Value;

pub(super) struct Player<'p> {
    program: &'p Program,
    trace: &'p Trace,
    goal: Goal,
    at: Vec<u32>,
}

impl<'p> Player<'p> {
    pub(super) fn new(program: &'p Program, trace: &'p Trace, goal: Goal) -> Self {
        Self { program, trace, goal, at: trace.start.to_vec() }
    }

    fn thread(&self, thread: usize) -> String {
        self.program.thread(ThreadId::new(thread)).name.clone()
    }

    fn local(&self, thread: usize, state: u32) -> Value {
        Value::from(self.program.thread(ThreadId::new(thread)).state(LocalId(state)).name.as_str())
    }
}

impl Play for Player<'_> {
    fn state(&self) -> State {
        self.at.iter().enumerate().map(|(t, &s)| (self.thread(t), self.local(t, s))).collect()
    }

    fn take(&mut self, step: &Move) -> What {
        let requesters = walk::requesters(self.program, &self.at, step.event);
        let next = trace::after_event(self.program, self.trace, &self.at, step);
        let moved = self.at.iter().zip(&next).enumerate().filter(|(_, (from, to))| from != to);
        let change = |(t, (&from, &to)): (usize, (&u32, &u32))| Change {
            name: self.thread(t),
            from: self.local(t, from),
            to: self.local(t, to),
        };
        let what = What {
            event: Some(self.program.event_name(step.event).to_owned()),
            requested_by: Some(requesters.into_iter().map(|t| self.thread(t.index())).collect()),
            changes: moved.map(change).collect(),
            ..What::default()
        };
        self.at = next;
        what
    }

    fn why(&self, steps: u64) -> Option<String> {
        Some(sentences(&trace::why(self.program, &self.at, self.goal, steps, everything())))
    }
}
