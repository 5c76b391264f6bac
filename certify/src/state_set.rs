//! Closed state sets: contains the initial states, no claimed goal, and every successor.
//!
//! Sound: by induction every state of every run lies in the set, so no run ends in a claimed goal. States of goals that are
//! not claimed (a plain deadlock under `check bad`) may be in it; they have no successors.
//!
//! The set is copied into a table of our own first and closure is checked on that table, so that nothing depends on
//! whether the evidence streams the same states twice. Keys go into the table and are looked up in batches.

use crate::key_set::{BATCH, KeySet, Refused};
use crate::keys::{Key, Layout};
use crate::stepper::{Scratch, Stepper, describe};
use crate::work::Work;
use crate::{Check, Refusal, reject};
use model::{Goal, Program, StateSet};
use std::ops::ControlFlow;
use std::slice::from_ref;

/// What the check found out.
pub(crate) struct Checked {
    /// Distinct states.
    pub(crate) states: u64,
    /// The same for every order of the states.
    pub(crate) hash: u64,
}

/// What speaks against having a state in the set, given the goal that it belongs to.
pub(crate) type Objection<'a> = &'a dyn Fn(&[u32], Option<Goal>) -> Option<String>;

pub(crate) fn check(
    program: &Program,
    stepper: &Stepper,
    set: &dyn StateSet,
    goals: &[Goal],
    work: &mut Work<'_>,
) -> Check<Checked> {
    let claimed = |_: &[u32], goal: Option<Goal>| {
        goal.filter(|g| goals.contains(g)).map(|goal| format!("the set contains a state of goal `{goal}`"))
    };
    check_with(program, stepper, &Listed { states: set, last: &[] }, None, &claimed, work)
}

/// Counts the events of runs in one more slot, which comes last: from 0 to `exact + modulus - 1`, and then again from `exact` on.
pub(crate) struct Count {
    exact: u32,
    modulus: u32,
    classes: usize,
}

impl Count {
    /// With `modulus` 0 there is nothing behind `exact - 1`.
    pub(crate) fn new(exact: u32, modulus: u32) -> Check<Self> {
        match exact.checked_add(modulus) {
            Some(classes) if classes > 0 => Ok(Self { exact, modulus, classes: classes as usize }),
            _ => reject("the evidence counts no lengths of runs"),
        }
    }

    /// The class one event later.
    fn after(&self, class: u32) -> Option<u32> {
        if (class as usize) + 1 < self.classes {
            return Some(class + 1);
        }
        (self.modulus > 0).then_some(self.exact)
    }
}

/// The states of a set.
pub(crate) struct Listed<'a> {
    pub(crate) states: &'a dyn StateSet,
    /// Local states of threads that come after those that the set has slots for; all its states go on like this.
    pub(crate) last: &'a [u32],
}

/// A set that contains the initial states and every successor, and no state with an `objection`; if there is a `count`, at the lengths
/// of runs that lead there.
pub(crate) fn check_with(
    program: &Program,
    stepper: &Stepper,
    set: &Listed<'_>,
    count: Option<Count>,
    objection: Objection<'_>,
    work: &mut Work<'_>,
) -> Check<Checked> {
    let mut sizes = stepper.sizes();
    sizes.extend(count.as_ref().map(|count| count.classes));
    let checker = Checker { program, stepper, layout: Layout::new(&sizes), count };
    match checker.layout.words() {
        1 => checker.check::<[u64; 1]>(set, objection, work),
        2 => checker.check::<[u64; 2]>(set, objection, work),
        3 | 4 => checker.check::<[u64; 4]>(set, objection, work),
        _ => checker.check::<Box<[u64]>>(set, objection, work),
    }
}

/// Reads sets of states of one program.
pub(crate) struct Checker<'a> {
    pub(crate) program: &'a Program,
    pub(crate) stepper: &'a Stepper,
    pub(crate) layout: Layout,
    pub(crate) count: Option<Count>,
}

impl Checker<'_> {
    fn check<K: Key>(&self, set: &Listed<'_>, objection: Objection<'_>, work: &mut Work<'_>) -> Check<Checked> {
        let (states, hash) = self.read_with_initial::<K>(set, work)?;
        self.closed(&states, objection, work)?;
        Ok(Checked { states: states.len() as u64, hash })
    }

    /// Copies the set, checking that each state is one and that the initial ones are among them; with its hash.
    pub(crate) fn read_with_initial<K: Key>(&self, set: &Listed<'_>, work: &mut Work<'_>) -> Check<(KeySet<K>, u64)> {
        let (states, hash) = self.read::<K>(set, work)?;
        let mut counted = Vec::new();
        self.stepper.initial_states(|state| {
            counted.clear();
            counted.extend_from_slice(state);
            counted.extend(self.count.as_ref().map(|_| 0));
            match self.layout.pack::<K>(&counted) {
                Some(key) if states.missing(from_ref(&key), work)?.is_none() => Ok(()),
                _ => reject(format!("the initial state {} is missing from the set", describe(self.program, state))),
            }
        })?;
        Ok((states, hash))
    }

    /// Copies the set, checking that each state is one.
    fn read<K: Key>(&self, set: &Listed<'_>, work: &mut Work<'_>) -> Check<(KeySet<K>, u64)> {
        let expected = usize::try_from(set.states.len()).map_err(|_| Refusal::TooDear)?;
        let mut states = KeySet::new(expected, self.layout.words(), work)?;
        let mut hash = 0u64;
        let mut batch = Vec::with_capacity(BATCH);
        let mut result = Ok(());
        let mut whole = Vec::new();
        let _ = set.states.for_each(&mut |state| {
            whole.clear();
            whole.extend(state.iter().chain(set.last));
            result = self.take(&whole, &mut batch, &mut states, &mut hash, work);
            if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        result?;
        self.insert(&mut batch, &mut states, work)?;
        if states.len() != expected {
            return reject(format!("the set announces {expected} states and lists {}", states.len()));
        }
        Ok((states, hash))
    }

    fn take<K: Key>(
        &self,
        state: &[u32],
        batch: &mut Vec<K>,
        states: &mut KeySet<K>,
        hash: &mut u64,
        work: &mut Work<'_>,
    ) -> Check<()> {
        let Some(key) = self.layout.pack::<K>(state) else {
            return reject(format!("{} is no state of the program", describe(self.program, state)));
        };
        *hash = hash.wrapping_add(key.mixed());
        batch.push(key);
        if batch.len() == BATCH { self.insert(batch, states, work) } else { Ok(()) }
    }

    fn insert<K: Key>(&self, batch: &mut Vec<K>, states: &mut KeySet<K>, work: &mut Work<'_>) -> Check<()> {
        match states.insert(batch, work)? {
            Ok(()) => batch.clear(),
            Err(Refused::Known(at)) => return reject(format!("the state {} is listed twice", self.named(&batch[at]))),
            Err(Refused::Full) => {
                return reject(format!("the set announces {} states and lists more", states.len()));
            }
        }
        Ok(())
    }

    /// Nothing speaks against any state, and every successor is in the set.
    fn closed<K: Key>(&self, states: &KeySet<K>, objection: Objection<'_>, work: &mut Work<'_>) -> Check<()> {
        let mut scratch = Scratch::default();
        let mut state = Vec::new();
        let (mut from, mut to) = (Vec::with_capacity(BATCH), Vec::with_capacity(BATCH));
        for key in states.iter() {
            work.spend(1)?;
            self.layout.unpack(key, &mut state);
            let width = self.stepper.width();
            let goal = self.stepper.steps(&state[..width], &mut scratch, |changes| {
                let mut next = key.clone();
                if let Some(count) = &self.count {
                    let Some(after) = count.after(state[width]) else {
                        return reject(format!("runs go on where lengths are no more counted: {}", self.named(key)));
                    };
                    self.layout.change(&mut next, width, state[width], after);
                }
                for change in changes {
                    self.layout.change(&mut next, change.thread as usize, change.from, change.to);
                }
                from.push(key);
                to.push(next);
                if to.len() == BATCH { self.contains(states, &mut from, &mut to, work) } else { Ok(()) }
            })?;
            if let Some(why) = objection(&state, goal) {
                return reject(format!("{why}: {}", self.named(key)));
            }
        }
        self.contains(states, &mut from, &mut to, work)
    }

    /// All of `to`, the successors of `from` one by one, are in the set.
    fn contains<K: Key>(
        &self,
        states: &KeySet<K>,
        from: &mut Vec<&K>,
        to: &mut Vec<K>,
        work: &mut Work<'_>,
    ) -> Check<()> {
        if let Some(at) = states.missing(to, work)? {
            let (from, to) = (self.named(from[at]), self.named(&to[at]));
            return reject(format!("the set is not closed: {from} leads to {to}"));
        }
        from.clear();
        to.clear();
        Ok(())
    }

    pub(crate) fn named<K: Key>(&self, key: &K) -> String {
        let mut state = Vec::new();
        self.layout.unpack(key, &mut state);
        describe(self.program, &state)
    }
}
