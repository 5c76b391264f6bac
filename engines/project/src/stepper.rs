//! Stepping through projections: kept threads beside an environment that requests whatever it may.

use crate::sure::Sure;
use crate::threads::Threads;
use model::{EventId, Goal, Kind, ThreadId};
use std::sync::Arc;
use store::{RwbStepper, Step, Successors};

/// The projection onto some threads; its goal states are those that may stand for one of the whole program. States have one
/// slot per kept thread.
#[derive(Debug)]
pub(crate) struct Projection {
    may: RwbStepper,
    /// If plain deadlocks are looked for.
    sure: Option<Sure>,
    width: usize,
}

impl Projection {
    /// Projects onto `kept`; also returns the events by label.
    pub(crate) fn new(threads: &Arc<Threads>, kept: &[ThreadId], goal: Goal) -> (Self, Vec<EventId>) {
        let projected = threads.outlines.project(&threads.program, kept);
        let may = RwbStepper::new(&projected.program);
        let sure = (goal == Goal::Deadlock).then(|| Sure::new(threads, kept));
        (Self { may, sure, width: kept.len() }, projected.events)
    }
}

/// The environment comes last and has one state. It takes no bits, so [`Sure`] packs kept threads alike.
impl Step for Projection {
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

    fn expand(&mut self, packed: &[u64], out: &mut Successors) -> Kind {
        let kind = self.may.expand(packed, out);
        if kind == Kind::Goal(Goal::Bad) {
            return kind;
        }
        // A state without any move is none by that: it only stays as it is.
        let may_be_stuck = self.sure.as_mut().is_some_and(|sure| !sure.has_event(packed));
        if may_be_stuck { Kind::Goal(Goal::Deadlock) } else { Kind::Inner }
    }

    fn max_fan_out(&self) -> u64 {
        self.may.max_fan_out()
    }

    fn fan_out(&self, packed: &[u64]) -> u64 {
        self.may.fan_out(packed)
    }
}
