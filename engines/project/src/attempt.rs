//! One projection being explored, breadth first.

use crate::run::AbstractRun;
use crate::stepper::Projection;
use crate::threads::Threads;
use model::{Certificate, EventId, Goal, Stop, ThreadId};
use std::sync::Arc;
use store::StateId;
use store::search::{Breadth, Packed, Pause};

/// An expansion is a unit of work (two, where states are also asked what is surely enabled), and so are this many
/// successors: explorations that end at a hit leave most of what they found unexpanded.
const TRANSITIONS_PER_UNIT: u64 = 16;

/// Units of work to set up an exploration, beside those for the kept threads.
const SETUP: u64 = 64;

/// Local states times events that are prepared for in a unit of work.
const CELLS_PER_UNIT: u64 = 4;

/// The exploration of the projection onto some threads.
#[derive(Debug)]
pub(crate) struct Attempt {
    pub(crate) kept: Vec<ThreadId>,
    goal: Goal,
    /// By label.
    events: Vec<EventId>,
    search: Packed<Projection>,
}

impl Attempt {
    pub(crate) fn new(threads: &Arc<Threads>, kept: Vec<ThreadId>, goal: Goal) -> Self {
        let (stepper, events) = Projection::new(threads, &kept, goal);
        Self { kept, goal, events, search: Packed::new(stepper, Breadth::of) }
    }

    /// Units of work that [`Attempt::new`] takes for `kept`.
    pub(crate) fn setup(threads: &Threads, kept: &[ThreadId]) -> u64 {
        let cells = kept.iter().map(|&t| {
            let states = threads.program.thread(t).states.len() as u64;
            states.saturating_mul(threads.mentions(t).len() as u64 + 4)
        });
        let universe = threads.program.events().len() as u64;
        SETUP.saturating_add(universe.saturating_add(cells.fold(0, u64::saturating_add)) / CELLS_PER_UNIT)
    }

    /// States found so far.
    pub(crate) fn states(&self) -> u64 {
        self.search.len() as u64
    }

    /// Transitions taken so far.
    pub(crate) fn transitions(&self) -> u64 {
        self.search.transitions()
    }

    /// The work done so far.
    pub(crate) fn units(&self) -> u64 {
        let each = if self.goal == Goal::Deadlock { 2 } else { 1 };
        self.search.expanded() as u64 * each + self.search.transitions() / TRANSITIONS_PER_UNIT
    }

    /// Explores until its work reaches about `most` units, or until a state that may stand for one of the goal.
    pub(crate) fn explore(&mut self, most: u64, stop: &Stop) -> Pause<StateId> {
        loop {
            let left = most.saturating_sub(self.units());
            match self.search.advance(left, &[self.goal], stop) {
                Pause::Hit((_, id)) => return Pause::Hit(id),
                Pause::Exhausted => return Pause::Exhausted,
                Pause::Stuck(reason) => return Pause::Stuck(reason),
                Pause::Dear if left > 0 => return self.expand_dear(stop),
                Pause::Turn | Pause::Dear if left == 0 || stop.raised().is_some() => return Pause::Turn,
                Pause::Turn | Pause::Dear => {}
            }
        }
    }

    /// Goes on although the next expansion takes more than is left: attempts are not worth saving up for.
    fn expand_dear(&mut self, stop: &Stop) -> Pause<StateId> {
        match self.search.advance(u64::MAX, &[self.goal], stop) {
            Pause::Hit((_, id)) => Pause::Hit(id),
            Pause::Exhausted => Pause::Exhausted,
            Pause::Stuck(reason) => Pause::Stuck(reason),
            Pause::Turn | Pause::Dear => Pause::Turn,
        }
    }

    /// A shortest run to `id`, unpacked; `None` if there is no memory for it.
    pub(crate) fn run_to(&mut self, threads: &Threads, id: StateId, stop: &Stop) -> Option<AbstractRun> {
        let bytes = self.search.trace_bytes(id);
        // Traces may fold repetitions; runs do not.
        let length = bytes / 4;
        if !stop.may_allocate(bytes.saturating_add(AbstractRun::bytes(length, self.kept.len()))) {
            return None;
        }
        let trace = self.search.trace_to(id);
        AbstractRun::new(threads, &self.kept, &self.events, &trace)
    }

    /// Its states as evidence. Only after it was exhausted.
    pub(crate) fn into_certificate(self) -> Certificate {
        let states = self.search.into_states();
        Certificate::Projection(model::Projection { kept: self.kept, states })
    }
}
