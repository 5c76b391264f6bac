//! All states of a small program: the truth that everything else is compared with.

use super::{State, goal, holds, initial, successors};
use crate::{Reached, reach};
use model::{Goal, Problem, Program};
use std::collections::BTreeMap;

/// What is true of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Truth {
    /// Events of a shortest run into a state of the goal, for each goal that is reachable.
    pub shortest: BTreeMap<Goal, u64>,
    /// Distinct reachable composite states.
    pub states: u64,
    /// Pairs of an enabled event and a successor, over all of them.
    pub transitions: u64,
    /// The states, with the length of a shortest run into each.
    pub depths: BTreeMap<State, u64>,
}

fn explored(program: &Program, most: usize) -> Option<(Reached<State>, Truth)> {
    let mut transitions = 0;
    let reached = reach(initial(program), most, |state| {
        let next = successors(program, state);
        transitions += next.len() as u64;
        next.into_iter().map(|(_, to)| to).collect()
    })?;
    let depth = |asked: Goal| Some((asked, reached.nearest(|s| goal(program, s) == Some(asked))?));
    let shortest = [Goal::Bad, Goal::Deadlock].into_iter().filter_map(depth).collect();
    let (states, depths) = (reached.states.len() as u64, reached.depths.clone());
    Some((reached, Truth { shortest, states, transitions, depths }))
}

/// Explores all of `program` breadth first; `None` if it has more than `most` states.
#[must_use]
pub fn truth(program: &Program, most: usize) -> Option<Truth> {
    Some(explored(program, most)?.1)
}

/// As [`truth`], of all that is asked.
#[must_use]
pub fn truth_of(problem: &Problem, most: usize) -> Option<Truth> {
    let program = problem.system().as_program()?;
    let (reached, mut truth) = explored(program, most)?;
    for goal in problem.goals() {
        let Some(formula) = problem.formula(goal) else { continue };
        if let Some(depth) = reached.nearest(|s| holds(program, formula, s)) {
            truth.shortest.insert(goal, depth);
        }
    }
    Some(truth)
}
