//! Finds shortest runs on demand: after a violation, breadth-first search (or, with unbounded data, bounded search)
//! continues until it has found a shortest run.

use crate::engines;
use crate::options::Options;
use crate::outcome::{Answer, Outcome};
use crate::short::asking;
use model::{Goal, Problem};
use std::sync::{Mutex, PoisonError};

/// Searches breadth first for each goal with a run that may not be a shortest one. `search` lets the engine of its
/// options work, which are saved under its last argument. If it finds a shortest run, the answer with this run is
/// reported again. Other goals keep their answers.
pub(crate) fn prove(
    problem: &Problem,
    options: &Options<'_>,
    outcome: &mut Outcome,
    search: impl FnOnce(&Problem, &Options<'_>, String) -> Outcome,
) {
    let is_open = |answer: &&Answer| answer.is_unsafe() && !answer.shortest;
    let is_searched = |goal: &Goal| !goal.is_temporal() && !matches!(goal, Goal::Output(_));
    let open = outcome.answers.iter().filter(is_open).map(|answer| answer.property.goal);
    let goals: Vec<Goal> = open.filter(is_searched).collect();
    if goals.is_empty() || options.bound.is_some() || options.stop.raised().is_some() {
        return;
    }
    let better = Mutex::new(Vec::new());
    let on_answers = |answers: &[Answer]| {
        let shortest: Vec<Answer> = answers.iter().filter(|a| a.is_unsafe() && a.shortest).cloned().collect();
        if !shortest.is_empty() {
            (options.on_answers)(&shortest);
            better.lock().unwrap_or_else(PoisonError::into_inner).extend(shortest);
        }
    };
    // States of programs with unbounded data are not explored by breadth with all values, but runs are unrolled.
    let engine = if problem.system().as_data().is_some() { &engines::SYMBOLIC } else { &engines::EXPLICIT };
    // Which goals this search is for may depend on interruptions. A search for other goals has other states.
    let stage = format!("shortest-{goals:?}-");
    let _ = search(&asking(problem, &goals), &options.with_engine(Some(engine), &on_answers), stage);
    outcome.replace(better.into_inner().unwrap_or_else(PoisonError::into_inner));
}
