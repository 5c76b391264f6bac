//! Engines for reactive programs: plain search for errors, a search on the same graph with automata for
//! temporal formulas, and the interval abstraction for errors that plain search does not exclude in time.
//!
//! All engines have the same share, because for each engine there are problems that no other engine solves.
//! Depth-first searches run only if the user names them: for every label that is known to be reachable in the
//! RERS problems at hand, breadth-first search finds a run within a tenth of a second.

use crate::engines;
use crate::entrant::Entrant;
use crate::options::Options;
use crate::plan::{Subject, entrants};
use crate::row::{Call, Reactives};
use model::{Engine, Goal, ReactiveTask};
use reactive::ReactiveStrategy;
use reactive::intervals::{Intervals, IntervalsLtl};
use std::sync::Arc;

/// The data from which engines for a reactive program are created.
pub(crate) struct Task<'a> {
    task: ReactiveTask,
    options: &'a Options<'a>,
    formulas: Vec<Goal>,
}

pub(crate) fn plan<'a>(task: ReactiveTask, options: &'a Options<'_>) -> Vec<Entrant<'a>> {
    let formulas: Vec<Goal> = task.temporal().iter().map(|(id, _)| Goal::Temporal(*id)).collect();
    let goals = [task.errors(), &formulas].concat();
    let explore_all = options.explore_all;
    let task = Arc::new(Task { task, options, formulas });
    entrants::<Reactives>(
        &Subject { task, entries: |row| row.reactive, goals, threads: 0, explore_all, is_bounded: false },
        options,
    )
}

type Make<'a> = Box<dyn FnOnce(&Task<'a>) -> Box<dyn Engine> + Send + 'a>;

/// Creates an engine for errors. If the state space must be completed, it is created even if there are no
/// errors.
fn for_errors<'a>(call: &Call<'a, Reactives>, name: &'static str, make: Make<'a>) -> Vec<Entrant<'a>> {
    let task = &call.task;
    let is_needed = !task.task.errors().is_empty() || task.options.explore_all;
    enter(task, name, task.task.errors(), is_needed, make)
}

fn for_formulas<'a>(call: &Call<'a, Reactives>, name: &'static str, make: Make<'a>) -> Vec<Entrant<'a>> {
    let task = &call.task;
    enter(task, name, &task.formulas, !task.formulas.is_empty(), make)
}

fn enter<'a>(
    task: &Arc<Task<'a>>,
    name: &'static str,
    goals: &[Goal],
    is_needed: bool,
    make: Make<'a>,
) -> Vec<Entrant<'a>> {
    let task = Arc::clone(task);
    let entrant = is_needed.then(|| Entrant::made(name, move || Some(make(&task))).only_for(goals.to_vec()));
    entrant.into_iter().collect()
}

pub(crate) fn explicit<'a>(call: &Call<'a, Reactives>) -> Vec<Entrant<'a>> {
    for_errors(
        call,
        engines::EXPLICIT.name,
        Box::new(|task| {
            let how = search::explicit::Options {
                explore_all: task.options.explore_all,
                jobs: task.options.jobs,
                disk: None,
            };
            Box::new(reactive::explore(&task.task, how))
        }),
    )
}

fn in_order<'a>(call: &Call<'a, Reactives>, name: &'static str, order: ReactiveStrategy) -> Vec<Entrant<'a>> {
    for_errors(
        call,
        name,
        Box::new(move |task| {
            let Options { seed, explore_all, .. } = *task.options;
            Box::new(reactive::explore_randomised(&task.task, order, seed, explore_all))
        }),
    )
}

pub(crate) fn depth_first<'a>(call: &Call<'a, Reactives>) -> Vec<Entrant<'a>> {
    in_order(call, engines::EXPLICIT_DFS.name, ReactiveStrategy::Dfs)
}

pub(crate) fn restarting<'a>(call: &Call<'a, Reactives>) -> Vec<Entrant<'a>> {
    in_order(call, engines::EXPLICIT_RESTART.name, ReactiveStrategy::Restart)
}

pub(crate) fn jumpstart<'a>(call: &Call<'a, Reactives>) -> Vec<Entrant<'a>> {
    in_order(call, engines::EXPLICIT_JUMPSTART.name, ReactiveStrategy::Jumpstart)
}

pub(crate) fn intervals<'a>(call: &Call<'a, Reactives>) -> Vec<Entrant<'a>> {
    for_errors(call, engines::INTERVALS.name, Box::new(|task| Box::new(Intervals::new(&task.task))))
}

pub(crate) fn formulas_on_intervals<'a>(call: &Call<'a, Reactives>) -> Vec<Entrant<'a>> {
    for_formulas(
        call,
        engines::INTERVALS_LTL.name,
        Box::new(|task| Box::new(IntervalsLtl::new(task.task.clone(), task.options.jobs))),
    )
}

pub(crate) fn ltl<'a>(call: &Call<'a, Reactives>) -> Vec<Entrant<'a>> {
    for_formulas(call, engines::LTL.name, Box::new(|task| Box::new(reactive::ltl(&task.task, task.options.jobs))))
}
