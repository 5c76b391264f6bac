//! The search for one goal, with only the theory of transition systems in the CDCL solver.
//!
//! A goal marking of a net may have successors. A shortest run into a goal ends in its first marking of that
//! goal. So a search for one goal may treat its markings as terminal, and the stepper passed in does this.
//! Searches for different goals therefore share neither clauses nor states.

use crate::dpllt::Options;
use model::{Budget, Goal, Reason, Stats, Stop, Trace};
use sat::{Limits, SolveResult, Solver};
use search::{Exploration, PackedStates, Stepper};
use ts::TsTheory;

/// The result of a turn of the search.
pub(crate) enum Outcome {
    /// A run into the goal.
    Found(Trace),
    /// No run ends in the goal, and the bound excluded no marking: the states seen are closed.
    Closed,
    /// No run within the bound ends in the goal.
    Cut,
    /// No run within the bound ends in the goal, and a number exceeded its slot.
    Overflow,
    /// The result is not known yet.
    More,
    /// The theory could not complete an answer. This does not happen without lemmas.
    GaveUp,
}

/// A search for one goal.
pub(crate) struct GoalSearch<S: Stepper> {
    solver: Solver,
    ts: TsTheory<S>,
    stop_at_overflow: bool,
}

/// Bytes for each initial state: its variable in the solver and the theory, its literal in the root clause, and
/// growth of vectors. This is a generous estimate. All initial states get a variable.
const BYTES_PER_INITIAL: usize = 512;

impl<S: Stepper> GoalSearch<S> {
    /// Creates a search over `stepper`, in which states of `goal` have no successors. Returns `None`, and
    /// raises the stop flag, if the initial states do not fit the memory limit. `stop_at_overflow` is true if
    /// slots can still be widened, so that the search can end when one overflows.
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

    /// Searches until there is a result or the budget is used up.
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
            SolveResult::Unsat if self.solver.core().is_empty() => Outcome::Closed,
            SolveResult::Unsat if overflowed => Outcome::Overflow,
            SolveResult::Unsat => Outcome::Cut,
            SolveResult::Stopped if overflowed && self.stop_at_overflow => Outcome::Overflow,
            SolveResult::Stopped => Outcome::More,
            SolveResult::Sat | SolveResult::Unknown => Outcome::GaveUp,
        }
    }

    /// Returns the counts of this search.
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

    /// Returns the explored system.
    pub(crate) fn exploration(&mut self) -> &mut Exploration<S> {
        self.ts.exploration()
    }

    /// Returns the states seen. They are evidence after [`Outcome::Closed`].
    pub(crate) fn into_states(self) -> PackedStates<S> {
        self.ts.into_exploration().into_states()
    }
}
