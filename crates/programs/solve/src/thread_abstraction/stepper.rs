//! The stepper of the abstraction: kept threads beside an environment that requests every event that one of
//! the other threads may request.

use crate::RwbStepper;
use crate::thread_abstraction::sure::Sure;
use crate::thread_abstraction::threads::Threads;
use model::{EventId, ExpansionKind, Goal, ThreadId};
use search::{Stepper, Successors};
use std::sync::Arc;

/// The abstraction that keeps some threads. Its goal states are those that may represent a goal state of the
/// whole program. States have one slot for each kept thread.
#[derive(Debug)]
pub(crate) struct Projection {
    may: RwbStepper,
    /// Present if the goal is a deadlock without a bad state.
    sure: Option<Sure>,
    width: usize,
}

impl Projection {
    /// Makes the abstraction that keeps `kept`. Also returns the event of each label.
    pub(crate) fn new(threads: &Arc<Threads>, kept: &[ThreadId], goal: Goal) -> (Self, Vec<EventId>) {
        let projected = threads.outlines.project(&threads.program, kept);
        let may = RwbStepper::new(&projected.program);
        let sure = (goal == Goal::Deadlock).then(|| Sure::new(threads, kept));
        (Self { may, sure, width: kept.len() }, projected.events)
    }
}

/// The environment is the last thread and has one state. It takes no bits, so [`Sure`] packs kept threads in
/// the same way.
impl Stepper for Projection {
    fn words(&self) -> usize {
        self.may.words()
    }

    fn width(&self) -> usize {
        self.width
    }

    fn pack(&self, state: &[u32], out: &mut Vec<u64>) {
        self.may.pack(&[state, &[0]].concat(), out);
    }

    fn unpack(&self, packed: &[u64], out: &mut Vec<u32>) {
        self.may.unpack(packed, out);
        out.truncate(self.width);
    }

    fn initial(&self, sink: &mut dyn FnMut(&[u64])) {
        self.may.initial(sink);
    }

    fn initial_count(&self) -> u64 {
        self.may.initial_count()
    }

    fn expand(&mut self, packed: &[u64], out: &mut Successors) -> ExpansionKind {
        let kind = self.may.expand(packed, out);
        if kind == ExpansionKind::Goal(Goal::Bad) {
            return kind;
        }
        // A state without successors need not be a deadlock, because all its events may leave the kept threads
        // in their states.
        let may_be_stuck = self.sure.as_mut().is_some_and(|sure| !sure.has_event(packed));
        if may_be_stuck { ExpansionKind::Goal(Goal::Deadlock) } else { ExpansionKind::Inner }
    }

    fn max_fan_out(&self) -> u64 {
        self.may.max_fan_out()
    }

    fn fan_out(&self, packed: &[u64]) -> u64 {
        self.may.fan_out(packed)
    }
}
