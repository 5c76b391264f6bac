//! State sets closed under the successors by stubborn sets: such a set contains the initial states, no state of
//! a claimed goal, and enough successors of each of its states.
//!
//! *Enough* means: for the state q there is a set T of events that is stubborn at q and serves every claimed
//! goal ([`crate::stubborn`]), and the state set contains all successors of q on the enabled events of T. The
//! evidence does not say which T the search used. [`crate::stubborn`] begins with all events and removes the
//! events that lead out of the state set. Then it removes events that break a rule, until no remaining event
//! does. At the end it tests whether the remaining events serve the goals.
//! 1. No other set T has to be tried. Proof: the union of two stubborn sets is stubborn, so the remaining
//!    events are the greatest stubborn set.
//!
//! A state is *n steps from a goal* if a run of n events leads from it into a state of that goal.
//!
//! 2. If a state q of the set is n > 0 steps from a claimed goal, then some state of the set is at most n - 1
//!    steps from that goal. Proof: the run contains an event of T, and the first such event can be done first.
//!    So some successor of q on an enabled event of T, which is a state of the set, is at most n - 1 steps from
//!    the goal. (This is the theorem in [`crate::stubborn`].)
//! 3. No claimed goal is reachable. Proof: suppose that an initial state is n steps from a claimed goal. By 2,
//!    applied repeatedly, the set contains a state that is 0 steps from the goal. But the set contains no state
//!    of a claimed goal.

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

/// The enabled events of one state, and the enabled events that lead only to states of the set.
#[derive(Default)]
struct Inside {
    enabled: Vec<u64>,
    /// Enabled events with all their successors in the set.
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
