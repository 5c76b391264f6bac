//! The engine: bounded model checking and the step of the induction, in turns.

use super::step::Step;
use crate::Bmc;
use model::{Budget, Certificate, CircuitTask, Claim, Clausal, Clauses, Engine, Goal, Induction, Reason, Stats, Turn};
use std::sync::Arc;

/// Bytes that the checker's formulas take for each node and frame, as an estimate.
const CHECKED_BYTES: usize = 1_000;

/// Work units of the two parts.
#[derive(Default)]
struct Spent {
    first: u64,
    step: u64,
}

/// k-induction for the outputs of a circuit. It proves outputs one by one, and finds shortest violating runs.
pub struct KInduction {
    first: Bmc,
    step: Step,
    /// Goals with a proven step, and its number of frames, until the first frames are decided.
    proven: Vec<(Goal, usize)>,
    spent: Spent,
    /// True if no further run is to be looked for.
    first_is_done: bool,
}

impl KInduction {
    /// Creates the engine for the outputs of `task`.
    #[must_use]
    pub fn new(task: &CircuitTask) -> Self {
        let circuit = task.circuit();
        let signal = |output: &model::OutputId| circuit.outputs()[output.index()].signal;
        let goals = task.outputs().iter().map(|output| (Goal::Output(*output), signal(output))).collect();
        Self {
            first: Bmc::new(task),
            step: Step::new(circuit, goals),
            proven: Vec::new(),
            spent: Spent::default(),
            first_is_done: false,
        }
    }

    /// Returns a goal that is proven: the step is, and no run with so few frames violates it. Goals that the checker
    /// has no memory for are given up.
    fn take_proven(&mut self, budget: &Budget) -> Option<Claim> {
        while let Some(at) = self.proven.iter().position(|&(goal, frames)| frames <= self.first.decided(goal)) {
            let (goal, frames) = self.proven.remove(at);
            self.first.settled(&[goal]);
            let bytes = self.step.width().saturating_mul(frames + 1).saturating_mul(CHECKED_BYTES);
            if frames == 0 || budget.stop.has_room(bytes) {
                return Some(claim(goal, frames));
            }
        }
        None
    }

    /// True if no run has so many frames, and the step was asked about as many.
    fn has_only_short_runs(&self) -> bool {
        self.first.has_only_short_runs() && self.step.frames() > self.first.frames()
    }

    /// Runs one of the parts until it has something to claim, or used its part of the budget.
    fn run_part(&mut self, budget: &mut Budget) -> Option<Turn> {
        let needs_first = !self.proven.is_empty();
        if !self.first_is_done && (needs_first || self.spent.first <= self.spent.step) {
            let given = if needs_first { budget.work } else { budget.work.min(1 + self.spent.step / 4) };
            let mut own = Budget::new(given, Arc::clone(&budget.stop));
            let turn = self.first.run(&mut own);
            let spent = own.spent_of(given).max(1);
            self.spent.first += spent;
            budget.spend(spent);
            match turn {
                Turn::Claims(Claim::Unsafe { goal, trace, candidate }) => {
                    self.step.settle(&[goal]);
                    self.proven.retain(|(other, _)| *other != goal);
                    return Some(Turn::Claims(Claim::Unsafe { goal, trace, candidate }));
                }
                Turn::Done => self.first_is_done = true,
                turn @ Turn::Claims(_) => return Some(turn),
                Turn::More => {}
            }
            return None;
        }
        let before = budget.work;
        if let Some(goal) = self.step.advance(budget) {
            self.proven.push((goal, self.step.frames()));
        }
        self.spent.step += before.saturating_sub(budget.work).max(1);
        None
    }
}

/// The claim that the goal does not occur, by induction over this number of frames.
fn claim(goal: Goal, frames: usize) -> Claim {
    let Some(frames) = u32::try_from(frames).ok().filter(|&frames| frames <= Induction::MOST) else {
        return Claim::Unknown { goals: vec![goal], reason: Reason::GaveUp };
    };
    let induction = (frames > 0).then_some(Induction { frames, first: None });
    let clauses = Clauses { invariant: Clausal::default(), induction, exclusions: vec![(goal, None)] };
    Claim::Safe { goals: vec![goal], certificate: Certificate::Clauses(Box::new(clauses)) }
}

impl Engine for KInduction {
    fn name(&self) -> &'static str {
        "k-induction"
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        loop {
            if let Some(claim) = self.take_proven(budget) {
                return Turn::Claims(claim);
            }
            if self.proven.is_empty() && (self.step.is_over() || self.has_only_short_runs()) {
                return Turn::Done;
            }
            if let Some(turn) = self.run_part(budget) {
                return turn;
            }
            if budget.work == 0 || budget.stop.raised().is_some() {
                return Turn::More;
            }
        }
    }

    fn refused(&mut self, _goal: Goal) {
        // Never called, because this engine makes no claim with `candidate: true`.
    }

    fn settled(&mut self, goals: &[Goal]) {
        self.first.settled(goals);
        self.step.settle(goals);
        self.proven.retain(|(goal, _)| goals.binary_search(goal).is_err());
    }

    fn claims_shortest(&self, _goal: Goal) -> bool {
        true
    }

    fn stats(&self) -> Stats {
        let mut stats = self.first.stats();
        *stats.more.entry("queries").or_default() += self.step.queries;
        stats
    }
}
