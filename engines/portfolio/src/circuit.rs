//! Engines for circuits.

use crate::engines;
use crate::entrant::Entrant;
use crate::options::Options;
use crate::plan::{Subject, entrants};
use crate::row::{Call, Circuits};
use ic3::CircuitIc3;
use model::{Engine, Problem};
use std::rc::Rc;

/// What engines for a circuit are made of.
pub(crate) struct Task<'a> {
    problem: &'a Problem,
}

pub(crate) fn plan<'a>(problem: &'a Problem, options: &'a Options<'_>) -> Vec<Entrant<'a>> {
    let (goals, explore_all) = (problem.goals().collect(), options.explore_all);
    let task = Rc::new(Task { problem });
    entrants::<Circuits>(
        &Subject { task, entries: |row| row.circuit, goals, threads: 0, explore_all, is_bounded: false },
        options,
    )
}

/// IC3 on bits.
pub(crate) fn ic3<'a>(call: &Call<'a, Circuits>) -> Vec<Entrant<'a>> {
    let task = &call.task;
    let problem = task.problem;
    let make = move || -> Option<Box<dyn Engine>> {
        Some(Box::new(CircuitIc3::new(problem, &ic3::bits::Options::default())?))
    };
    vec![Entrant::made(engines::IC3.name, make)]
}
