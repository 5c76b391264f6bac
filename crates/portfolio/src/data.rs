//! Engines for programs with unbounded data.
//!
//! Besides the engine for data, the engines for behavioral programs search for a proof about `bad` on the skeleton of
//! the program, in which all values are forgotten ([`mod@model::observed`]). There, patterns recognise threads and cut
//! off parts of the state space. If an engine finds a run into a bad state of the skeleton, they all end.

use crate::abstracted::{Abstracted, OnRun};
use crate::entrant::{Entrant, Role};
use crate::program;
use crate::row::{Call, Data, SystemKind};
use crate::select::{Selection, Subject};
use model::{DataTask, Goal, Problem};
use programs::symbolic::{Concrete, Projections, Symbolic};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The beginning of the random numbers of runs with known values.
const SEED: u64 = 1;

impl SystemKind for Data {
    type Task<'a> = DataTask;
}

pub(crate) fn plan<'a>(problem: &Problem, task: DataTask, from: Selection<'a>) -> Vec<Entrant<'a>> {
    let (goals, engine) = (task.goals().to_vec(), from.options.engine);
    let by_data = engine.is_none_or(|row| !row.data.is_empty());
    let by_skeleton = !from.options.explore_all && engine.is_none_or(|row| !row.program.is_empty());
    let abstracted = if by_skeleton { model::observed(problem, &[Goal::Bad]) } else { None };
    let mut list = Vec::new();
    if by_data {
        list = from.entrants(&Subject::new(|row| row.data, task, goals));
    } else {
        let others: Vec<Goal> = goals.into_iter().filter(|goal| abstracted.is_none() || *goal != Goal::Bad).collect();
        list.extend((!others.is_empty()).then(|| Entrant::unsupported(others)));
    }
    if let Some(abstracted) = abstracted {
        let is_over = Arc::new(AtomicBool::new(false));
        let inner = program::plain(abstracted.task(), from, false);
        list.extend(inner.into_iter().map(|entrant| {
            let engine = Box::new(Abstracted { engine: entrant.engine, on_run: OnRun::End(Arc::clone(&is_over)) });
            Entrant { engine, goals: Some(vec![Goal::Bad]), ..entrant }
        }));
    }
    list
}

/// Creates the search for proofs about few threads, and the search for invariants and bounded runs.
pub(crate) fn symbolic<'a>(call: &Call<'a, Data>) -> Vec<Entrant<'a>> {
    let few = call.paid(0, |call| Some(Box::new(Projections::new(&call.task)?)));
    vec![few.only_for(vec![Goal::Bad]), call.entrant(|call| Symbolic::new((*call.task).clone()))]
}

/// Creates the search for runs with known values. Its runs need not be shortest ones, so it begins later than the
/// search for bounded runs.
pub(crate) fn explicit<'a>(call: &Call<'a, Data>) -> Vec<Entrant<'a>> {
    vec![call.entrant(|call| Concrete::new(&call.task, SEED)).in_role(call.role(Role::Follower))]
}
