//! The step of the induction: consecutive frames from any state.

use crate::bmc::Unrolling;
use crate::formula::{Effort, Formula};
use model::{Budget, Circuit, Goal, Signal};
use sat::SolveResult;
use std::sync::Arc;

/// Queries that may reach the limits in a round, for each open goal, if there are several. Then the round ends.
const UNDECIDED: usize = 8;

/// The frames of the step, with the solver that is asked about them. A *round* asks about each open goal.
pub(super) struct Step {
    circuit: Arc<Circuit>,
    unrolling: Unrolling,
    formula: Formula,
    /// Goals that were not proven so far. For each frame: the copy of the goal's signal.
    open: Vec<(Goal, Signal, Vec<Signal>)>,
    /// The goals before this one in `open` are not proven by the frames so far.
    current: usize,
    effort: Effort,
    /// Queries of the round that reached the limits.
    undecided: usize,
    pub(super) queries: u64,
}

impl Step {
    pub(super) fn new(circuit: &Arc<Circuit>, goals: Vec<(Goal, Signal)>) -> Self {
        let unrolling = Unrolling::from_any_state(Arc::clone(circuit), goals.iter().map(|(_, signal)| *signal));
        Self {
            circuit: Arc::clone(circuit),
            unrolling,
            formula: Formula::default(),
            current: goals.len(),
            open: goals.into_iter().map(|(goal, signal)| (goal, signal, Vec::new())).collect(),
            effort: Effort::default(),
            undecided: 0,
            queries: 0,
        }
    }

    /// The number of frames before the last one.
    pub(super) fn frames(&self) -> usize {
        self.unrolling.frames().saturating_sub(1)
    }

    /// The number of nodes that each frame has.
    pub(super) fn width(&self) -> usize {
        self.unrolling.width()
    }

    pub(super) fn is_over(&self) -> bool {
        self.open.is_empty()
    }

    /// Removes goals that are settled. The list must be sorted.
    pub(super) fn settle(&mut self, goals: &[Goal]) {
        for at in (0..self.open.len()).rev() {
            if goals.binary_search(&self.open[at].0).is_ok() {
                self.open.remove(at);
                self.current -= usize::from(at < self.current);
            }
        }
    }

    /// Asks one query, or adds a frame if all goals were asked about. Returns a goal that cannot be true after
    /// [`Step::frames`] frames in which it is false.
    pub(super) fn advance(&mut self, budget: &mut Budget) -> Option<Goal> {
        let Some((goal, _, copies)) = self.open.get(self.current) else {
            self.add_frame(budget);
            return None;
        };
        let (&last, before) = copies.split_last()?;
        let mut asked: Vec<Signal> = before.iter().map(|&copy| !copy).filter(|&copy| copy != Signal::TRUE).collect();
        asked.push(last);
        let goal = *goal;
        let is_refuted = if asked.contains(&Signal::FALSE) {
            Some(true)
        } else {
            self.queries += 1;
            match self.formula.spend(self.unrolling.graph(), &asked, &mut self.effort, budget) {
                SolveResult::Unsat => Some(true),
                SolveResult::Sat => Some(false),
                SolveResult::Unknown | SolveResult::Stopped => None,
            }
        };
        match is_refuted {
            Some(true) => {
                self.open.remove(self.current);
                Some(goal)
            }
            Some(false) => {
                self.current += 1;
                None
            }
            None => {
                self.put_off();
                None
            }
        }
    }

    /// Asks about the other goals first. If they have been asked about often enough, the round ends.
    fn put_off(&mut self) {
        self.undecided += 1;
        self.open[self.current..].rotate_left(1);
        if self.open.len() > 1 && self.undecided >= UNDECIDED * self.open.len() {
            self.current = self.open.len();
        }
    }

    fn add_frame(&mut self, budget: &mut Budget) {
        if !budget.stop.may_allocate(self.unrolling.growth_bytes()) {
            return;
        }
        // With a single goal, the solver simplifies what it knows by the frames in which the goal is false.
        if let [(_, _, copies)] = &self.open[..]
            && let Some(&last) = copies.last()
            && last != Signal::FALSE
        {
            self.formula.require(self.unrolling.graph(), !last);
        }
        self.unrolling.advance();
        (self.current, self.undecided) = (0, 0);
        for &constraint in self.circuit.constraints() {
            let copy = self.unrolling.copy(constraint);
            if copy != Signal::TRUE {
                self.formula.require(self.unrolling.graph(), copy);
            }
        }
        for (_, signal, copies) in &mut self.open {
            copies.push(self.unrolling.copy(*signal));
        }
        budget.spend(1 + self.unrolling.width() as u64 / crate::formula::NODES_PER_UNIT);
    }
}
