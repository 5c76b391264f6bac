//! One goal, one search: the theory of transition systems alone under the CDCL core.
//!
//! A goal marking of a net may have successors. A shortest run into a goal ends in its first marking of that goal, so a
//! search for one goal may treat that goal as terminal, and that is what the stepper handed in does. Searches for different
//! goals therefore share neither clauses nor states.

use crate::Options;
use model::{Budget, Goal, Reason, Stats, Stop, Trace};
use sat::{Answer, Limits, Solver};
use store::{Exploration, PackedStates, Step};
use ts::TsTheory;

/// How a turn of the search ended.
pub(crate) enum Outcome {
    /// A run into the goal.
    Found(Trace),
    /// No run ends in the goal, and nothing was cut off: the states seen are closed.
    Closed,
    /// No run within the bound ends in the goal.
    Cut,
    /// The same, and a number outgrew its representation.
    Overflow,
    /// Not yet known.
    More,
    /// The theory could not complete an answer; never so without lemmas.
    GaveUp,
}

/// A search for one goal.
pub(crate) struct GoalSearch<S: Step> {
    solver: Solver,
    ts: TsTheory<S>,
    stop_at_overflow: bool,
}

/// What a variable costs in the solver and the theory, with the root clause and doubling vectors: a generous guess, for the
/// initial states, which all get one.
const BYTES_PER_INITIAL: usize = 512;

impl<S: Step> GoalSearch<S> {
    /// A search over `stepper`, in which states of `goal` have no successors; `None` if the initial states do not fit the
    /// memory limit (and then work must stop). `stop_at_overflow`: a wider representation is at hand, so nobody wants the rest of this search.
    pub(crate) fn new(stepper: S, goal: Goal, options: Options, stop_at_overflow: bool, stop: &Stop) -> Option<Self> {
        let literals = usize::try_from(stepper.initial_count()).unwrap_or(usize::MAX).saturating_mul(BYTES_PER_INITIAL);
        let exploration = Exploration::new(stepper);
        let bytes = exploration.growth_bytes_initial().saturating_add(literals);
        if bytes == usize::MAX || !stop.may_allocate(bytes) {
            stop.raise(Reason::Memory);
            return None;
        }
        let mut solver = Solver::new(sat::Options::default());
        let how = ts::Options { batch: options.batch, stop_at_overflow, no_initial: false };
        let ts = TsTheory::new(exploration, &[goal], how, &mut solver);
        Some(Self { solver, ts, stop_at_overflow })
    }

    /// Searches until something is known or the budget ends.
    pub(crate) fn run(&mut self, budget: &mut Budget) -> Outcome {
        self.ts.begin_turn(budget.work, std::sync::Arc::clone(&budget.stop));
        let assume = [!self.ts.cut()];
        let answer = self.solver.solve_with(&mut self.ts, &assume, &Limits::default());
        budget.work = self.ts.work_left();
        budget.stop.report_states(self.ts.explored().len() as u64);
        if let Some((_, state)) = self.ts.take_found() {
            let trace = self.ts.exploration().trace_to(state);
            return Outcome::Found(trace.expect("a found state has a run from an initial state"));
        }
        let overflowed = self.ts.overflowed();
        match answer {
            Answer::Unsat if self.solver.core().is_empty() => Outcome::Closed,
            Answer::Unsat if overflowed => Outcome::Overflow,
            Answer::Unsat => Outcome::Cut,
            Answer::Stopped if overflowed && self.stop_at_overflow => Outcome::Overflow,
            Answer::Stopped => Outcome::More,
            Answer::Sat | Answer::Unknown => Outcome::GaveUp,
        }
    }

    /// The counts of this search.
    pub(crate) fn stats(&self) -> Stats {
        let counts = self.ts.counts();
        let solver = self.solver.stats();
        let states = self.ts.explored().len() as u64;
        let mut stats = Stats { states, transitions: self.ts.explored().transitions(), ..Stats::default() };
        stats.more.extend([
            ("splits", counts.splits),
            ("components", counts.components),
            ("literals", counts.literals),
            ("decisions", solver.decisions),
            ("conflicts", solver.conflicts),
        ]);
        stats
    }

    /// The explored system.
    pub(crate) fn exploration(&mut self) -> &mut Exploration<S> {
        self.ts.exploration()
    }

    /// The states seen: evidence after [`Outcome::Closed`].
    pub(crate) fn into_states(self) -> PackedStates<S> {
        self.ts.into_exploration().into_states()
    }
}
