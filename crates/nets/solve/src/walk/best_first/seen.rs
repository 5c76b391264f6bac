//! Markings that were found: a hash of each, for comparison, and how it was reached.
//!
//! A hash is a sum over places of the tokens times a random number of the place. So the hash of a successor follows
//! from the hash of a marking and the transition, and a marking that was found before costs no firing. Two markings
//! with equal hashes are taken for the same one, which may lose a run but makes no wrong one.
//!
//! The tokens are stored for expanded markings only, as bytes. The others are one firing away from an expanded one.

use crate::rules::Rules;
use search::rng::Rng;
use std::collections::HashSet;

/// The hash of markings of one net.
pub(super) struct Hashes {
    /// A random number for each place.
    of_places: Vec<u64>,
    /// For each transition: the difference that it makes. `None` if this depends on the marking.
    of_transitions: Vec<Option<u64>>,
}

/// The seed of the random numbers. Any other would do.
const SEED: u64 = 0x5eed;

impl Hashes {
    pub(super) fn new(net: &Rules) -> Self {
        let mut rng = Rng(SEED);
        let of_places: Vec<u64> = (0..net.places()).map(|_| rng.word() | 1).collect();
        let add = |sum: u64, c: &crate::rules::Change| {
            let own = of_places[c.place as usize].wrapping_mul(c.add.cast_unsigned());
            c.sources.is_none().then(|| sum.wrapping_add(own))
        };
        let of_transitions = (0..net.transitions()).map(|t| net.changes.row(t).iter().try_fold(0u64, add)).collect();
        Self { of_places, of_transitions }
    }

    pub(super) fn of(&self, tokens: &[u64]) -> u64 {
        let terms = self.of_places.iter().zip(tokens).map(|(p, n)| p.wrapping_mul(*n));
        terms.fold(0, u64::wrapping_add)
    }

    /// Returns the hash after firing `t` in the marking with these tokens and this hash. `None` if `t` leads to too
    /// many tokens.
    pub(super) fn after(&self, net: &Rules, t: u32, tokens: &[u64], hash: u64) -> Option<u64> {
        if let Some(difference) = self.of_transitions[t as usize] {
            return Some(hash.wrapping_add(difference));
        }
        let add = |hash: u64, c: &crate::rules::Change| {
            let more = net.result(*c, tokens)?.wrapping_sub(tokens[c.place as usize]);
            Some(hash.wrapping_add(self.of_places[c.place as usize].wrapping_mul(more)))
        };
        net.changes.row(t as usize).iter().try_fold(hash, add)
    }
}

/// The number of a marking, in the order in which markings were found.
pub(super) type Id = u32;

/// A marking that was found.
#[derive(Clone, Copy)]
pub(super) struct Node {
    /// The marking before it. Its own number if it is an initial one.
    pub(super) parent: Id,
    /// The transition that leads from `parent`, or the number of the initial marking.
    pub(super) via: u32,
    pub(super) hash: u64,
    /// Where its tokens begin. `NOT_STORED` if they are not stored.
    from: u32,
}

const NOT_STORED: u32 = u32::MAX;

/// The markings that were found.
#[derive(Default)]
pub(super) struct Seen {
    hashes: HashSet<u64>,
    pub(super) nodes: Vec<Node>,
    bytes: Vec<u8>,
}

impl Seen {
    /// Adds a marking. Returns `None` if it was found before. An initial marking has no parent.
    pub(super) fn add(&mut self, parent: Option<Id>, via: u32, hash: u64) -> Option<Id> {
        if !self.hashes.insert(hash) {
            return None;
        }
        let id = u32::try_from(self.nodes.len()).expect("the number of markings is limited");
        self.nodes.push(Node { parent: parent.unwrap_or(id), via, hash, from: NOT_STORED });
        Some(id)
    }

    pub(super) fn contains(&self, hash: u64) -> bool {
        self.hashes.contains(&hash)
    }

    /// Number of bytes of stored tokens.
    pub(super) fn size(&self) -> usize {
        self.bytes.len()
    }

    /// Stores the tokens of a marking: pairs of a place and a positive number.
    pub(super) fn store(&mut self, id: Id, marking: impl Iterator<Item = (u32, u64)>) {
        self.nodes[id as usize].from = u32::try_from(self.bytes.len()).expect("the size is limited");
        let mut before = 0;
        for (place, tokens) in marking {
            // Places may come in any order.
            push(&mut self.bytes, u64::from(place.wrapping_sub(before)) << 1 | u64::from(tokens != 1));
            if tokens != 1 {
                push(&mut self.bytes, tokens);
            }
            before = place;
        }
        push(&mut self.bytes, END);
    }

    /// Returns the tokens of a stored marking.
    pub(super) fn stored(&self, id: Id) -> Stored<'_> {
        let from = self.nodes[id as usize].from;
        debug_assert_ne!(from, NOT_STORED);
        Stored { bytes: &self.bytes[from as usize..], place: 0 }
    }
}

/// Ends the tokens of a marking. Differences of places are smaller.
const END: u64 = 1 << 34;

fn push(bytes: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        bytes.push(n.to_le_bytes()[0] | 0x80);
        n >>= 7;
    }
    bytes.push(n.to_le_bytes()[0]);
}

/// Iterates over the tokens of a stored marking.
pub(super) struct Stored<'a> {
    bytes: &'a [u8],
    place: u32,
}

impl Stored<'_> {
    fn number(&mut self) -> u64 {
        let (mut n, mut shift) = (0, 0);
        loop {
            let (byte, rest) = self.bytes.split_first().expect("a number ends");
            self.bytes = rest;
            n |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return n;
            }
            shift += 7;
        }
    }
}

impl Iterator for Stored<'_> {
    type Item = (u32, u64);

    fn next(&mut self) -> Option<(u32, u64)> {
        let head = self.number();
        if head == END {
            return None;
        }
        let difference = u32::try_from(head >> 1).expect("a difference of places");
        self.place = self.place.wrapping_add(difference);
        let tokens = if head & 1 == 0 { 1 } else { self.number() };
        Some((self.place, tokens))
    }
}
