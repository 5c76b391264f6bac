//! Engines for reactive programs: plain search for errors, the same graph with automata for temporal formulas, and intervals for
//! errors that plain search does not get round to excluding. All have the same share: each is the only one that can do some problems.
//! Depth-first orders of search run only when asked for: of every label that is known to be reachable in the RERS problems at hand,
//! breadth-first search finds a run within a tenth of a second.

use super::unsupported;
use crate::options::{EngineChoice, Options};
use crate::turns::{Terms, Turns};
use cells::{Cells, CellsLtl};
use explore::{ReactiveOptions, ReactiveRandomised, ReactiveSearch};
use ltl::LtlEngine;
use model::{Engine, Goal, Problem, Reactive};
use std::sync::Arc;

pub(super) fn plan<'a>(problem: &Problem, program: &Arc<Reactive>, options: &Options<'_>) -> Turns<'a> {
    let mut turns = Turns::default();
    let errors: Vec<Goal> = problem.goals().filter(|g| matches!(g, Goal::Error(_))).collect();
    let formulas: Vec<Goal> = problem.goals().filter(|g| matches!(g, Goal::Temporal(_))).collect();
    let mut enter = |engine: Box<dyn Engine>, goals: &[Goal]| {
        if !goals.is_empty() || options.explore_all {
            turns.enter_for(engine, Terms::PLAIN, goals.to_vec());
        }
    };
    // What an engine that was chosen is not for, it cannot be asked.
    let others = match options.engine {
        EngineChoice::Explicit | EngineChoice::ExplicitBy(_) | EngineChoice::Cells => &formulas,
        EngineChoice::Ltl => &errors,
        _ => &Vec::new(),
    };
    if !others.is_empty() {
        enter(unsupported(others.clone()), others);
    }
    let how = ReactiveOptions { explore_all: options.explore_all, jobs: options.jobs };
    let search = || Box::new(ReactiveSearch::new(problem, how));
    match options.engine {
        EngineChoice::Explicit => enter(search(), &errors),
        EngineChoice::ExplicitBy(strategy) => {
            let engine = ReactiveRandomised::new(problem, strategy, options.seed, options.explore_all);
            enter(Box::new(engine), &errors);
        }
        EngineChoice::Cells => enter(Box::new(Cells::new(Arc::clone(program), &errors)), &errors),
        EngineChoice::Ltl => enter(Box::new(LtlEngine::new(problem, options.jobs)), &formulas),
        EngineChoice::Auto => {
            enter(search(), &errors);
            if !options.explore_all {
                enter(Box::new(Cells::new(Arc::clone(program), &errors)), &errors);
                enter(Box::new(CellsLtl::new(problem, options.jobs)), &formulas);
            }
            if !formulas.is_empty() {
                enter(Box::new(LtlEngine::new(problem, options.jobs)), &formulas);
            }
        }
        _ => turns.enter(unsupported(problem.goals().collect()), Terms::PLAIN),
    }
    turns
}
