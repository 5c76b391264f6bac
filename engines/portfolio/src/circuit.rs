//! Engines for circuits.

use crate::engines;
use crate::entrant::Entrant;
use crate::options::Options;
use crate::plan::{Subject, entrants};
use crate::row::{Call, Circuits};
use ic3::CircuitIc3;
use model::{CircuitTask, Engine};
use std::sync::Arc;

pub(crate) fn plan<'a>(task: CircuitTask, options: &'a Options<'_>) -> Vec<Entrant<'a>> {
    let (goals, explore_all) = (task.goals().collect(), options.explore_all);
    let task = Arc::new(task);
    entrants::<Circuits>(
        &Subject { task, entries: |row| row.circuit, goals, threads: 0, explore_all, is_bounded: false },
        options,
    )
}

/// Creates IC3 on bits.
pub(crate) fn ic3<'a>(call: &Call<'a, Circuits>) -> Vec<Entrant<'a>> {
    let task = Arc::clone(&call.task);
    let make = move || -> Option<Box<dyn Engine>> {
        Some(Box::new(CircuitIc3::new(&task, &ic3::bit_level::Options::default())))
    };
    vec![Entrant::made(engines::IC3.name, make)]
}
