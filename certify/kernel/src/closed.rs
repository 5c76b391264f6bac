//! Closed sets: the initial states are in, no state of a goal is, and with a state every successor.
//!
//! Sound: by induction over a run every state of it lies in the set, so no run comes to a goal.
//!
//! The set is copied into a table of our own first and closure is checked on that table, so that nothing depends on
//! whether the evidence streams the same states twice. Of a small system the set needs no evidence: [`enumerate`] makes
//! it, from the initial states on.

use crate::keys::{Layout, mixed};
use crate::table::{BATCH, Refused, Table};
use crate::work::Work;
use crate::{Check, Refusal, reject};
use model::StateSet;
use std::ops::ControlFlow;

/// A slot that a step changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Change {
    /// The slot.
    pub slot: usize,
    /// What it held.
    pub from: u32,
    /// What it holds afterwards.
    pub to: u32,
}

/// Takes steps, one after the other.
pub trait Visit {
    /// A step that makes these changes, each of another slot.
    ///
    /// # Errors
    /// If it leads out of the set.
    fn visit(&mut self, changes: &[Change], work: &mut Work<'_>) -> Check<()>;
}

impl<F: FnMut(&[Change], &mut Work<'_>) -> Check<()>> Visit for F {
    fn visit(&mut self, changes: &[Change], work: &mut Work<'_>) -> Check<()> {
        self(changes, work)
    }
}

/// A kind of system, as far as sets of its states are concerned. A state is listed as a vector of slots.
pub trait Listed {
    /// What is listed, for messages.
    const ELEMENT: &'static str;

    /// How many values each slot has, at most 2^32.
    fn sizes(&self) -> Vec<usize>;

    /// Hands every initial state to `visit`.
    ///
    /// # Errors
    /// Those of `visit`; if there is an initial state that cannot be listed.
    fn initial(&self, visit: &mut dyn FnMut(&[u32]) -> Check<()>) -> Check<()>;

    /// Hands every step from a state to `visit`.
    ///
    /// # Errors
    /// If the state is one of a goal, or a step leads to a state that cannot be listed; those of `visit`.
    fn expand(&mut self, state: &[u32], visit: &mut impl Visit, work: &mut Work<'_>) -> Check<()>;

    /// Does a state of the set stand for this one, which is not in it? (Never, unless a kind of set says why that is
    /// sound.)
    ///
    /// # Errors
    /// Beyond the limits.
    fn has_like(&self, state: &[u32], set: &Set, work: &mut Work<'_>) -> Check<bool> {
        let _ = (state, set, work);
        Ok(false)
    }

    /// A hash of a state with this key.
    fn hash(&self, state: &[u32], key: &[u64]) -> u64 {
        let _ = state;
        mixed(key)
    }

    /// A state in words, for messages.
    fn describe(&self, state: &[u32]) -> String;
}

/// A set of states in a table.
#[derive(Debug)]
pub struct Set {
    /// Where slots are in keys.
    pub layout: Layout,
    /// The keys.
    pub table: Table,
    /// The same for every order of the states.
    pub hash: u64,
}

impl Set {
    /// Copies the listed states, each of which must be one.
    ///
    /// # Errors
    /// If one is not, or is listed twice, or there are not as many as announced; beyond the limits.
    pub fn read<L: Listed>(kind: &L, listed: &dyn StateSet, work: &mut Work<'_>) -> Check<Self> {
        let expected = usize::try_from(listed.len()).map_err(|_| Refusal::TooDear)?;
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
                "{} is no {} of the program or net, which has one number for each slot, in its range",
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

    /// The state with the key of these words, for messages.
    fn described<L: Listed>(&self, kind: &L, key: &[u64]) -> String {
        let mut state = Vec::new();
        self.layout.unpack(key, &mut state);
        kind.describe(&state)
    }

    /// Is this state in the set, or one that stands for it?
    ///
    /// # Errors
    /// Beyond the limits.
    pub fn has<L: Listed>(&self, kind: &L, state: &[u32], work: &mut Work<'_>) -> Check<bool> {
        let mut key = Vec::with_capacity(self.layout.words());
        // A slot that holds more than it has values is in no state of the set.
        Ok(self.layout.pack(state, |word| key.push(word))
            && (self.table.has(&key, work)? || kind.has_like(state, self, work)?))
    }

    /// Are all initial states in the set?
    ///
    /// # Errors
    /// If one is not; beyond the limits.
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

/// Checks that a set is closed and without goals.
///
/// # Errors
/// If it is not; beyond the limits.
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

/// Makes the set of all states that runs come to, which must be at most `most` if their keys have one word, and fewer
/// in proportion if these are longer.
///
/// # Errors
/// If one is a state of a goal; if there are more; beyond the limits.
pub fn enumerate<L: Listed>(kind: &mut L, most: usize, work: &mut Work<'_>) -> Check<Set> {
    let layout = Layout::new(&kind.sizes());
    let words = layout.words();
    let table = Table::new(most.div_ceil(words), words, work)?;
    let mut found = Found { set: Set { layout, table, hash: 0 }, keys: Vec::new() };
    let mut key = Vec::new();
    kind.initial(&mut |state| {
        key.clear();
        match found.set.layout.pack(state, |word| key.push(word)) {
            true => found.add(&key, work),
            false => reject(format!("the initial {} {} is none", L::ELEMENT, kind.describe(state))),
        }
    })?;
    assert!(!found.keys.is_empty(), "a system has an initial state");
    let (mut state, mut at) = (Vec::new(), 0);
    while at < found.keys.len() {
        found.set.layout.unpack(&found.keys[at..][..words], &mut state);
        work.spend(1 + state.len() as u64 / 8)?;
        let mut step = |changes: &[Change], work: &mut Work<'_>| {
            key.clear();
            key.extend_from_slice(&found.keys[at..][..words]);
            match changes.iter().all(|change| found.set.layout.change(&mut key, change)) {
                true => found.add(&key, work),
                false => reject("a step leads to what is no state"),
            }
        };
        kind.expand(&state, &mut step, work)?;
        let hash = kind.hash(&state, &found.keys[at..][..words]);
        found.set.hash = found.set.hash.wrapping_add(hash);
        at += words;
    }
    assert_eq!(at, found.set.table.len() * words, "every state was looked at");
    Ok(found.set)
}

/// States found so far.
struct Found {
    set: Set,
    /// Their keys, in the order in which they were found.
    keys: Vec<u64>,
}

impl Found {
    fn add(&mut self, key: &[u64], work: &mut Work<'_>) -> Check<()> {
        if self.set.table.add(key, work)? {
            self.keys.extend_from_slice(key);
        }
        debug_assert_eq!(self.keys.len(), self.set.table.len() * key.len(), "each key is listed once");
        Ok(())
    }
}

/// Where steps lead.
struct Next<'a> {
    set: &'a Set,
    /// Keys that wait to be looked up.
    waiting: Vec<u64>,
    /// By key, the place of the state that the step is from.
    from: Vec<usize>,
    /// Those that are not in the table.
    outside: Vec<(usize, Vec<u64>)>,
}

impl<'a> Next<'a> {
    fn new(set: &'a Set) -> Self {
        Self { set, waiting: Vec::with_capacity(BATCH * set.layout.words()), from: Vec::new(), outside: Vec::new() }
    }

    /// A step from the state at `place`.
    #[inline(always)]
    fn add(&mut self, place: usize, changes: &[Change], work: &mut Work<'_>) -> Check<()> {
        let Self { set, waiting, from, .. } = self;
        let at = waiting.len();
        // Keys are short: to call a function that copies them would cost more than to copy them.
        set.table.key(place).iter().for_each(|&word| waiting.push(word));
        let key = &mut waiting[at..];
        if let Some(Change { slot, to, .. }) = changes.iter().find(|change| !set.layout.change(key, change)) {
            return reject(format!("the set is not closed: a step makes slot {slot} {to}, which no listed one has"));
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

    /// States of the set stand for all that was found outside.
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
