//! Engines that look for proofs about a net beside another search, and share its budget.

use crate::entrant::{Entrant, Terms};
use crate::prove;
use crate::turns::Turns;
use model::{Budget, Claim, Engine, Goal, Net, NetTask, Problem, Turn};
use nets::equation::Equation;
use nets::invariants::Invariants;
use nets::{Ic3Bits, NetBitsOptions};
use std::sync::Arc;

/// Engines for goals that are not upward closed. They end if none of the goals is left.
pub(super) struct Provers {
    problem: Problem,
    turns: Turns<'static>,
}

impl Provers {
    /// Returns engines for these goals of the problem, which is about the net.
    pub(super) fn new(problem: Problem, net: Arc<Net>, goals: Vec<Goal>) -> Self {
        let has_goals = !goals.is_empty();
        let task = NetTask::plain(net, problem.formulas().to_vec(), goals);
        let engines = |invariants: Arc<Invariants>| -> [Box<dyn Engine>; 2] {
            let equation = Equation::new(task.clone(), Arc::clone(&invariants));
            [Box::new(equation), Box::new(Ic3Bits::new(task.clone(), invariants, NetBitsOptions::default()))]
        };
        let engines = Invariants::new(&task).map(Arc::new).filter(|_| has_goals).map(engines);
        let entrants = engines.into_iter().flatten().map(|engine| Entrant::ready(engine).on(Terms::PLAIN));
        Self { problem, turns: Turns::of(entrants.collect()) }
    }

    /// Lets an engine have a turn, and returns its claim, with derivations. Claims are not checked. `None` if no engine
    /// has work left.
    pub(super) fn turn(&mut self, budget: &mut Budget) -> Option<Option<Claim>> {
        let before = self.turns.spent();
        let turn = self.turns.one(1, &budget.stop);
        budget.spend(1 + self.turns.spent() - before);
        let (runner, turn) = turn?;
        let Turn::Claims(mut claim) = turn else { return Some(None) };
        prove::complete(&self.problem, &mut claim, &certify::Options::default(), &budget.stop);
        self.turns.settled(Some(runner), claim.goals());
        Some(Some(claim))
    }

    /// Returns the work of the engines so far, in microseconds.
    pub(super) fn spent(&self) -> u64 {
        self.turns.spent()
    }
}
