//! Engines for systems of one's own.

use crate::engines;
use crate::entrant::Entrant;
use crate::options::Options;
use crate::plan::{Subject, entrants};
use crate::row::{Call, Own};
use model::OwnTask;
use std::sync::Arc;

/// The data from which engines for a system of one's own are created.
pub(crate) struct Task<'a> {
    task: OwnTask,
    options: &'a Options<'a>,
}

pub(crate) fn plan<'a>(task: OwnTask, options: &'a Options<'_>) -> Vec<Entrant<'a>> {
    let (goals, explore_all) = (task.goals().to_vec(), options.explore_all);
    let task = Arc::new(Task { task, options });
    entrants::<Own>(
        &Subject { task, entries: |row| row.own, goals, threads: 0, explore_all, is_bounded: false },
        options,
    )
}

/// Creates plain search.
pub(crate) fn explicit<'a>(call: &Call<'a, Own>) -> Vec<Entrant<'a>> {
    let task = Arc::clone(&call.task);
    let make = move || -> Option<Box<dyn model::Engine>> {
        let how = search::explicit::Options {
            explore_all: task.options.explore_all,
            jobs: task.options.jobs,
            disk: task.options.disk.clone(),
        };
        Some(Box::new(search::explicit::explore_own(&task.task, &how)))
    };
    vec![Entrant::made(engines::EXPLICIT.name, make)]
}
