//! Restrictions: lists of local states that no run visits, each with its reason, and the program without these
//! states.
//!
//! 1. Removing the states of an accepted list does not change the runs. Proof: where a thread has only excluded
//!    targets for an event, the event does not fire, because no run visits an excluded state. So the event was
//!    not enabled in any composite state that a run visits, and blocking it changes nothing. Other events keep
//!    all targets that a run can take.
//! 2. So each list may be checked on the program that the earlier lists left. Proof: by 1 that program has the
//!    same runs.
//!
//! Local states keep their numbers.

use crate::families::{self, Moves};
use crate::threads::Threads;
use crate::{Check, Refusal, potential, reject, response};
use kernel::Work;
use kernel::program::stepper::Stepper;
use model::{LocalId, Program, Restriction, Thread, ThreadId, Unreachable};

/// Checks all lists. Returns the program without their states.
pub(crate) fn check(program: &Program, restrictions: &[Restriction], work: &mut Work<'_>) -> Check<Program> {
    let mut program = program.clone();
    for (number, restriction) in restrictions.iter().enumerate() {
        match never_visited(&program, restriction, work) {
            Err(Refusal::Rejected(why)) => return reject(format!("restriction {number}: {why}")),
            other => other?,
        }
        program = without(&program, &restriction.excluded, work)?;
    }
    Ok(program)
}

fn never_visited(program: &Program, restriction: &Restriction, work: &mut Work<'_>) -> Check<()> {
    let stepper = Stepper::new(program)?;
    let excluded = &restriction.excluded;
    work.spend(1 + excluded.len() as u64)?;
    if excluded.windows(2).any(|pair| pair[0] >= pair[1]) {
        return reject("the states are not listed in ascending order");
    }
    for &(thread, state) in excluded {
        if thread.index() >= stepper.width() || state.index() >= stepper.size(thread.index()) {
            return reject(format!("there is no state {} of thread {}", state.0, thread.0));
        }
        // Every reason already implies that no excluded state is initial. This check also makes sure that each
        // thread keeps an initial state.
        if stepper.initial(thread.index()).contains(&state.0) {
            return reject(format!("state {} of thread {} is initial", state.0, thread.0));
        }
    }
    match &restriction.why {
        Unreachable::Cartesian => cartesian(&stepper, excluded, work),
        Unreachable::ResponseTimes(tasks) => response::check(tasks, excluded, &Threads::new(&stepper, work)?, work),
        Unreachable::Potential(potentials) => {
            potential::check(potentials, excluded, &Threads::new(&stepper, work)?, work)
        }
    }
}

/// Sound: runs stay in the least closed family that contains the initial states ([`crate::families`]).
fn cartesian(stepper: &Stepper, excluded: &[(ThreadId, LocalId)], work: &mut Work<'_>) -> Check<()> {
    let family = families::closure(stepper, &Moves::new(stepper, work)?, |thread| stepper.initial(thread), work)?;
    let visited = |&&(thread, state): &&(ThreadId, LocalId)| family[thread.index()].binary_search(&state.0).is_ok();
    match excluded.iter().find(visited) {
        Some((thread, state)) => reject(format!("thread {} may get to state {}", thread.0, state.0)),
        None => Ok(()),
    }
}

/// Returns `program` without the excluded states, none of which may be initial.
pub(crate) fn without(program: &Program, excluded: &[(ThreadId, LocalId)], work: &mut Work<'_>) -> Check<Program> {
    let mut threads: Vec<Thread> = program.threads().to_vec();
    for of_one in excluded.chunk_by(|a, b| a.0 == b.0) {
        let Some(thread) = threads.get_mut(of_one[0].0.index()) else { return reject("there is no such thread") };
        let gone = |state: &LocalId| of_one.binary_search_by_key(state, |&(_, excluded)| excluded).is_ok();
        for state in thread.states.iter_mut().filter(|state| !state.bad) {
            work.spend(1 + state.on.len() as u64)?;
            let (block, on) = (&mut state.block, &mut state.on);
            on.retain(|&event, targets| {
                targets.retain(|to| !gone(to));
                if targets.is_empty() {
                    block.insert(event);
                }
                !targets.is_empty()
            });
        }
    }
    Program::new(program.events().to_vec(), threads, program.check().to_vec())
        .map_err(|invalid| Refusal::Unknown(format!("the restricted program is not valid: {invalid}")))
}
