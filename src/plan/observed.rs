//! Programs whose ends may be proper, and questions about them that are formulas: each group of goals that can be looked for together
//! has engines of its own, on the program that says it with `bad` and `deadlock` ([`model::observed`]).

use super::{program, unsupported};
use crate::options::Options;
use crate::turns::Turns;
use model::{Goal, Problem};
use reduce::Home;
use std::sync::Arc;

pub(super) fn plan(problem: &Problem, options: &Options<'_>) -> Turns {
    let is_plain = |goal: Goal| matches!(goal, Goal::Bad | Goal::Deadlock);
    if problem.goals().all(is_plain) && !problem.program().has_finals() {
        return program(problem, options);
    }
    let mut turns = Turns::default();
    for goals in model::together(problem) {
        let Some(observed) = model::observed(problem, &goals) else {
            turns.enter_for(unsupported(goals.clone()), 1, goals);
            continue;
        };
        let mut others = program(&observed.problem, options);
        if others.wants_others() {
            super::others(&observed.problem, options, &mut others);
        }
        let home: Arc<dyn Home> = Arc::new(observed);
        turns.absorb(others, &home, &goals);
    }
    turns
}
