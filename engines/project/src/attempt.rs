//! One projection being explored, breadth first.

use crate::run::AbstractRun;
use crate::stepper::Projection;
use crate::threads::Threads;
use model::{Certificate, EventId, Goal, Kind, Reason, Stop, ThreadId};
use std::ops::ControlFlow;
use store::{StateId, Sweep};

/// An expansion is a unit of work (two, where states are also asked what is surely enabled), and so are this many successors:
/// explorations that end at a hit leave most of what they found unexpanded.
const TRANSITIONS_PER_UNIT: u64 = 16;

/// Units of work to set up an exploration, beside those for the kept threads.
const SETUP: u64 = 64;

/// Local states times events that are prepared for in a unit of work.
const CELLS_PER_UNIT: u64 = 4;

/// States expanded between looks at the stop flag.
const POLL_EVERY: u64 = 1024;

/// The exploration of the projection onto some threads.
#[derive(Debug)]
pub(crate) struct Attempt {
    pub(crate) kept: Vec<ThreadId>,
    goal: Goal,
    /// By label.
    events: Vec<EventId>,
    search: Sweep<Projection>,
    started: bool,
}

/// Why a stretch of exploration ended.
#[derive(Debug)]
pub(crate) enum Pause {
    /// This state may stand for one of the goal.
    Hit(StateId),
    /// There is none.
    Exhausted,
    Stuck(Reason),
    Turn,
}

impl Attempt {
    pub(crate) fn new(threads: &Threads, kept: Vec<ThreadId>, goal: Goal) -> Self {
        let (stepper, events) = Projection::new(threads, &kept, goal);
        Self { kept, goal, events, search: Sweep::new(stepper), started: false }
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

    /// Explores until its work reaches about `most` units.
    pub(crate) fn explore(&mut self, most: u64, stop: &Stop) -> Pause {
        if !self.started {
            let bytes = self.search.growth_bytes_initial();
            if bytes == usize::MAX || !stop.may_allocate(bytes) {
                return Pause::Stuck(Reason::Memory);
            }
            if !self.search.start(|| stop.raised().is_none()) {
                return Pause::Stuck(stop.raised().unwrap_or(Reason::Interrupted));
            }
            self.started = true;
        }
        let mut polled = self.units();
        loop {
            if self.search.is_exhausted() {
                return Pause::Exhausted;
            }
            let left = most.saturating_sub(self.units());
            if left == 0 {
                return Pause::Turn;
            }
            if self.units() >= polled + POLL_EVERY {
                polled = self.units();
                if stop.raised().is_some() {
                    return Pause::Turn;
                }
            }
            let bytes = self.search.growth_bytes();
            if bytes == usize::MAX || (bytes > 0 && !stop.may_allocate(bytes)) {
                return Pause::Stuck(Reason::Memory);
            }
            if let Some(id) = self.advance(left) {
                return Pause::Hit(id);
            }
        }
    }

    fn advance(&mut self, left: u64) -> Option<StateId> {
        let mut hit = None;
        self.search.advance(usize::try_from(left).unwrap_or(usize::MAX), |id, kind| {
            if kind == Kind::Goal(self.goal) {
                hit = Some(id);
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        hit
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
        let states = Box::new(self.search.into_states());
        Certificate::Projection(model::Projection { kept: self.kept, states })
    }
}
