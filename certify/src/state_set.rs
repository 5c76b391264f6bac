//! Closed state sets: contains the initial states, no claimed goal, and every successor.
//!
//! Sound: by induction every state of every run lies in the set, so no run ends in a claimed goal. States of goals that are
//! not claimed (a plain deadlock under `check bad`) may be in it; they have no successors.
//!
//! The set is copied into a table of our own first and closure is checked on that table, so that nothing depends on
//! whether the evidence streams the same states twice.

use crate::keys::{BuildMixer, Key, Width};
use crate::stepper::{Scratch, Stepper, describe};
use crate::work::Work;
use crate::{Check, Refusal, reject};
use hashbrown::HashSet;
use model::{Goal, Program, StateSet};
use std::ops::ControlFlow;

/// What the check found out.
pub(crate) struct Checked {
    /// Distinct states.
    pub(crate) states: u64,
    /// The same for every order of the states.
    pub(crate) hash: u64,
}

pub(crate) fn check(
    program: &Program,
    stepper: &Stepper,
    set: &dyn StateSet,
    goals: &[Goal],
    work: &mut Work<'_>,
) -> Check<Checked> {
    let table = Table { program, stepper, sizes: stepper.sizes() };
    match Width::of(&table.sizes) {
        Width::Word => table.check::<u64>(set, goals, work),
        Width::Double => table.check::<u128>(set, goals, work),
        Width::Slots => table.check::<Box<[u32]>>(set, goals, work),
    }
}

struct Table<'a> {
    program: &'a Program,
    stepper: &'a Stepper,
    sizes: Vec<usize>,
}

impl Table<'_> {
    fn check<K: Key>(&self, set: &dyn StateSet, goals: &[Goal], work: &mut Work<'_>) -> Check<Checked> {
        let (states, hash) = self.read::<K>(set, work)?;
        self.stepper.initial_states(|state| {
            work.spend(1)?;
            if states.contains(&K::of(&self.sizes, state)) {
                return Ok(());
            }
            reject(format!("the initial state {} is missing from the set", describe(self.program, state)))
        })?;
        self.closed(&states, goals, work)?;
        Ok(Checked { states: states.len() as u64, hash })
    }

    /// Copies the set, checking that each state is one.
    fn read<K: Key>(&self, set: &dyn StateSet, work: &mut Work<'_>) -> Check<(HashSet<K, BuildMixer>, u64)> {
        let mut states: HashSet<K, BuildMixer> = HashSet::default();
        let mut hash = 0u64;
        let mut result = Ok(());
        let expected = usize::try_from(set.len()).map_err(|_| Refusal::TooDear)?;
        self.reserve(&mut states, expected, work)?;
        let _ = set.for_each(&mut |state| {
            result = self.insert(&mut states, &mut hash, state, work);
            if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        result?;
        if states.len() != expected {
            return reject(format!("the set announces {expected} states and lists {}", states.len()));
        }
        Ok((states, hash))
    }

    fn insert<K: Key>(
        &self,
        states: &mut HashSet<K, BuildMixer>,
        hash: &mut u64,
        state: &[u32],
        work: &mut Work<'_>,
    ) -> Check<()> {
        work.spend(1)?;
        if !self.stepper.knows(state) {
            return reject(format!("{} is no state of the program", describe(self.program, state)));
        }
        let key = K::of(&self.sizes, state);
        *hash = hash.wrapping_add(key.mixed());
        if states.len() == states.capacity() {
            self.reserve(states, states.len().max(1024), work)?;
        }
        if !states.insert(key) {
            return reject(format!("the state {} is listed twice", describe(self.program, state)));
        }
        Ok(())
    }

    /// Makes room for `more` states, if the memory limit allows.
    fn reserve<K: Key>(&self, states: &mut HashSet<K, BuildMixer>, more: usize, work: &Work<'_>) -> Check<()> {
        let slots = if Width::of(&self.sizes) == Width::Slots { self.sizes.len() * 4 + 16 } else { 0 };
        let bytes = states.len().saturating_add(more).saturating_mul(2 * (size_of::<K>() + 1) + slots);
        work.grow(bytes)?;
        states.try_reserve(more).map_err(|_| Refusal::TooDear)
    }

    /// No state belongs to a claimed goal, and every successor is in the set.
    fn closed<K: Key>(&self, states: &HashSet<K, BuildMixer>, goals: &[Goal], work: &mut Work<'_>) -> Check<()> {
        let mut scratch = Scratch::default();
        let mut state = Vec::new();
        for key in states {
            key.state(&self.sizes, &mut state);
            let goal = self.stepper.successors(&state, &mut scratch, |next| {
                work.spend(1)?;
                if states.contains(&K::of(&self.sizes, next)) {
                    return Ok(());
                }
                let (from, to) = (describe(self.program, &state), describe(self.program, next));
                reject(format!("the set is not closed: {from} leads to {to}"))
            })?;
            work.spend(1)?;
            if let Some(goal) = goal.filter(|g| goals.contains(g)) {
                return reject(format!(
                    "the set contains a state of goal `{goal}`: {}",
                    describe(self.program, &state)
                ));
            }
        }
        Ok(())
    }
}
