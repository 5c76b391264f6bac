//! Engines for reactive programs: plain search for errors, a search on the same graph with automata for
//! temporal formulas, and the interval abstraction for errors that plain search does not exclude in time.
//!
//! All engines have the same share, because for each engine there are problems that no other engine solves.
//! Depth-first searches run only if the user names them: for every label that is known to be reachable in the
//! RERS problems at hand, breadth-first search finds a run within a tenth of a second.

use crate::entrant::Entrant;
use crate::options::Options;
use crate::row::{Call, Reactives, SystemKind};
use crate::select::{Selection, Subject};
use model::{Engine, Goal, ReactiveTask};
use reactive::ReactiveStrategy;
use reactive::intervals::{Intervals, IntervalsLtl};

/// The data from which engines for a reactive program are created.
pub(crate) struct Task<'a> {
    task: ReactiveTask,
    options: &'a Options<'a>,
    formulas: Vec<Goal>,
}

impl SystemKind for Reactives {
    type Task<'a> = Task<'a>;
}

pub(crate) fn plan<'a>(task: ReactiveTask, from: Selection<'a>) -> Vec<Entrant<'a>> {
    let formulas: Vec<Goal> = task.temporal().iter().map(|(id, _)| Goal::Temporal(*id)).collect();
    let goals = [task.errors(), &formulas].concat();
    from.entrants(&Subject::new(|row| row.reactive, Task { task, options: from.options, formulas }, goals))
}

/// Creates an engine for errors. If the state space must be completed, it is created even if there are no
/// errors.
fn for_errors<'a, E: Engine + 'a>(
    call: &Call<'a, Reactives>,
    make: impl FnOnce(&ReactiveTask, &Options<'_>) -> E + Send + 'a,
) -> Vec<Entrant<'a>> {
    let errors = call.task.task.errors();
    let is_needed = !errors.is_empty() || call.task.options.explore_all;
    enter(call, errors, is_needed, make)
}

fn for_formulas<'a, E: Engine + 'a>(
    call: &Call<'a, Reactives>,
    make: impl FnOnce(&ReactiveTask, &Options<'_>) -> E + Send + 'a,
) -> Vec<Entrant<'a>> {
    let formulas = &call.task.formulas;
    enter(call, formulas, !formulas.is_empty(), make)
}

fn enter<'a, E: Engine + 'a>(
    call: &Call<'a, Reactives>,
    goals: &[Goal],
    is_needed: bool,
    make: impl FnOnce(&ReactiveTask, &Options<'_>) -> E + Send + 'a,
) -> Vec<Entrant<'a>> {
    let entrant = || call.entrant(|call| make(&call.task.task, call.task.options)).only_for(goals.to_vec());
    is_needed.then(entrant).into_iter().collect()
}

pub(crate) fn explicit<'a>(call: &Call<'a, Reactives>) -> Vec<Entrant<'a>> {
    for_errors(call, |task, options| {
        let how = search::explicit::Options { disk: None, ..options.exploration(options.explore_all) };
        reactive::explore(task, how)
    })
}

/// Creates a depth-first search.
pub(crate) fn in_order<'a>(call: &Call<'a, Reactives>, order: ReactiveStrategy) -> Vec<Entrant<'a>> {
    for_errors(call, move |task, options| reactive::explore_randomised(task, order, options.seed, options.explore_all))
}

pub(crate) fn intervals<'a>(call: &Call<'a, Reactives>) -> Vec<Entrant<'a>> {
    for_errors(call, |task, _| Intervals::new(task))
}

pub(crate) fn formulas_on_intervals<'a>(call: &Call<'a, Reactives>) -> Vec<Entrant<'a>> {
    for_formulas(call, |task, options| IntervalsLtl::new(task.clone(), options.jobs))
}

pub(crate) fn ltl<'a>(call: &Call<'a, Reactives>) -> Vec<Entrant<'a>> {
    for_formulas(call, |task, options| reactive::ltl(task, options.jobs))
}
