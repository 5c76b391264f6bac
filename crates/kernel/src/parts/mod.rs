//! Closed sets in parts: for sets that do not fit memory, and for sets of which each process of a cluster has a
//! share.
//!
//! A function of the key, [`owner`], gives each state to one of the parts. A part holds the listed states that it
//! owns in a table. It expands each of them and sends every successor to the owner of the successor, which looks
//! it up.
//!
//! 1. If all parts accept, the listed states together are a closed set without a state of a goal. Proof: each
//!    listed state is in the table of its owner, and is expanded there. The owner of each successor has found it
//!    in its own table. Each initial state is looked up by its owner.
//! 2. No key gets lost or changed on its way. Proof, up to collisions of hashes: for each owner, the number of
//!    keys sent to it and the sum of their hashes ([`Tally`]) equal those of the keys that it received.
//!
//! [`spilled`] checks one part after the other, with the keys for other parts in temporary storage. [`shared`]
//! checks all parts at the same time, each in a process of its own.

mod exchange;
pub mod outbox;
pub mod shared;
pub mod spilled;
mod storage;

pub use exchange::Exchange;
pub use outbox::{Outbox, Send, Tally, owner};
pub use spilled::{Buckets, Storage};

use crate::closed::{self, Change, Listed, Set, Whole};
use crate::keys::Layout;
use crate::table::{BATCH, Refused, Table};
use crate::work::Work;
use crate::{Check, Refusal, reject};
use model::StateSet;
use std::ops::ControlFlow;

/// Checks that a set is closed and contains no state of a goal: at once if it fits memory or if there is no temporary
/// storage, otherwise in parts.
///
/// # Errors
/// If the set is not closed, or contains a state of a goal, or if a resource limit is exceeded.
pub fn check<L: Listed>(kind: &mut L, listed: &dyn StateSet, work: &mut Work<'_>) -> Check<Whole> {
    let words = Layout::new(&kind.sizes()).words();
    let bytes = |states: u64| Table::bytes(states, words);
    match work.storage() {
        Some(storage) if !work.has_room(bytes(listed.len())) => {
            // Parts differ in size, and each has an outbox with two copies of its keys.
            let fits = |parts: &usize| {
                let share = bytes(listed.len() / *parts as u64);
                work.has_room(share.saturating_add(share / 4).saturating_add(parts * outbox::BYTES))
            };
            let parts = (1..=10).map(|log| 1 << log).find(fits).ok_or(Refusal::ResourceLimit)?;
            spilled::check(kind, listed, parts, storage, work)
        }
        _ => {
            let set = closed::check(kind, listed, work)?;
            Ok(Whole { states: set.table.len() as u64, hash: set.hash })
        }
    }
}

/// Sends the key of each listed state to its owner.
///
/// # Errors
/// If a listed vector is no state, or the set lists more or fewer states than it announces; the errors of `send`.
pub fn list<L: Listed>(
    kind: &L,
    listed: &dyn StateSet,
    outbox: &mut Outbox,
    send: &mut Send<'_>,
    work: &mut Work<'_>,
) -> Check<()> {
    let layout = Layout::new(&kind.sizes());
    let (mut key, mut count, mut result) = (Vec::with_capacity(layout.words()), 0, Ok(()));
    let _ = listed.for_each(&mut |state| {
        key.clear();
        count += 1;
        result = work.spend(1).and_then(|()| match layout.pack(state, |word| key.push(word)) {
            true => outbox.push(&key, send),
            false => reject(format!("{} is not a {}", kind.describe(state), L::ELEMENT)),
        });
        if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    result?;
    if count != listed.len() {
        return reject(format!("the set announces {} {}s and lists {count}", listed.len(), L::ELEMENT));
    }
    outbox.flush(send)
}

/// The part of a set with this number: the states that it owns.
#[derive(Debug)]
pub struct Part {
    number: usize,
    parts: usize,
    set: Set,
    /// Keys that were added.
    listed: Tally,
    /// Keys that were sent to this part and found.
    found: Tally,
    /// Keys that are not in the table yet, or have yet to be looked up.
    batch: Vec<u64>,
    /// The table entry from which the next states are expanded.
    next: usize,
}

impl Part {
    /// Creates part `number` of `parts`, for `capacity` states.
    ///
    /// # Errors
    /// If the memory limit does not allow the table.
    pub fn new<L: Listed>(kind: &L, number: usize, parts: usize, capacity: u64, work: &Work<'_>) -> Check<Self> {
        assert!(number < parts, "parts are numbered from 0");
        let layout = Layout::new(&kind.sizes());
        let capacity = usize::try_from(capacity).map_err(|_| Refusal::ResourceLimit)?;
        let table = Table::new(capacity, layout.words(), work)?;
        let batch = Vec::with_capacity(BATCH * layout.words());
        let set = Set { layout, table, hash: 0 };
        Ok(Self { number, parts, set, listed: Tally::default(), found: Tally::default(), batch, next: 0 })
    }

    /// Adds listed states.
    ///
    /// # Errors
    /// If a word sequence is no key of a state that this part owns, or a state is listed twice, or if a resource
    /// limit is exceeded.
    pub fn add<L: Listed>(&mut self, kind: &L, keys: &[u64], work: &mut Work<'_>) -> Check<()> {
        let words = self.set.layout.words();
        let (mut state, mut again) = (Vec::new(), Vec::new());
        for key in keys.chunks(words) {
            work.spend(1)?;
            if !self.set.layout.is_key(key, &mut state, &mut again) || owner(key, self.parts) != self.number {
                return reject(format!("part {} of the set received a {} of another part", self.number, L::ELEMENT));
            }
            self.listed.add(key);
            self.set.hash = self.set.hash.wrapping_add(kind.hash(&state, key));
            self.batch.extend_from_slice(key);
            if self.batch.len() == BATCH * words {
                self.insert(kind, work)?;
            }
        }
        Ok(())
    }

    fn insert<L: Listed>(&mut self, kind: &L, work: &mut Work<'_>) -> Check<()> {
        match self.set.table.insert(&self.batch, work)? {
            Ok(()) => {
                self.batch.clear();
                Ok(())
            }
            Err(Refused::Full) => reject("a part of the set received more states than were announced"),
            Err(Refused::Known(at)) => {
                let words = self.set.layout.words();
                let state = self.described(kind, &self.batch[at * words..][..words]);
                reject(format!("the {} {state} is listed twice", L::ELEMENT))
            }
        }
    }

    /// Ends the listing. Checks that all keys have arrived, and that all initial states that this part owns are
    /// listed.
    ///
    /// # Errors
    /// If keys or initial states are missing, or if a resource limit is exceeded.
    pub fn complete<L: Listed>(&mut self, kind: &L, sent: Tally, work: &mut Work<'_>) -> Check<()> {
        self.insert(kind, work)?;
        if self.listed != sent {
            return reject("listed states were lost or changed on their way to their part");
        }
        let mut key = Vec::new();
        kind.initial(&mut |state| {
            work.spend(1 + state.len() as u64)?;
            key.clear();
            let is_key = self.set.layout.pack(state, |word| key.push(word));
            // All parts compute the same key, so exactly one of them looks it up.
            if is_key && (owner(&key, self.parts) != self.number || self.set.table.has(&key, work)?) {
                return Ok(());
            }
            reject(format!("the initial {} {} is missing from the set", L::ELEMENT, kind.describe(state)))
        })
    }

    /// Expands the next states, about `most`, and sends their successors to the owners. Returns false if no state
    /// is left.
    ///
    /// # Errors
    /// If a state is a state of a goal, or a successor that this part owns is missing; the errors of `send`; or if
    /// a resource limit is exceeded.
    pub fn expand<L: Listed>(
        &mut self,
        kind: &mut L,
        most: usize,
        outbox: &mut Outbox,
        send: &mut Send<'_>,
        work: &mut Work<'_>,
    ) -> Check<bool> {
        let (mut state, mut key) = (Vec::new(), Vec::new());
        for _ in 0..most {
            let Some(place) = self.set.table.taken_from(self.next) else {
                self.look_up(kind, work)?;
                return Ok(false);
            };
            self.next = place + 1;
            work.spend(1)?;
            let Self { set, batch, number, parts, .. } = self;
            set.layout.unpack(set.table.key(place), &mut state);
            let mut step = |changes: &[Change], work: &mut Work<'_>| {
                key.clear();
                key.extend_from_slice(set.table.key(place));
                if let Some(Change { slot, to, .. }) = changes.iter().find(|c| !set.layout.change(&mut key, c)) {
                    return reject(format!(
                        "the set is not closed: a step gives slot {slot} the value {to}, which no {} has",
                        L::ELEMENT
                    ));
                }
                work.spend(1)?;
                match owner(&key, *parts) == *number {
                    true => batch.extend_from_slice(&key),
                    false => outbox.push(&key, send)?,
                }
                Ok(())
            };
            kind.expand(&state, &mut step, work).map_err(|refusal| match refusal {
                Refusal::Rejected(why) => Refusal::Rejected(format!("{why}: {}", kind.describe(&state))),
                other => other,
            })?;
            if self.batch.len() >= BATCH * self.set.layout.words() {
                self.look_up(kind, work)?;
            }
        }
        Ok(true)
    }

    /// Looks up states that other parts have sent.
    ///
    /// # Errors
    /// If a state is missing, or if a resource limit is exceeded.
    pub fn find<L: Listed>(&mut self, kind: &L, keys: &[u64], work: &mut Work<'_>) -> Check<()> {
        let words = self.set.layout.words();
        if !keys.len().is_multiple_of(words) {
            return reject("a part of the set received a damaged state");
        }
        self.look_up(kind, work)?;
        for batch in keys.chunks(BATCH * words) {
            batch.chunks_exact(words).for_each(|key| self.found.add(key));
            self.batch.extend_from_slice(batch);
            self.look_up(kind, work)?;
        }
        Ok(())
    }

    fn look_up<L: Listed>(&mut self, kind: &L, work: &mut Work<'_>) -> Check<()> {
        let words = self.set.layout.words();
        for batch in self.batch.chunks(BATCH * words) {
            let mut missing = None;
            work.spend((batch.len() / words) as u64)?;
            self.set.table.look_up(batch, work, |at| missing = missing.or(Some(at)))?;
            if let Some(at) = missing {
                let state = self.described(kind, &batch[at * words..][..words]);
                return reject(format!("the set is not closed: a step leads to {state}, which is not listed"));
            }
        }
        self.batch.clear();
        Ok(())
    }

    /// Describes the state with this key. A key that was changed on its way may stand for no state.
    fn described<L: Listed>(&self, kind: &L, key: &[u64]) -> String {
        let (mut state, mut again) = (Vec::new(), Vec::new());
        match self.set.layout.is_key(key, &mut state, &mut again) {
            true => kind.describe(&state),
            false => format!("a damaged {}", L::ELEMENT),
        }
    }

    /// Number and hash of the states of this part.
    #[must_use]
    pub fn counts(&self) -> Whole {
        Whole { states: self.set.table.len() as u64, hash: self.set.hash }
    }

    /// The tally of the states that other parts sent and this part found.
    #[must_use]
    pub fn found(&self) -> Tally {
        self.found
    }
}
