//! All states of a small program. Other results are compared with them.

use super::{State, goal, holds, initial, successors};
use crate::{Reached, reach};
use model::{Goal, Problem, Program};
use std::collections::BTreeMap;

/// The results of brute force on a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Truth {
    /// For each reachable goal: the number of events of a shortest run into it.
    pub shortest: BTreeMap<Goal, u64>,
    /// Number of distinct reachable composite states.
    pub states: u64,
    /// Number of pairs of an enabled event and a successor, over all reachable states.
    pub transitions: u64,
    /// For each reachable state: the length of a shortest run into it.
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

/// Explores all of `program` breadth first. Returns `None` if it has more than `most` states.
#[must_use]
pub fn truth(program: &Program, most: usize) -> Option<Truth> {
    Some(explored(program, most)?.1)
}

/// Like [`truth`], for all goals of the problem, formulas included.
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
