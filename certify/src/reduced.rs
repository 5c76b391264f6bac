//! State sets closed under the successors by stubborn sets: contains the initial states, no claimed goal, and of
//! every state enough successors.
//!
//! *Enough*: at the state q there is a set T of events, stubborn for every claimed goal, such that the set of states
//! has all successors of q on the enabled events of T. Which T the search used is not told: [`crate::stubborn`] takes
//! away from all events those that lead out of the set, and what then breaks a rule, and sees whether what is left
//! will do. The union of two stubborn sets is stubborn, so what is left is the greatest one, and no other need be
//! tried.
//!
//! Sound: say that a state is n steps from a claimed goal if a run of n events leads from it into a state of that
//! goal. With n > 0 the run contains an event of T, and its first one can be done first, so that some successor of q
//! on an enabled event of T, a state of the set, is at most n - 1 steps from the goal (the proof is in
//! [`crate::stubborn`]). So if an initial state were n steps from a claimed goal, the set would contain a state 0
//! steps from it, and it contains none.

use crate::stubborn::Rules;
use crate::{Check, reject};
use kernel::Work;
use kernel::closed::{Change, Listed, Set};
use kernel::program::{States, Stepper};
use model::{Goal, Program, StateSet};

pub(crate) fn check(
    program: &Program,
    stepper: &Stepper,
    listed: &dyn StateSet,
    goals: &[Goal],
    work: &mut Work<'_>,
) -> Check<Set> {
    let states = States::new(program, stepper, goals);
    let set = Set::read(&states, listed, work)?;
    set.has_initial(&states, work)?;
    let rules = Rules::new(stepper, None, work)?;
    let mut inside = Inside::default();
    let mut state = Vec::new();
    for place in set.table.taken() {
        work.spend(1)?;
        set.layout.unpack(set.table.key(place), &mut state);
        inside.look(stepper, &set, place, &state, work)?;
        if let Some(goal) = stepper.goal_with(&state, &inside.enabled) {
            if goals.contains(&goal) {
                return reject(format!("the set contains a state of goal `{goal}`: {}", states.describe(&state)));
            }
        } else if inside.allowed != inside.enabled
            && !rules.admits(stepper, &state, &inside.enabled, &inside.allowed, goals, work)?
        {
            let state = states.describe(&state);
            return reject(format!("the set is not closed: {state} has too few successors in it"));
        }
    }
    Ok(set)
}

/// The events of one state, and which of them stay in the set.
#[derive(Default)]
struct Inside {
    enabled: Vec<u64>,
    /// Enabled events all of whose successors are in the set.
    allowed: Vec<u64>,
    changes: Vec<Change>,
    choices: Vec<(usize, usize)>,
    next: Vec<u64>,
}

impl Inside {
    fn look(&mut self, stepper: &Stepper, set: &Set, place: usize, state: &[u32], work: &mut Work<'_>) -> Check<()> {
        stepper.enabled(state, &mut self.enabled);
        self.allowed.clone_from(&self.enabled);
        for event in (0..stepper.events() as u32).filter(|&e| is_in(&self.enabled, e)) {
            let Self { changes, choices, next, allowed, .. } = self;
            stepper.products(state, event, changes, choices, &mut |changes| {
                next.clear();
                next.extend_from_slice(set.table.key(place));
                let fits = changes.iter().all(|change| set.layout.change(next, change));
                if !fits || !set.table.has(next, work)? {
                    allowed[event as usize / 64] &= !(1 << (event % 64));
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}

fn is_in(set: &[u64], event: u32) -> bool {
    set[event as usize / 64] >> (event % 64) & 1 == 1
}
