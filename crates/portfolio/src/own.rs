//! Engines for systems of one's own.

use crate::entrant::Entrant;
use crate::options::Options;
use crate::row::{Call, Own, SystemKind};
use crate::select::{Selection, Subject};
use model::OwnTask;
use search::explicit::explore_own;

/// The data from which engines for a system of one's own are created.
pub(crate) struct Task<'a> {
    task: OwnTask,
    options: &'a Options<'a>,
}

impl SystemKind for Own {
    type Task<'a> = Task<'a>;
}

pub(crate) fn plan<'a>(task: OwnTask, from: Selection<'a>) -> Vec<Entrant<'a>> {
    let goals = task.goals().to_vec();
    from.entrants(&Subject::new(|row| row.own, Task { task, options: from.options }, goals))
}

/// Creates plain search.
pub(crate) fn explicit<'a>(call: &Call<'a, Own>) -> Vec<Entrant<'a>> {
    vec![
        call.entrant(|call| {
            explore_own(&call.task.task, &call.task.options.exploration(call.task.options.explore_all))
        }),
    ]
}
