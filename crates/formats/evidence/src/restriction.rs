//! Restrictions in evidence files: local states that are never visited, and why.
//!
//! ```json
//! "restrictions": [{"kind": "tasks.response", "excluded": [[0,3],[0,7]],
//!                   "why": {"response_times": [{"thread": 0, "event": 1, "period": 5, "work": 2, "offset": 0}]}}]
//! ```
//!
//! `excluded` lists pairs of a thread and a state. Besides `response_times`, the reasons are `"cartesian"` and
//! `{"potential": [[[0,1],[0,1]]]}`. The latter gives a weight for each potential, each thread and each local
//! state of the thread.

use super::shape::{Input, shape};
use formats::json::Res;
use model::{Potential, Program, Restriction, Task, Unreachable};

shape! { Restriction [LINES] = {kind, excluded, why} => {Restriction { kind, excluded, why }} }

shape! { Unreachable =
    "cartesian" () => {Unreachable::Cartesian},
    "response_times" (tasks) => {Unreachable::ResponseTimes(tasks)},
    "potential" (potentials) => {Unreachable::Potential(potentials)},
}

shape! { Task [NUMBERS = 5] =
{thread, event, period, work, offset} => {Task { thread, event, period, work, offset }} }

shape! { Potential = (weights) => {Potential { weights }} }

/// Reads restrictions, and checks that the program has every thread, state and event in them.
pub(super) fn read(from: &mut Input<'_, '_>, program: &Program) -> Res<Vec<Restriction>> {
    let mut restrictions = Vec::new();
    from.list(|from| {
        let (start, restriction) = (from.here(), from.read()?);
        if let Some(unknown) = unknown(&restriction, program) {
            return Err(from.wrong(start, unknown));
        }
        restrictions.push(restriction);
        Ok(())
    })?;
    Ok(restrictions)
}

/// Returns what the program does not have.
fn unknown(Restriction { excluded, why, .. }: &Restriction, program: &Program) -> Option<&'static str> {
    let sizes = || program.threads().iter().map(|thread| thread.states.len());
    let known = program.threads();
    let is_state = |state: &(model::ThreadId, model::LocalId)| {
        known.get(state.0.index()).is_some_and(|thread| state.1.index() < thread.states.len())
    };
    if !excluded.iter().all(is_state) || !excluded.is_sorted_by(|a, b| a < b) {
        return Some("`excluded` is not a list of states of the program, ascending and each once");
    }
    let is_task = |t: &Task| t.thread.index() < known.len() && t.event.index() < program.events().len();
    let fits = |potential: &Potential| potential.weights.iter().map(Vec::len).eq(sizes());
    match why {
        Unreachable::ResponseTimes(tasks) if !tasks.iter().all(is_task) => {
            Some("a task of a thread or an event that the program does not have")
        }
        Unreachable::Potential(potentials) if !potentials.iter().all(fits) => {
            Some("the weights are not one for each state of each thread")
        }
        Unreachable::Cartesian | Unreachable::ResponseTimes(_) | Unreachable::Potential(_) => None,
    }
}
