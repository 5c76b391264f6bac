//! Programs whose ends may be proper, and questions about them that are formulas: each group of goals that can be looked for together
//! has engines of its own, on the program that says it with `bad` and `deadlock` ([`model::observed`]).

use super::{program, program_others, unsupported};
use crate::options::Options;
use crate::turns::Turns;
use model::{Goal, Observed, Problem};
use reduce::Home;
use std::sync::Arc;

/// The engines that go first, or all of them.
pub(super) fn plan(problem: &Problem, options: &Options<'_>) -> Turns {
    if is_plain(problem) {
        return program(problem, options);
    }
    let mut turns = Turns::default();
    for (goals, observed) in groups(problem) {
        match observed {
            Some(observed) => enter(&mut turns, program(&observed.problem, options), observed, &goals),
            None => turns.enter_for(unsupported(goals.clone()), 1, goals),
        }
    }
    turns
}

/// The engines that follow.
pub(super) fn others(problem: &Problem, options: &Options<'_>, turns: &mut Turns) {
    if is_plain(problem) {
        return program_others(problem, options, turns);
    }
    for (goals, observed) in groups(problem) {
        let Some(observed) = observed else { continue };
        let mut others = Turns::default();
        program_others(&observed.problem, options, &mut others);
        enter(turns, others, observed, &goals);
    }
}

/// Is all of it said with `bad` and `deadlock` already?
fn is_plain(problem: &Problem) -> bool {
    !problem.program().has_finals() && problem.goals().all(|goal| matches!(goal, Goal::Bad | Goal::Deadlock))
}

fn groups(problem: &Problem) -> impl Iterator<Item = (Vec<Goal>, Option<Observed>)> {
    model::together(problem).into_iter().map(|goals| {
        let observed = model::observed(problem, &goals);
        (goals, observed)
    })
}

fn enter(turns: &mut Turns, engines: Turns, observed: Observed, goals: &[Goal]) {
    let home: Arc<dyn Home> = Arc::new(observed);
    turns.absorb(engines, &home, goals);
}
