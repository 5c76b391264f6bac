//! Engines for programs with unbounded data.

use crate::engines;
use crate::entrant::Entrant;
use crate::options::Options;
use crate::plan::{Subject, entrants};
use crate::row::{Call, Data};
use model::DataTask;
use std::rc::Rc;
use symbolic::Symbolic;

pub(crate) fn plan<'a>(task: DataTask, options: &'a Options<'_>) -> Vec<Entrant<'a>> {
    let (goals, explore_all) = (task.goals().to_vec(), options.explore_all);
    let task = Rc::new(task);
    let subject = Subject { task, entries: |row| row.data, goals, threads: 0, explore_all, is_bounded: false };
    entrants::<Data>(&subject, options)
}

/// Creates the search for invariants and bounded runs.
pub(crate) fn symbolic<'a>(call: &Call<'a, Data>) -> Vec<Entrant<'a>> {
    let task = Rc::clone(&call.task);
    let make = move || -> Option<Box<dyn model::Engine>> { Some(Box::new(Symbolic::new((*task).clone()))) };
    vec![Entrant::made(engines::SYMBOLIC.name, make)]
}
