//! The engine: decides for each number of frames which outputs can be true in the last frame.

use super::Unrolling;
use crate::formula::{Effort, Formula, NODES_PER_UNIT};
use crate::rounds::Rounds;
use model::{Budget, CircuitTask, Claim, Engine, Goal, Signal, Stats, Turn};
use sat::SolveResult;
use std::sync::Arc;

/// Bounded model checking for the outputs of a circuit. Given enough time and memory, it finds a shortest run to
/// each output that can be true.
pub struct Bmc {
    task: Arc<CircuitTask>,
    unrolling: Unrolling,
    formula: Formula,
    /// Outputs without a run so far. A round asks which of them can be true in the last frame.
    open: Rounds<Signal>,
    effort: Effort,
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
            open: Rounds::new(open),
            effort: Effort::default(),
            is_over: false,
            queries: 0,
        }
    }

    /// The number of frames.
    pub(crate) fn frames(&self) -> usize {
        self.unrolling.frames()
    }

    /// True if all runs are shorter than the number of frames, because no inputs satisfy the constraints.
    pub(crate) fn has_only_short_runs(&self) -> bool {
        self.is_over
    }

    /// The number of first frames in which this open goal cannot be true.
    pub(crate) fn decided(&self, goal: Goal) -> usize {
        if self.is_over {
            usize::MAX
        } else if self.open.awaits(goal) {
            self.unrolling.frames().saturating_sub(1)
        } else {
            self.unrolling.frames()
        }
    }

    /// Adds a frame with its constraints. Returns false if the turn must end.
    fn advance(&mut self, budget: &mut Budget) -> bool {
        if !budget.stop.may_allocate(self.unrolling.growth_bytes()) {
            return false;
        }
        self.unrolling.advance();
        self.open.begin();
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
        let answer = self.formula.spend(self.unrolling.graph(), &[copy], &mut self.effort, budget);
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
            let Some(&(goal, signal)) = self.open.current() else {
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
                    self.open.decide();
                    let run = self.unrolling.run(|copy| self.formula.value(copy));
                    let trace = run.trace(self.task.circuit());
                    return Turn::Claims(Claim::Unsafe { goal, trace, candidate: false });
                }
                Some(false) => self.open.pass(),
                // The other outputs are asked about first.
                None => self.open.put_off(),
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
        self.open.settle(goals);
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
