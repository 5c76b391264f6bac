//! The exploration of one thread abstraction, breadth first.

use crate::thread_abstraction::run::AbstractRun;
use crate::thread_abstraction::stepper::Projection;
use crate::thread_abstraction::threads::Threads;
use model::{Certificate, EventId, Goal, Stop, ThreadId};
use search::{Breadth, Packed, Pause, StateId};
use std::sync::Arc;

/// Successors per work unit. An expansion is also a work unit, or two if the goal is a deadlock. Successors
/// count separately, because explorations that end at a goal leave most of them unexpanded.
const TRANSITIONS_PER_UNIT: u64 = 16;

/// Work units for setting up an exploration, in addition to those for the kept threads.
const SETUP: u64 = 64;

/// Pairs of a local state and an event that are prepared per work unit.
const CELLS_PER_UNIT: u64 = 4;

/// The exploration of the abstraction that keeps some threads.
#[derive(Debug)]
pub(crate) struct Attempt {
    pub(crate) kept: Vec<ThreadId>,
    goal: Goal,
    /// The event of each label.
    events: Vec<EventId>,
    search: Packed<Projection>,
}

impl Attempt {
    pub(crate) fn new(threads: &Arc<Threads>, kept: Vec<ThreadId>, goal: Goal) -> Self {
        let (stepper, events) = Projection::new(threads, &kept, goal);
        Self { kept, goal, events, search: Packed::new(stepper, Breadth::of) }
    }

    /// Work units that [`Attempt::new`] takes for `kept`.
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

    /// Work units spent so far.
    pub(crate) fn units(&self) -> u64 {
        let each = if self.goal == Goal::Deadlock { 2 } else { 1 };
        self.search.expanded() as u64 * each + self.search.transitions() / TRANSITIONS_PER_UNIT
    }

    /// Explores until the work reaches about `most` units, or until an abstract state is found that may
    /// represent a goal state.
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

    /// Continues although the next expansion costs more than what is left. Attempts do not save up work for
    /// later turns.
    fn expand_dear(&mut self, stop: &Stop) -> Pause<StateId> {
        match self.search.advance(u64::MAX, &[self.goal], stop) {
            Pause::Hit((_, id)) => Pause::Hit(id),
            Pause::Exhausted => Pause::Exhausted,
            Pause::Stuck(reason) => Pause::Stuck(reason),
            Pause::Turn | Pause::Dear => Pause::Turn,
        }
    }

    /// Returns a shortest run to `id`, unpacked, or `None` if there is not enough memory for it.
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

    /// Makes a certificate from the states. Call it only after the exploration is exhausted.
    pub(crate) fn into_certificate(self) -> Certificate {
        let states = self.search.into_states();
        Certificate::Projection(model::Projection { kept: self.kept, states })
    }
}
