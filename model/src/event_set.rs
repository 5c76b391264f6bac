//! Sets of events of one program, as bit sets over a fixed universe.

use crate::ids::EventId;
use fixedbitset::FixedBitSet;

/// A set of events of a program with `universe` events. Sets of different universes must not be mixed.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct EventSet {
    bits: FixedBitSet,
}

impl EventSet {
    /// The empty set over events `0..universe`.
    #[must_use]
    pub fn empty(universe: usize) -> Self {
        Self { bits: FixedBitSet::with_capacity(universe) }
    }

    /// All events `0..universe`.
    #[must_use]
    pub fn full(universe: usize) -> Self {
        let mut bits = FixedBitSet::with_capacity(universe);
        bits.insert_range(..);
        Self { bits }
    }

    /// The set of the given events.
    ///
    /// # Panics
    /// If an event lies outside the universe.
    pub fn from_events(universe: usize, events: impl IntoIterator<Item = EventId>) -> Self {
        let mut set = Self::empty(universe);
        for e in events {
            set.insert(e);
        }
        set
    }

    /// How many events the program has (not how many are in the set).
    #[must_use]
    pub fn universe(&self) -> usize {
        self.bits.len()
    }

    /// Is `e` in the set?
    #[must_use]
    pub fn contains(&self, e: EventId) -> bool {
        self.bits.contains(e.index())
    }

    /// Adds `e`.
    pub fn insert(&mut self, e: EventId) {
        self.bits.insert(e.index());
    }

    /// Takes `e` out.
    pub fn remove(&mut self, e: EventId) {
        self.bits.remove(e.index());
    }

    /// How many events are in the set.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bits.count_ones(..)
    }

    /// Has the set no event?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bits.is_clear()
    }

    /// Is every event of the universe in the set?
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.len() == self.universe()
    }

    /// The events in the set, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = EventId> + '_ {
        self.bits.ones().map(EventId::new)
    }

    /// Adds all of `other`.
    pub fn union_with(&mut self, other: &Self) {
        self.bits.union_with(&other.bits);
    }

    /// Keeps what is also in `other`.
    pub fn intersect_with(&mut self, other: &Self) {
        self.bits.intersect_with(&other.bits);
    }

    /// Takes out all of `other`.
    pub fn subtract(&mut self, other: &Self) {
        self.bits.difference_with(&other.bits);
    }

    /// Is every event of this set in `other`?
    #[must_use]
    pub fn is_subset(&self, other: &Self) -> bool {
        self.bits.is_subset(&other.bits)
    }

    /// The set as 64-bit words, lowest events first (for compiled steppers).
    pub fn words(&self) -> impl Iterator<Item = u64> + '_ {
        let universe = self.universe();
        (0..universe.div_ceil(64)).map(move |w| {
            let last = universe.min(w * 64 + 64);
            (w * 64..last).filter(|&i| self.bits.contains(i)).fold(0, |acc, i| acc | 1 << (i % 64))
        })
    }
}
