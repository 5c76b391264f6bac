//! The layout of the markings that a certificate lists: which place is stored in which slot.

use super::Marked;
use crate::{Check, reject};
use model::{PlaceId, Slot};

/// Where a kept place is stored: in a slot for its tokens, or in a slot for several places that hold at most
/// one token together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum At {
    /// A slot that holds the number of tokens of the place.
    Tokens {
        /// The index of the slot.
        slot: u32,
    },
    /// A slot for several places. Its value says which of them is marked.
    OneOf {
        /// The index of the slot.
        slot: u32,
        /// The value of the slot if this place is marked.
        value: u32,
    },
}

impl At {
    /// Returns the index of the slot.
    #[must_use]
    pub fn slot(self) -> u32 {
        match self {
            At::Tokens { slot } | At::OneOf { slot, .. } => slot,
        }
    }

    /// Returns the tokens of the place in a listed marking.
    #[must_use]
    pub fn tokens(self, state: &[u32]) -> u32 {
        match self {
            At::Tokens { slot } => state[slot as usize],
            At::OneOf { slot, value } => u32::from(state[slot as usize] == value),
        }
    }
}

/// The slots of listed markings, with a number for each kept place: its *literal*, which is true if the place
/// is marked.
#[derive(Debug)]
pub struct SlotLayout<'a> {
    /// The contents of each slot.
    pub slots: &'a [Slot],
    /// For each place: where it is stored, if it is kept.
    at: Vec<Option<At>>,
    /// For each slot: the literal of its first place.
    first: Vec<usize>,
    literals: usize,
}

impl<'a> SlotLayout<'a> {
    /// Creates the layout. Checks that each kept place exists and is kept once.
    ///
    /// # Errors
    /// If a kept place does not exist or is kept twice.
    pub fn new(system: Marked<'_>, slots: &'a [Slot]) -> Check<Self> {
        let mut shape = Self { slots, at: vec![None; system.places()], first: Vec::new(), literals: 0 };
        for (slot, content) in slots.iter().enumerate() {
            shape.first.push(shape.literals);
            let slot = slot as u32;
            match content {
                Slot::Tokens(place) => shape.keep(system, *place, At::Tokens { slot })?,
                Slot::OneOf(places) => {
                    for (value, place) in (1..).zip(places) {
                        shape.keep(system, *place, At::OneOf { slot, value })?;
                    }
                }
            }
        }
        debug_assert_eq!(shape.literals, shape.at.iter().flatten().count(), "a literal for each kept place");
        Ok(shape)
    }

    fn keep(&mut self, system: Marked<'_>, place: PlaceId, at: At) -> Check<()> {
        match self.at.get_mut(place.index()) {
            None => reject(format!("place number {} is listed and does not exist", place.0)),
            Some(Some(_)) => reject(format!("`{}` is kept twice", system.name(place.index()))),
            Some(free) => {
                *free = Some(at);
                self.literals += 1;
                debug_assert!(self.literals <= self.at.len(), "each place is kept once");
                Ok(())
            }
        }
    }

    /// Returns where a place is stored, if it is kept.
    #[must_use]
    pub fn at(&self, place: PlaceId) -> Option<At> {
        self.at[place.index()]
    }

    /// Returns the kept places in ascending order, each with where it is stored.
    pub fn kept(&self) -> impl Iterator<Item = (PlaceId, At)> + '_ {
        self.at.iter().enumerate().filter_map(|(p, at)| Some((PlaceId::new(p), (*at)?)))
    }

    /// Number of literals.
    #[must_use]
    pub fn literals(&self) -> usize {
        self.literals
    }

    /// Returns the literal of a kept place.
    #[must_use]
    pub fn literal(&self, at: At) -> usize {
        match at {
            At::Tokens { slot } => self.first[slot as usize],
            At::OneOf { slot, value } => self.first[slot as usize] + value as usize - 1,
        }
    }

    /// Returns the literal that is true if slot `slot` has the value `value`, which must not be 0.
    #[must_use]
    pub fn marked(&self, slot: usize, value: u32) -> usize {
        debug_assert!(value > 0, "a slot that holds nothing marks nothing");
        debug_assert!(
            matches!(&self.slots[slot], Slot::OneOf(places) if value as usize <= places.len())
                || matches!(self.slots[slot], Slot::Tokens(_)),
            "the slot has this value"
        );
        match &self.slots[slot] {
            Slot::Tokens(_) => self.first[slot],
            Slot::OneOf(_) => self.first[slot] + value as usize - 1,
        }
    }

    /// Returns true if `state` is a marking of the slots: it has one value per slot, and each value is in the
    /// range of its slot.
    #[must_use]
    pub fn knows(&self, state: &[u32]) -> bool {
        let known = |(slot, &value): (&Slot, &u32)| match slot {
            Slot::Tokens(_) => true,
            Slot::OneOf(places) => value as usize <= places.len(),
        };
        state.len() == self.slots.len() && self.slots.iter().zip(state).all(known)
    }

    /// Describes a listed marking in words, for messages.
    #[must_use]
    pub fn describe(&self, system: Marked<'_>, state: &[u32]) -> String {
        const SHOWN: usize = 12;
        let mut parts = Vec::new();
        let mut more = 0;
        for (slot, &value) in self.slots.iter().zip(state).filter(|(_, value)| **value != 0) {
            if parts.len() == SHOWN {
                more += 1;
                continue;
            }
            let (place, tokens) = match slot {
                Slot::Tokens(place) => (Some(place), value),
                Slot::OneOf(places) => (places.get(value as usize - 1), 1),
            };
            parts.push(format!("{}={tokens}", place.map_or_else(|| "?".to_owned(), |p| system.name(p.index()))));
        }
        if more > 0 {
            parts.push(format!("and {more} more"));
        }
        if parts.is_empty() { "(nothing marked)".to_owned() } else { format!("({})", parts.join(", ")) }
    }
}
