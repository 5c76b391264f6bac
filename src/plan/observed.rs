//! Programs whose ends may be proper, and questions about them that are formulas: each group of goals that can be looked for together
//! has engines of its own, on the program that says it with `bad` and `deadlock` ([`model::observed`]).

use super::{programs, unsupported};
use crate::options::Options;
use crate::turns::{Terms, Turns};
use model::{Goal, Problem};
use reduce::Home;
use std::sync::Arc;

pub(super) fn plan<'a>(problem: &Problem, options: &'a Options<'_>) -> Turns<'a> {
    let is_plain = |goal: Goal| matches!(goal, Goal::Bad | Goal::Deadlock);
    if problem.goals().all(is_plain) && !problem.program().has_finals() {
        return programs::plan(problem, options, options.explore_all);
    }
    let mut turns = Turns::default();
    for goals in model::together(problem) {
        let Some(observed) = model::observed(problem, &goals) else {
            turns.enter_for(unsupported(goals.clone()), Terms::PLAIN, goals);
            continue;
        };
        let others = programs::plan(&observed.problem, options, false);
        let home: Arc<dyn Home> = Arc::new(observed);
        turns.absorb(others, &home, &goals);
    }
    if options.explore_all {
        // What the question adds to the program is no part of its space.
        turns.enter_for_counts(programs::counting(problem));
    }
    turns
}
