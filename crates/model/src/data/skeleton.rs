//! The skeleton of a program with unbounded data: the behavioral program that is left when all values are forgotten.
//!
//! Local states are the locations, and events are the families of events. For a location and a family, take the
//! outcomes that do not block, of all ways through the decision, whatever its tests say. The state requests the family
//! if one of these outcomes requests it, and may go wherever one of them goes. It blocks the family if there is none.
//!
//! Every run of the program is a run of the skeleton, with the locations of the threads as local states. Proof by
//! induction on the run: initial outcomes do not block, so they go to initial states. At a step, the outcomes of all
//! threads do not block, so no state blocks the family; some outcome requests, so some state requests the family; and
//! each thread goes where its outcome goes, which the skeleton allows. Bad locations are bad states, in which runs end
//! in both.
//!
//! So a bad state that is unreachable in the skeleton is unreachable in the program. Nothing follows about deadlocks,
//! because the skeleton has more steps.

use super::{DataProgram, DataThread, Decision, LocationKind};
use crate::event_set::EventSet;
use crate::goal::Goal;
use crate::ids::{DecisionId, LocalId, LocationId};
use crate::rwb::{LocalState, Program, Thread};
use std::collections::{BTreeMap, BTreeSet};

/// What the outcomes of a decision have in common, blocking ones left out.
#[derive(Default)]
struct Summary {
    requests: bool,
    /// `None`: the thread stays.
    targets: BTreeSet<Option<LocationId>>,
}

/// Returns the skeleton. `None` if the program has no threads.
pub(crate) fn skeleton(program: &DataProgram) -> Option<Program> {
    let universe = program.events().len();
    let mut names = BTreeSet::new();
    let events = program.events().iter().map(|event| unique(event.family(), &mut names)).collect();
    let threads = program.threads().iter().map(|thread| of_thread(thread, universe)).collect::<Option<Vec<_>>>()?;
    (!threads.is_empty()).then(|| Program::new(events, threads, vec![Goal::Bad]).ok()).flatten()
}

fn of_thread(thread: &DataThread, universe: usize) -> Option<Thread> {
    let start = summary(&thread.decisions, thread.initial);
    let initial = start.targets.iter().flatten().map(|location| LocalId(location.0)).collect();
    let mut names = BTreeSet::new();
    let mut states = Vec::with_capacity(thread.locations.len());
    for (number, location) in thread.locations.iter().enumerate() {
        let name = unique(location.name.clone(), &mut names);
        if location.kind == LocationKind::Bad {
            states.push(LocalState::bad(name, universe));
            continue;
        }
        let own = LocationId::new(number);
        let (mut request, mut block, mut on) = (EventSet::empty(universe), EventSet::empty(universe), BTreeMap::new());
        for (&event, &decision) in &location.on {
            let found = summary(&thread.decisions, decision);
            if found.requests {
                request.insert(event);
            }
            if found.targets.is_empty() {
                block.insert(event);
                continue;
            }
            let targets: BTreeSet<LocalId> =
                found.targets.iter().map(|target| LocalId(target.unwrap_or(own).0)).collect();
            on.insert(event, targets.into_iter().collect());
        }
        states.push(LocalState { name, request, block, bad: false, on });
    }
    Some(Thread { name: thread.name.clone(), states, initial })
}

/// Returns the name, extended by as many primes as needed to be new.
fn unique(mut name: String, names: &mut BTreeSet<String>) -> String {
    while !names.insert(name.clone()) {
        name.push('\'');
    }
    name
}

fn summary(decisions: &[Decision], root: DecisionId) -> Summary {
    let (mut found, mut seen, mut work) = (Summary::default(), BTreeSet::new(), vec![root]);
    while let Some(id) = work.pop() {
        if !seen.insert(id) {
            continue;
        }
        match &decisions[id.index()] {
            Decision::End(outcome) if outcome.blocks => {}
            Decision::End(outcome) => {
                found.requests |= outcome.requests;
                found.targets.insert(outcome.go.as_ref().map(|(location, _)| *location));
            }
            decision => work.extend(decision.parts()),
        }
    }
    found
}
