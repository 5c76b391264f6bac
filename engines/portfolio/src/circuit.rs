//! Engines for circuits.

use crate::engines;
use crate::entrant::{Entrant, Role};
use crate::options::Options;
use crate::plan::{Subject, entrants};
use crate::row::{Call, Circuits};
use circuits::{Bmc, Corresponding};
use ic3::CircuitIc3;
use model::{CircuitTask, Engine};
use std::sync::Arc;
use walk::CircuitWalk;

/// The circuit and its goals, with the seed of random simulation.
pub(crate) struct Task {
    task: CircuitTask,
    seed: u64,
}

pub(crate) fn plan<'a>(task: CircuitTask, options: &'a Options<'_>) -> Vec<Entrant<'a>> {
    let (goals, explore_all) = (task.goals().collect(), options.explore_all);
    let task = Arc::new(Task { task, seed: options.seed });
    entrants::<Circuits>(
        &Subject { task, entries: |row| row.circuit, goals, threads: 0, explore_all, is_bounded: false },
        options,
    )
}

/// Creates IC3 on bits.
pub(crate) fn ic3<'a>(call: &Call<'a, Circuits>) -> Vec<Entrant<'a>> {
    let task = Arc::clone(&call.task);
    let make = move || -> Option<Box<dyn Engine>> { Some(Box::new(ic3_after_merging(task.task.clone()))) };
    vec![Entrant::made(engines::IC3.name, make)]
}

/// IC3 on bits, from some time on with equal nodes merged.
pub(crate) fn ic3_after_merging(task: CircuitTask) -> Corresponding<'static> {
    Corresponding::new(task, Box::new(|task| Box::new(CircuitIc3::new(task, &ic3::bit_level::Options::default()))))
}

/// Creates bounded model checking.
pub(crate) fn bmc<'a>(call: &Call<'a, Circuits>) -> Vec<Entrant<'a>> {
    let task = Arc::clone(&call.task);
    let make = move || -> Option<Box<dyn Engine>> { Some(Box::new(Bmc::new(&task.task))) };
    vec![Entrant::made(engines::BMC.name, make).in_role(without_end(call))]
}

/// Creates random simulation.
pub(crate) fn walk<'a>(call: &Call<'a, Circuits>) -> Vec<Entrant<'a>> {
    let task = Arc::clone(&call.task);
    let make = move || -> Option<Box<dyn Engine>> {
        Some(Box::new(CircuitWalk::new(&task.task, walk::Options { seed: task.seed })))
    };
    vec![Entrant::made(engines::WALK.name, make).in_role(without_end(call))]
}

/// The role of an engine that only finds runs, and looks for them without end.
fn without_end(call: &Call<'_, Circuits>) -> Role {
    if call.by_name { Role::Main } else { Role::Assistant { ahead: 0 } }
}
