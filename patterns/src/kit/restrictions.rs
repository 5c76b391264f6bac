//! Checks restrictions by brute force: no excluded state is ever visited, so the program without these states
//! has the same runs.

use super::runs::{enabled, initial_states, kind_of, successors};
use super::{Failure, describe};
use model::restriction::restrict;
use model::{LocalId, Pattern, Program, Restriction, ThreadId};
use std::collections::BTreeSet;

/// Maximum number of composite states that are visited for a program. Generated programs have some hundreds.
const STATES: usize = 20_000;

/// Returns `program` without the states that `patterns` exclude, and the restrictions. Each pattern sees the
/// result of the earlier ones.
#[must_use]
pub fn restricted(patterns: &[&dyn Pattern], program: &Program) -> (Program, Vec<Restriction>) {
    let mut now = program.clone();
    let mut restrictions = Vec::new();
    for pattern in patterns {
        let Some(restriction) = pattern.restrict(now.threads()) else { continue };
        now = restrict(&now, &restriction.excluded);
        restrictions.push(restriction);
    }
    (now, restrictions)
}

/// Checks that restrictions are well-formed, and that no run within the limit on states visits an excluded
/// state.
pub(super) fn check(patterns: &[&dyn Pattern], program: &Program) -> Result<Program, Box<Failure>> {
    let (without, restrictions) = restricted(patterns, program);
    let failure = |what: String| Box::new(Failure { what, run: None, program: describe(program) });
    for restriction in &restrictions {
        let owner = restriction.kind.0.split('.').next();
        if !patterns.iter().any(|p| Some(p.name()) == owner) {
            return Err(failure(format!("the kind {} does not begin with a pattern's name", restriction.kind.0)));
        }
        if restriction.excluded.is_empty() || restriction.excluded.windows(2).any(|w| w[0] >= w[1]) {
            return Err(failure(format!("{}: excluded states ascend, and there are some", restriction.kind.0)));
        }
    }
    if restrictions.is_empty() {
        return Ok(without);
    }
    let excluded: BTreeSet<(ThreadId, LocalId)> =
        restrictions.iter().flat_map(|r| r.excluded.iter().copied()).collect();
    match visited(program, &excluded) {
        None => Ok(without),
        Some((thread, state)) => {
            let what = format!("thread {} visits the excluded state {}: {restrictions:?}", thread.0, state.0);
            Err(failure(what))
        }
    }
}

/// Returns the first state of `excluded` that a breadth-first search visits.
fn visited(program: &Program, excluded: &BTreeSet<(ThreadId, LocalId)>) -> Option<(ThreadId, LocalId)> {
    let mut queue = initial_states(program);
    let mut seen: BTreeSet<Box<[u32]>> = queue.iter().cloned().collect();
    let mut next = 0;
    while let Some(state) = queue.get(next).cloned() {
        next += 1;
        let places = state.iter().enumerate().map(|(i, &s)| (ThreadId::new(i), LocalId(s)));
        if let Some(place) = places.into_iter().find(|place| excluded.contains(place)) {
            return Some(place);
        }
        if kind_of(program, &state).is_some() {
            continue;
        }
        for event in enabled(program, &state) {
            for after in successors(program, &state, event) {
                if seen.len() < STATES && seen.insert(after.clone()) {
                    queue.push(after);
                }
            }
        }
    }
    None
}
