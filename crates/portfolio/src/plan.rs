//! Selects the engines for a problem, as one list of entrants from the table of engines. Each engine is
//! created at its first turn.
//!
//! The module of each kind of system contains what the table does not: the reductions that come first, the
//! goals that they settle, and the data from which engines are created.

use crate::entrant::{Entrant, Role};
use crate::options::Options;
use crate::select::Selection;
use crate::{circuit, data, engines, net, own, program, reactive};
use model::{DataTask, OwnTask, Problem, ReactiveTask, SystemModel};
use std::sync::Arc;

/// Returns the engines that `options` select for goals about reachable states.
pub(crate) fn plan<'a>(problem: &'a Problem, options: &'a Options<'_>) -> Vec<Entrant<'a>> {
    let (goals, from) = (problem.goals(), Selection { table: engines::ALL, options });
    let mut entrants = match problem.system() {
        SystemModel::Rwb(program) => program::plan(problem, program, from),
        SystemModel::Net(_) | SystemModel::Threads(_) => net::plan(problem, from),
        SystemModel::Circuit(circuit) => circuit::plan(circuit, goals.collect(), from),
        SystemModel::Reactive(program) => {
            reactive::plan(ReactiveTask::new(Arc::clone(program), goals, problem.temporal()), from)
        }
        SystemModel::Data(_) => DataTask::of(problem).map_or_else(Vec::new, |task| data::plan(problem, task, from)),
        SystemModel::Own(system) => own::plan(OwnTask::new(Arc::clone(system), goals), from),
    };
    if !options.without.is_empty() {
        promote(&mut entrants);
    }
    entrants
}

/// Turns assistants into main engines if no main engine works for a goal of theirs, because it was left out. Otherwise
/// they would not work at all.
fn promote(entrants: &mut [Entrant<'_>]) {
    let meet = |one: &Entrant<'_>, other: &Entrant<'_>| match (&one.goals, &other.goals) {
        (Some(some), Some(others)) => some.iter().any(|goal| others.contains(goal)),
        _ => true,
    };
    for at in 0..entrants.len() {
        let is_helped = |other: &Entrant<'_>| other.role == Role::Main && meet(other, &entrants[at]);
        if matches!(entrants[at].role, Role::Assistant { .. }) && !entrants.iter().any(is_helped) {
            entrants[at].role = Role::Main;
        }
    }
}
