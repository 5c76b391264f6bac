//! Engines for systems of one's own.

use crate::engines;
use crate::entrant::Entrant;
use crate::options::Options;
use crate::plan::{Subject, entrants};
use crate::row::{Call, Own};
use explore::Explore;
use model::{Problem, System};
use std::rc::Rc;
use std::sync::Arc;

/// What engines for a system of one's own are made of.
pub(crate) struct Task<'a> {
    problem: &'a Problem,
    system: &'a Arc<dyn System>,
    options: &'a Options<'a>,
}

pub(crate) fn plan<'a>(
    problem: &'a Problem,
    system: &'a Arc<dyn System>,
    options: &'a Options<'_>,
) -> Vec<Entrant<'a>> {
    let (goals, explore_all) = (problem.goals().collect(), options.explore_all);
    let task = Rc::new(Task { problem, system, options });
    entrants::<Own>(
        &Subject { task, entries: |row| row.own, goals, threads: 0, explore_all, is_bounded: false },
        options,
    )
}

/// Plain search.
pub(crate) fn explicit<'a>(call: &Call<'a, Own>) -> Vec<Entrant<'a>> {
    let task = Rc::clone(&call.task);
    let make = move || -> Option<Box<dyn model::Engine>> {
        let how = explore::Options { explore_all: task.options.explore_all, jobs: task.options.jobs };
        Some(Box::new(Explore::of_own(Arc::clone(task.system), task.problem.goals().collect(), how)))
    };
    vec![Entrant::made(engines::EXPLICIT.name, make)]
}
