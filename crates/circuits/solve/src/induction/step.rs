//! The step of the induction: consecutive frames from any state.

use crate::bmc::Unrolling;
use crate::formula::{Effort, Formula};
use crate::rounds::Rounds;
use model::{Budget, Circuit, Goal, Signal};
use sat::SolveResult;
use std::sync::Arc;

/// Queries that may reach the limits in a round, for each open goal, if there are several. Then the round ends.
const UNDECIDED: usize = 8;

/// A goal's signal, and its copy in each frame.
struct Copies {
    signal: Signal,
    copies: Vec<Signal>,
}

/// The frames of the step, with the solver that is asked about them.
pub(super) struct Step {
    circuit: Arc<Circuit>,
    unrolling: Unrolling,
    formula: Formula,
    /// Goals that were not proven so far.
    open: Rounds<Copies>,
    effort: Effort,
    /// Queries of the round that reached the limits.
    undecided: usize,
    pub(super) queries: u64,
}

impl Copies {
    fn new(signal: Signal) -> Self {
        Self { signal, copies: Vec::new() }
    }
}

impl Step {
    pub(super) fn new(circuit: &Arc<Circuit>, goals: Vec<(Goal, Signal)>) -> Self {
        let unrolling = Unrolling::from_any_state(Arc::clone(circuit), goals.iter().map(|(_, signal)| *signal));
        Self {
            circuit: Arc::clone(circuit),
            unrolling,
            formula: Formula::default(),
            open: Rounds::new(goals.into_iter().map(|(goal, signal)| (goal, Copies::new(signal))).collect()),
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
        self.open.settle(goals);
    }

    /// Asks one query, or adds a frame if all goals were asked about. Returns a goal that cannot be true after
    /// [`Step::frames`] frames in which it is false.
    pub(super) fn advance(&mut self, budget: &mut Budget) -> Option<Goal> {
        let Some((goal, Copies { copies, .. })) = self.open.current() else {
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
                self.open.decide();
                Some(goal)
            }
            Some(false) => {
                self.open.pass();
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
        self.open.put_off();
        if self.open.len() > 1 && self.undecided >= UNDECIDED * self.open.len() {
            self.open.end();
        }
    }

    fn add_frame(&mut self, budget: &mut Budget) {
        if !budget.stop.may_allocate(self.unrolling.growth_bytes()) {
            return;
        }
        // With a single goal, the solver simplifies what it knows by the frames in which the goal is false.
        if let Some(&last) = self.open.only().and_then(|goal| goal.copies.last())
            && last != Signal::FALSE
        {
            self.formula.require(self.unrolling.graph(), !last);
        }
        self.unrolling.advance();
        self.open.begin();
        self.undecided = 0;
        for &constraint in self.circuit.constraints() {
            let copy = self.unrolling.copy(constraint);
            if copy != Signal::TRUE {
                self.formula.require(self.unrolling.graph(), copy);
            }
        }
        for goal in self.open.iter_mut() {
            goal.copies.push(self.unrolling.copy(goal.signal));
        }
        budget.spend(1 + self.unrolling.width() as u64 / crate::formula::NODES_PER_UNIT);
    }
}
