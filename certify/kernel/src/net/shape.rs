//! How the listed markings of a certificate are written: which place is in which slot.

use super::Marked;
use crate::{Check, reject};
use model::{PlaceId, Slot};

/// Where a kept place is: the tokens in a slot, or one of the places of a slot that hold at most one token together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum At {
    /// The tokens in a slot.
    Tokens {
        /// The slot.
        slot: u32,
    },
    /// One of the places of a slot.
    OneOf {
        /// The slot.
        slot: u32,
        /// The slot's value if this place is marked.
        value: u32,
    },
}

impl At {
    /// Its slot.
    #[must_use]
    pub fn slot(self) -> u32 {
        match self {
            At::Tokens { slot } | At::OneOf { slot, .. } => slot,
        }
    }

    /// Its tokens in a listed marking.
    #[must_use]
    pub fn tokens(self, state: &[u32]) -> u32 {
        match self {
            At::Tokens { slot } => state[slot as usize],
            At::OneOf { slot, value } => u32::from(state[slot as usize] == value),
        }
    }
}

/// The slots, with a number (*literal*) for each kept place: the place is marked.
#[derive(Debug)]
pub struct Shape<'a> {
    /// What each slot holds.
    pub slots: &'a [Slot],
    /// By place.
    at: Vec<Option<At>>,
    /// By slot, the literal of its first place.
    first: Vec<usize>,
    literals: usize,
}

impl<'a> Shape<'a> {
    /// Each kept place must exist and be kept once.
    ///
    /// # Errors
    /// If not.
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
            None => reject(format!("place number {} is kept, which does not exist", place.0)),
            Some(Some(_)) => reject(format!("`{}` is kept twice", system.name(place.index()))),
            Some(free) => {
                *free = Some(at);
                self.literals += 1;
                debug_assert!(self.literals <= self.at.len(), "each place is kept once");
                Ok(())
            }
        }
    }

    /// Where a place is, if it is kept.
    #[must_use]
    pub fn at(&self, place: PlaceId) -> Option<At> {
        self.at[place.index()]
    }

    /// Kept places with where they are, ascending.
    pub fn kept(&self) -> impl Iterator<Item = (PlaceId, At)> + '_ {
        self.at.iter().enumerate().filter_map(|(p, at)| Some((PlaceId::new(p), (*at)?)))
    }

    /// How many literals there are.
    #[must_use]
    pub fn literals(&self) -> usize {
        self.literals
    }

    /// The literal of a kept place.
    #[must_use]
    pub fn literal(&self, at: At) -> usize {
        match at {
            At::Tokens { slot } => self.first[slot as usize],
            At::OneOf { slot, value } => self.first[slot as usize] + value as usize - 1,
        }
    }

    /// The literal that is true if this slot has this value, not 0.
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

    /// Is it a marking of the slots: right width, each value of its slot?
    #[must_use]
    pub fn knows(&self, state: &[u32]) -> bool {
        let known = |(slot, &value): (&Slot, &u32)| match slot {
            Slot::Tokens(_) => true,
            Slot::OneOf(places) => value as usize <= places.len(),
        };
        state.len() == self.slots.len() && self.slots.iter().zip(state).all(known)
    }

    /// A listed marking in words, for messages.
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
