//! Search on few threads. An environment replaces the other threads. It blocks nothing, and it requests every
//! event that one of these threads may request.
//!
//! ```
//! use impasse_programs::thread_abstraction::ThreadAbstraction;
//! use model::{Budget, Certificate, Claim, Engine, Goal, LocalState, Program, ProgramTask, ThreadId, Turn};
//! # use model::{EventId, EventSet, LocalId, Thread};
//!
//! # let thread = |name: String, states| Thread { name, states, initial: vec![LocalId(0)] };
//! # let state = |name: &str, request: Option<usize>, on: &[(usize, usize)]| LocalState {
//! #     name: name.to_owned(),
//! #     request: EventSet::from_events(120, request.map(EventId::new)),
//! #     block: EventSet::empty(120),
//! #     bad: false,
//! #     on: on.iter().map(|&(event, to)| (EventId::new(event), vec![LocalId::new(to)])).collect(),
//! # };
//! // Switch i requests event 2i (on) and event 2i + 1 (off) in turns. Sixty switches have 2^60 joint states. The
//! // closure `state` takes the requested event, and the moves as pairs of an event and the next state.
//! let switch = |i: usize| {
//!     let off = state("off", Some(2 * i), &[(2 * i, 1)]);
//!     thread(format!("switch{i}"), vec![off, state("on", Some(2 * i + 1), &[(2 * i + 1, 0)])])
//! };
//! // The last thread is in a bad state if switch 7 is switched on twice without being switched off.
//! let (off, on) = (state("off", None, &[(14, 1)]), state("on", None, &[(14, 2), (15, 0)]));
//! let watch = thread("watch".to_owned(), vec![off, on, LocalState::bad("twice".to_owned(), 120)]);
//! let events = (0..120).map(|e| format!("e{e}")).collect();
//! let program = Program::new(events, (0..60).map(switch).chain([watch]).collect(), vec![Goal::Bad]).unwrap();
//!
//! let mut engine = ThreadAbstraction::new(&ProgramTask::of_program(program.into()));
//! let turn = engine.run(&mut Budget::unlimited(Default::default()));
//! let Turn::Claims(Claim::Safe { certificate, .. }) = turn else { panic!() };
//! let Certificate::Projection(proof) = certificate else { panic!() };
//! assert_eq!(proof.kept, [ThreadId(7), ThreadId(60)], "59 switches are not explored");
//! ```
//!
//! If no goal state is reachable in this abstraction, none is reachable in the program (Kurshan 1994:
//! localization). If one is reachable, the run to it is tried on the dropped threads, one by one. The threads
//! that block the run, or fail to request its events, determine which threads to keep next (Clarke et al.
//! 2000). If no thread excludes the run, it is a real violation. The engine explores the kept threads
//! together, and each of the other threads alone. It explores no larger combinations.
//!
//! [`ThreadAbstraction`] is the engine. Its evidence is a [`model::Projection`] or a [`model::Trace`].

mod attempt;
mod hunt;
mod kept;
mod paths;
mod realise;
mod run;
mod simulate;
mod spurious;
mod stepper;
mod sure;
mod threads;

use hunt::{AbstractionResult, AbstractionSearch};
use model::{Assumption, Budget, Claim, Engine, Goal, Program, ProgramTask, Reason, Stats, Turn};
use std::sync::Arc;
use threads::Threads;

/// Local states, with the events they mention, that are indexed per work unit.
const INDEXED_PER_UNIT: u64 = 4;

/// Minimal work units of a turn of the search for a goal. A turn is at least `1 / SLICE_FRACTION` of the work
/// that the search has done before.
const SLICE: u64 = 1 << 10;
const SLICE_FRACTION: u64 = 8;

/// The engine of thread abstraction. Every goal has its own search.
#[derive(Debug)]
pub struct ThreadAbstraction {
    program: Arc<Program>,
    assumptions: Vec<Assumption>,
    /// Created in the first turn.
    threads: Option<Arc<Threads>>,
    goals: Vec<Goal>,
    /// Searches for goals without a claim.
    hunts: Vec<AbstractionSearch>,
    /// Goals with refused traces.
    refused: Vec<Goal>,
    /// Sums of the statistics of finished searches.
    past: Stats,
    /// Statistics of the last search that ran, for reports.
    last: hunt::Counts,
}

impl ThreadAbstraction {
    /// Makes the engine for the goals of `task`.
    #[must_use]
    pub fn new(task: &ProgramTask) -> Self {
        Self {
            program: Arc::clone(task.program()),
            assumptions: task.assumptions().to_vec(),
            threads: None,
            goals: task.goals().to_vec(),
            hunts: Vec::new(),
            refused: Vec::new(),
            past: Stats::default(),
            last: hunt::Counts::default(),
        }
    }

    fn start(&mut self, budget: &mut Budget) {
        let threads = Arc::new(Threads::new(Arc::clone(&self.program)));
        let local = |s: &model::LocalState| (1 + s.request.size() + s.block.size() + s.on.len()) as u64;
        let size: u64 = self.program.threads().iter().flat_map(|t| &t.states).map(local).sum();
        budget.spend(size / INDEXED_PER_UNIT);
        self.hunts = self.goals.iter().map(|&goal| AbstractionSearch::new(&threads, goal)).collect();
        self.threads = Some(threads);
    }

    /// Runs the search with the least work so far for a turn within `budget`.
    fn slice(&mut self, budget: &mut Budget) -> Option<(Goal, AbstractionResult)> {
        let threads = self.threads.as_ref().expect("made before");
        let (index, _) = self.hunts.iter().enumerate().min_by_key(|(i, h)| (h.counts.spent, *i))?;
        let hunt = &mut self.hunts[index];
        let before = hunt.counts.spent;
        let slice = SLICE.max(before / SLICE_FRACTION).min(budget.work);
        let found = hunt.run(threads, slice, &budget.stop);
        budget.spend(hunt.counts.spent - before);
        self.last = hunt.counts;
        let goal = hunt.goal;
        if !matches!(found, AbstractionResult::More) {
            let counts = self.hunts.remove(index).counts;
            self.past.transitions += counts.transitions;
        }
        Some((goal, found))
    }

    fn claim(&self, goal: Goal, found: AbstractionResult) -> Option<Claim> {
        let unknown = |reason| Some(Claim::Unknown { goals: vec![goal], reason });
        match found {
            AbstractionResult::More => None,
            AbstractionResult::Safe(certificate) => Some(Claim::Safe { goals: vec![goal], certificate }),
            AbstractionResult::Nothing(reason) => unknown(reason),
            AbstractionResult::Unsafe(trace, last) => {
                let length = trace.len().unwrap_or(u64::MAX);
                if self.assumptions.iter().all(|a| a.holds(length, &last)) {
                    return Some(Claim::Unsafe { goal, trace, candidate: !self.assumptions.is_empty() });
                }
                // Continuing would find the same run again, because the abstraction ignores assumptions.
                unknown(Reason::GaveUp)
            }
        }
    }
}

impl Engine for ThreadAbstraction {
    fn name(&self) -> &'static str {
        "thread-abstraction"
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        if self.threads.is_none() {
            self.start(budget);
        }
        loop {
            if !self.refused.is_empty() {
                let goals = std::mem::take(&mut self.refused);
                return Turn::Claims(Claim::Unknown { goals, reason: Reason::GaveUp });
            }
            if self.hunts.is_empty() {
                return Turn::Done;
            }
            if !budget.spend(0) {
                return Turn::More;
            }
            let Some((goal, found)) = self.slice(budget) else { return Turn::Done };
            budget.stop.report_states(self.last.projected + self.last.states);
            if let Some(claim) = self.claim(goal, found) {
                return Turn::Claims(claim);
            }
        }
    }

    fn refused(&mut self, goal: Goal) {
        // The goal's search has ended. Continuing it would find the same run again.
        self.refused.push(goal);
    }

    fn stats(&self) -> Stats {
        let more =
            [("projected", self.last.projected), ("kept", self.last.kept), ("refinements", self.last.refinements)];
        let running = self.hunts.iter().map(|h| h.counts.transitions).sum::<u64>();
        Stats {
            states: self.last.states,
            transitions: self.past.transitions + running,
            more: more.into_iter().collect(),
            ..Stats::default()
        }
    }
}

#[cfg(test)]
mod tests;
