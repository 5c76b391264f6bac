//! State sets closed under the successors by stubborn sets: contains the initial states, no claimed goal, and of every state
//! enough successors.
//!
//! *Enough*: at the state q there is a set T of events, stubborn for every claimed goal, such that the set of states has
//! all successors of q on the enabled events of T. Which T the search used is not told: [`crate::stubborn`] takes away from all
//! events those that lead out of the set, and what then breaks a rule, and sees whether what is left will do. The union of two
//! stubborn sets is stubborn, so what is left is the greatest one, and no other need be tried.
//!
//! Sound: say that a state is n steps from a claimed goal if a run of n events leads from it into a state of that goal.
//! With n > 0 the run contains an event of T, and its first one can be done first, so that some successor of q on an enabled
//! event of T, a state of the set, is at most n - 1 steps from the goal (the proof is in [`crate::stubborn`]). So if an initial
//! state were n steps from a claimed goal, the set would contain a state 0 steps from it, and it contains none.

use crate::key_set::{BATCH, KeySet};
use crate::keys::{Key, Layout};
use crate::state_set::{Checked, Checker, Listed};
use crate::stepper::{Change, Stepper};
use crate::stubborn::Rules;
use crate::work::Work;
use crate::{Check, reject};
use model::{Goal, Program, StateSet};

pub(crate) fn check(
    program: &Program,
    stepper: &Stepper,
    set: &dyn StateSet,
    goals: &[Goal],
    work: &mut Work<'_>,
) -> Check<Checked> {
    let layout = Layout::new(&stepper.sizes());
    let checker = Checker { program, stepper, layout, count: None };
    match checker.layout.words() {
        1 => closed::<[u64; 1]>(&checker, set, goals, work),
        2 => closed::<[u64; 2]>(&checker, set, goals, work),
        3 | 4 => closed::<[u64; 4]>(&checker, set, goals, work),
        _ => closed::<Box<[u64]>>(&checker, set, goals, work),
    }
}

fn closed<K: Key>(checker: &Checker<'_>, set: &dyn StateSet, goals: &[Goal], work: &mut Work<'_>) -> Check<Checked> {
    let listed = Listed { states: set, last: &[] };
    let (states, hash) = checker.read_with_initial::<K>(&listed, work)?;
    let rules = Rules::new(checker.stepper, None, work)?;
    let mut inside = Inside::default();
    let mut state = Vec::new();
    for key in states.iter() {
        work.spend(1)?;
        checker.layout.unpack(key, &mut state);
        inside.look(checker, &states, key, &state, work)?;
        if let Some(goal) = checker.stepper.goal_with(&state, &inside.enabled) {
            if goals.contains(&goal) {
                return reject(format!("the set contains a state of goal `{goal}`: {}", checker.named(key)));
            }
        } else if inside.allowed != inside.enabled
            && !rules.admits(checker.stepper, &state, &inside.enabled, &inside.allowed, goals, work)?
        {
            return reject(format!("the set is not closed: {} has too few successors in it", checker.named(key)));
        }
    }
    Ok(Checked { states: states.len() as u64, hash })
}

/// The events of one state, and which of them stay in the set.
struct Inside<K> {
    enabled: Vec<u64>,
    /// Enabled events all of whose successors are in the set.
    allowed: Vec<u64>,
    changes: Vec<Change>,
    choices: Vec<(usize, usize)>,
    next: Vec<K>,
    /// The event of each of `next`.
    events: Vec<u32>,
}

impl<K> Default for Inside<K> {
    fn default() -> Self {
        let (enabled, allowed) = (Vec::new(), Vec::new());
        Self { enabled, allowed, changes: Vec::new(), choices: Vec::new(), next: Vec::new(), events: Vec::new() }
    }
}

impl<K: Key> Inside<K> {
    fn look(
        &mut self,
        checker: &Checker<'_>,
        states: &KeySet<K>,
        key: &K,
        state: &[u32],
        work: &mut Work<'_>,
    ) -> Check<()> {
        checker.stepper.enabled(state, &mut self.enabled);
        self.allowed.clone_from(&self.enabled);
        for event in (0..checker.stepper.events() as u32).filter(|&e| is_in(&self.enabled, e)) {
            let Self { changes, choices, next, events, allowed, .. } = self;
            checker.stepper.products(state, event, changes, choices, &mut |changes| {
                let mut to = key.clone();
                for change in changes {
                    checker.layout.change(&mut to, change.thread as usize, change.from, change.to);
                }
                next.push(to);
                events.push(event);
                if next.len() == BATCH { take_out(states, next, events, allowed, work) } else { Ok(()) }
            })?;
        }
        take_out(states, &mut self.next, &mut self.events, &mut self.allowed, work)
    }
}

/// Takes from `allowed` the events of those of `next` that are not in the set.
fn take_out<K: Key>(
    states: &KeySet<K>,
    next: &mut Vec<K>,
    events: &mut Vec<u32>,
    allowed: &mut [u64],
    work: &mut Work<'_>,
) -> Check<()> {
    let mut from = 0;
    while let Some(at) = states.missing(&next[from..], work)? {
        let event = events[from + at] as usize;
        allowed[event / 64] &= !(1 << (event % 64));
        from += at + 1;
    }
    next.clear();
    events.clear();
    Ok(())
}

fn is_in(set: &[u64], event: u32) -> bool {
    set[event as usize / 64] >> (event % 64) & 1 == 1
}
