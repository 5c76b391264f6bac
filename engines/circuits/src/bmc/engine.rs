//! The engine: decides for each number of frames which outputs can be true in the last frame.

use super::Unrolling;
use crate::formula::Formula;
use model::{Budget, CircuitTask, Claim, Engine, Goal, Signal, Stats, Turn};
use sat::{Limits, SolveResult};
use std::sync::Arc;

/// Ticks of the solver per work unit.
const TICKS_PER_UNIT: u64 = 32;
/// Copied nodes per work unit.
const NODES_PER_UNIT: u64 = 8;
/// Ticks that one call of the solver should take at most, so that the stop flag is polled often enough.
const TICKS_PER_CALL: u64 = 1 << 22;
/// Maximum number of conflicts in one call of the solver.
const CONFLICTS: u64 = 1_000;

/// Bounded model checking for the outputs of a circuit. Given enough time and memory, it finds a shortest run to
/// each output that can be true.
pub struct Bmc {
    task: Arc<CircuitTask>,
    unrolling: Unrolling,
    formula: Formula,
    /// Outputs without a run so far.
    open: Vec<(Goal, Signal)>,
    /// The outputs before this one in `open` cannot be true in the last frame.
    current: usize,
    /// Conflicts of the next call of the solver.
    conflicts: u64,
    /// True if there is no run with this number of frames, because no inputs satisfy the constraints.
    is_over: bool,
    /// False if all frames are equal, so that the first one says all.
    has_latches: bool,
    queries: u64,
}

impl Bmc {
    /// Creates the engine for the outputs of `task`.
    #[must_use]
    pub fn new(task: &CircuitTask) -> Self {
        let circuit = task.circuit();
        let signal = |output: &model::OutputId| circuit.outputs()[output.index()].signal;
        let open: Vec<_> = task.outputs().iter().map(|output| (Goal::Output(*output), signal(output))).collect();
        let unrolling = Unrolling::new(Arc::clone(circuit), open.iter().map(|(_, signal)| *signal));
        Self {
            task: Arc::new(task.clone()),
            has_latches: unrolling.has_latches(),
            unrolling,
            formula: Formula::default(),
            current: open.len(),
            open,
            conflicts: CONFLICTS,
            is_over: false,
            queries: 0,
        }
    }

    /// Adds a frame with its constraints. Returns false if the turn must end.
    fn advance(&mut self, budget: &mut Budget) -> bool {
        if !budget.stop.may_allocate(self.unrolling.growth_bytes()) {
            return false;
        }
        self.unrolling.advance();
        self.current = 0;
        for &constraint in self.task.circuit().constraints() {
            match self.unrolling.copy(constraint) {
                Signal::TRUE => {}
                Signal::FALSE => self.is_over = true,
                copy => self.formula.require(self.unrolling.graph(), copy),
            }
        }
        budget.spend(1 + self.unrolling.width() as u64 / NODES_PER_UNIT)
    }

    /// Decides whether the copy of the current output can be true. `None` if the limits of the call are reached.
    fn ask(&mut self, copy: Signal, budget: &mut Budget) -> Option<bool> {
        let before = (self.formula.stats().ticks, self.formula.encoded());
        let limits = Limits { conflicts: Some(self.conflicts), ..Limits::default() };
        let answer = self.formula.solve(self.unrolling.graph(), &[copy], &limits);
        let ticks = self.formula.stats().ticks - before.0;
        self.conflicts = match ticks {
            ticks if ticks > TICKS_PER_CALL => (self.conflicts / 2).max(1),
            ticks if ticks < TICKS_PER_CALL / 4 => (self.conflicts * 2).min(CONFLICTS),
            _ => self.conflicts,
        };
        let encoded = (self.formula.encoded() - before.1) as u64;
        budget.spend(1 + ticks / TICKS_PER_UNIT + encoded / NODES_PER_UNIT);
        match answer {
            SolveResult::Sat => Some(true),
            SolveResult::Unsat => {
                self.is_over |= self.formula.is_contradictory();
                Some(false)
            }
            _ => None,
        }
    }
}

impl Engine for Bmc {
    fn name(&self) -> &'static str {
        "bmc"
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        while !self.open.is_empty() && !self.is_over {
            let Some(&(goal, signal)) = self.open.get(self.current) else {
                if !self.has_latches && self.unrolling.frames() > 0 {
                    break;
                }
                if self.advance(budget) {
                    continue;
                }
                return Turn::More;
            };
            let can_be_true = match self.unrolling.copy(signal) {
                Signal::FALSE => Some(false),
                copy => {
                    self.queries += 1;
                    self.ask(copy, budget)
                }
            };
            match can_be_true {
                Some(true) => {
                    self.open.remove(self.current);
                    let run = self.unrolling.run(|copy| self.formula.value(copy));
                    let trace = run.trace(self.task.circuit());
                    return Turn::Claims(Claim::Unsafe { goal, trace, candidate: false });
                }
                Some(false) => self.current += 1,
                None => {}
            }
            if budget.work == 0 || budget.stop.raised().is_some() {
                return Turn::More;
            }
        }
        Turn::Done
    }

    fn refused(&mut self, _goal: Goal) {
        // Never called, because this engine makes no claim with `candidate: true`.
    }

    fn settled(&mut self, goals: &[Goal]) {
        for at in (0..self.open.len()).rev() {
            if goals.binary_search(&self.open[at].0).is_ok() {
                self.open.remove(at);
                self.current -= usize::from(at < self.current);
            }
        }
    }

    fn claims_shortest(&self, _goal: Goal) -> bool {
        true
    }

    fn stats(&self) -> Stats {
        let solver = self.formula.stats();
        let mut stats = Stats::default();
        stats.more.insert("conflicts", solver.conflicts);
        stats.more.insert("frames", self.unrolling.frames() as u64);
        stats.more.insert("queries", self.queries);
        stats
    }
}
