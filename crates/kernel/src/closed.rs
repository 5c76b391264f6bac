//! Closed sets as evidence: a set that contains the initial states, no state of a goal, and every successor of
//! each of its states.
//!
//! 1. No run reaches a goal. Proof: by induction over the run, each of its states is in the set, and the set
//!    contains no state of a goal.
//!
//! The set is first copied into a table of the kernel, and closure is checked on that table. So the check does
//! not depend on whether the evidence streams the same states twice. For a small system no evidence is needed:
//! [`crate::enumerated`] computes the set from the initial states.

pub use crate::keys::Change;
use crate::keys::{Layout, mixed};
use crate::table::{BATCH, Refused, Table};
use crate::work::Work;
use crate::{Check, Refusal, reject};
use model::StateSet;
use std::ops::ControlFlow;

/// A receiver of steps.
pub trait Visit {
    /// Receives a step that makes these changes, each to a different slot.
    ///
    /// # Errors
    /// If the step leads out of the set.
    fn visit(&mut self, changes: &[Change], work: &mut Work<'_>) -> Check<()>;
}

impl<F: FnMut(&[Change], &mut Work<'_>) -> Check<()>> Visit for F {
    fn visit(&mut self, changes: &[Change], work: &mut Work<'_>) -> Check<()> {
        self(changes, work)
    }
}

/// The semantics of a kind of system, as far as sets of its states need it. A state is listed as a vector of
/// slots.
pub trait Listed {
    /// The name of one listed element, for messages.
    const ELEMENT: &'static str;

    /// Returns the number of values of each slot, at most 2^32.
    fn sizes(&self) -> Vec<usize>;

    /// Passes every initial state to `visit`.
    ///
    /// # Errors
    /// The errors of `visit`, or if an initial state cannot be listed.
    fn initial(&self, visit: &mut dyn FnMut(&[u32]) -> Check<()>) -> Check<()>;

    /// Passes every step from a state to `visit`.
    ///
    /// # Errors
    /// If the state is a state of a goal, or a step leads to a state that cannot be listed; the errors of
    /// `visit`.
    fn expand(&mut self, state: &[u32], visit: &mut impl Visit, work: &mut Work<'_>) -> Check<()>;

    /// Returns true if some state of the set stands for `state`, which is not in the set. The default is false.
    /// An implementation that returns true must prove that this is sound.
    ///
    /// # Errors
    /// If a resource limit is exceeded.
    fn has_like(&self, state: &[u32], set: &Set, work: &mut Work<'_>) -> Check<bool> {
        let _ = (state, set, work);
        Ok(false)
    }

    /// Returns a hash of the state with this key.
    fn hash(&self, state: &[u32], key: &[u64]) -> u64 {
        let _ = state;
        mixed(key)
    }

    /// Describes a state in words, for messages.
    fn describe(&self, state: &[u32]) -> String;
}

/// A closed set of which all parts were accepted.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Whole {
    /// Number of states.
    pub states: u64,
    /// A hash of the set, which does not depend on the order of the states.
    pub hash: u64,
}

/// A set of states in a table.
#[derive(Debug)]
pub struct Set {
    /// The bit fields of the slots in the keys.
    pub layout: Layout,
    /// The keys of the states.
    pub table: Table,
    /// A hash of the set, which does not depend on the order of the states.
    pub hash: u64,
}

impl Set {
    /// Copies the listed states. Each must be a state of the system.
    ///
    /// # Errors
    /// If a listed vector is not a state, a state is listed twice, or the number of states differs from the
    /// announced one, or if a resource limit is exceeded.
    pub fn read<L: Listed>(kind: &L, listed: &dyn StateSet, work: &mut Work<'_>) -> Check<Self> {
        let expected = usize::try_from(listed.len()).map_err(|_| Refusal::ResourceLimit)?;
        let layout = Layout::new(&kind.sizes());
        let table = Table::new(expected, layout.words(), work)?;
        let mut set = Self { layout, table, hash: 0 };
        let mut batch = Vec::with_capacity(BATCH * set.layout.words());
        let mut result = Ok(());
        let _ = listed.for_each(&mut |state| {
            result = work.spend(1).and_then(|()| set.take(kind, state, &mut batch, work));
            if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        result?;
        set.insert(kind, &mut batch, work)?;
        let (element, count) = (L::ELEMENT, set.table.len());
        if count != expected {
            return reject(format!("the set announces {expected} {element}s and lists {count}"));
        }
        Ok(set)
    }

    fn take<L: Listed>(&mut self, kind: &L, state: &[u32], batch: &mut Vec<u64>, work: &mut Work<'_>) -> Check<()> {
        let at = batch.len();
        if !self.layout.pack(state, |word| batch.push(word)) {
            return reject(format!(
                "{} is not a {} of the program or net, which has one number for each slot, in the slot's range",
                kind.describe(state),
                L::ELEMENT
            ));
        }
        debug_assert_eq!(batch.len(), at + self.layout.words(), "a key was added");
        self.hash = self.hash.wrapping_add(kind.hash(state, &batch[at..]));
        if batch.len() == batch.capacity() { self.insert(kind, batch, work) } else { Ok(()) }
    }

    fn insert<L: Listed>(&mut self, kind: &L, batch: &mut Vec<u64>, work: &mut Work<'_>) -> Check<()> {
        let element = L::ELEMENT;
        match self.table.insert(batch, work)? {
            Ok(()) => {
                batch.clear();
                Ok(())
            }
            Err(Refused::Known(at)) => {
                let words = self.layout.words();
                let state = self.described(kind, &batch[at * words..][..words]);
                reject(format!("the {element} {state} is listed twice"))
            }
            Err(Refused::Full) => reject(format!("the set announces {} {element}s and lists more", self.table.len())),
        }
    }

    /// Describes the state with this key, for messages.
    fn described<L: Listed>(&self, kind: &L, key: &[u64]) -> String {
        let mut state = Vec::new();
        self.layout.unpack(key, &mut state);
        kind.describe(&state)
    }

    /// Returns true if the set contains this state or a state that stands for it.
    ///
    /// # Errors
    /// If a resource limit is exceeded.
    pub fn has<L: Listed>(&self, kind: &L, state: &[u32], work: &mut Work<'_>) -> Check<bool> {
        let mut key = Vec::with_capacity(self.layout.words());
        // A state with a slot value out of range is not in the set.
        Ok(self.layout.pack(state, |word| key.push(word))
            && (self.table.has(&key, work)? || kind.has_like(state, self, work)?))
    }

    /// Checks that all initial states are in the set.
    ///
    /// # Errors
    /// If an initial state is missing, or if a resource limit is exceeded.
    pub fn has_initial<L: Listed>(&self, kind: &L, work: &mut Work<'_>) -> Check<()> {
        let mut count = 0u64;
        kind.initial(&mut |state| {
            work.spend(1 + state.len() as u64)?;
            count += 1;
            if self.has(kind, state, work)? {
                return Ok(());
            }
            let (element, state) = (L::ELEMENT, kind.describe(state));
            reject(format!("the initial {element} {state} is missing from the set"))
        })?;
        assert!(count > 0, "a system has an initial state");
        Ok(())
    }
}

/// Checks that a set is closed and contains no state of a goal.
///
/// # Errors
/// If the set is not closed, or contains a state of a goal, or if a resource limit is exceeded.
pub fn check<L: Listed>(kind: &mut L, listed: &dyn StateSet, work: &mut Work<'_>) -> Check<Set> {
    let set = Set::read(kind, listed, work)?;
    set.has_initial(kind, work)?;
    let (mut state, mut next) = (Vec::new(), Next::new(&set));
    let mut checked = 0;
    for place in set.table.taken() {
        work.spend(1)?;
        set.layout.unpack(set.table.key(place), &mut state);
        let mut step = |changes: &[Change], work: &mut Work<'_>| next.add(place, changes, work);
        kind.expand(&state, &mut step, work).map_err(|refusal| match refusal {
            Refusal::Rejected(why) => Refusal::Rejected(format!("{why}: {}", kind.describe(&state))),
            other => other,
        })?;
        next.stand(kind, work)?;
        checked += 1;
    }
    next.look_up(work)?;
    next.stand(kind, work)?;
    assert_eq!(checked, set.table.len(), "every state was looked at");
    debug_assert!(next.waiting.is_empty() && next.outside.is_empty(), "every step was looked up");
    Ok(set)
}

/// The targets of steps, collected to be looked up in batches.
struct Next<'a> {
    set: &'a Set,
    /// Keys that have yet to be looked up.
    waiting: Vec<u64>,
    /// For each key in `waiting`: the table index of the state that the step starts from.
    from: Vec<usize>,
    /// Targets that are not in the table, each with the table index of the state that the step starts from.
    outside: Vec<(usize, Vec<u64>)>,
}

impl<'a> Next<'a> {
    fn new(set: &'a Set) -> Self {
        Self { set, waiting: Vec::with_capacity(BATCH * set.layout.words()), from: Vec::new(), outside: Vec::new() }
    }

    /// Adds a step from the state at table index `place`.
    #[inline(always)]
    fn add(&mut self, place: usize, changes: &[Change], work: &mut Work<'_>) -> Check<()> {
        let Self { set, waiting, from, .. } = self;
        let at = waiting.len();
        // Keys are short, so a call of a copying function would cost more than this loop.
        set.table.key(place).iter().for_each(|&word| waiting.push(word));
        let key = &mut waiting[at..];
        if let Some(Change { slot, to, .. }) = changes.iter().find(|change| !set.layout.change(key, change)) {
            return reject(format!("the set is not closed: a step sets slot {slot} to {to}, which is not listed"));
        }
        debug_assert!(changes.iter().enumerate().all(|(i, a)| changes[..i].iter().all(|b| a.slot != b.slot)));
        from.push(place);
        if from.len() == BATCH { self.look_up(work) } else { Ok(()) }
    }

    fn look_up(&mut self, work: &mut Work<'_>) -> Check<()> {
        let Self { set, waiting, from, outside } = self;
        let words = set.layout.words();
        debug_assert_eq!(waiting.len(), from.len() * words, "each key comes from a state");
        set.table.look_up(waiting, work, |at| outside.push((from[at], waiting[at * words..][..words].to_vec())))?;
        waiting.clear();
        from.clear();
        Ok(())
    }

    /// Checks that each target outside the table has a state of the set that stands for it.
    fn stand<L: Listed>(&mut self, kind: &L, work: &mut Work<'_>) -> Check<()> {
        let mut state = Vec::new();
        for (from, key) in self.outside.drain(..) {
            self.set.layout.unpack(&key, &mut state);
            if !kind.has_like(&state, self.set, work)? {
                let from = self.set.described(kind, self.set.table.key(from));
                return reject(format!("the set is not closed: {from} leads to {}", kind.describe(&state)));
            }
        }
        Ok(())
    }
}
