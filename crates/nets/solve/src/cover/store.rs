//! Markings of a search in packed form, each with the step that reached it.
//!
//! A marking is a list of places and counts in as few bytes as possible, because most markings of large nets
//! are nearly empty. A marking counts as known if its hash of 64 bits is known. A collision only makes the
//! search miss a marking, which is sound, because the search never claims that anything is unreachable.

use std::collections::HashMap;

/// Index of a node.
pub(crate) type NodeId = u32;

/// A move of the search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Move {
    /// Fires a transition the given number of times in a row. If the first number is not below the number of
    /// transitions, it denotes an open place, which gets the given number of tokens.
    Fire(u32, u32),
    /// Repeats the moves of the last nodes: the number of nodes, and the number of repetitions.
    Again(u32, u32),
}

/// A marking with the step that reached it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) parent: NodeId,
    pub(crate) step: Move,
    /// True if tokens may still be added to the initial marking.
    pub(crate) opening: bool,
    /// Firings from the start.
    pub(crate) depth: u64,
    /// Start of the marking in `bytes`.
    pub(crate) at: usize,
}

/// The parent of the first node.
pub(crate) const NO_PARENT: NodeId = u32::MAX;

#[derive(Default)]
pub(crate) struct Store {
    nodes: Vec<Node>,
    bytes: Vec<u8>,
    /// For each hash, the least depth.
    known: HashMap<u64, u64>,
}

impl Store {
    /// Records a marking. Returns true if it is new, or if `sooner_counts` and the depth is smaller than
    /// before.
    pub(crate) fn is_news(&mut self, tokens: &[u64], opening: bool, depth: u64, sooner_counts: bool) -> bool {
        match self.known.entry(hash(tokens, opening)) {
            std::collections::hash_map::Entry::Vacant(entry) => {
                entry.insert(depth);
                true
            }
            std::collections::hash_map::Entry::Occupied(mut entry) => {
                let news = sooner_counts && depth < *entry.get();
                if news {
                    entry.insert(depth);
                }
                news
            }
        }
    }

    pub(crate) fn add(&mut self, tokens: &[u64], parent: NodeId, step: Move, opening: bool, depth: u64) -> NodeId {
        let id = u32::try_from(self.nodes.len()).expect("memory ends before");
        self.nodes.push(Node { parent, step, opening, depth, at: self.bytes.len() });
        let mut last = 0;
        for (place, &n) in tokens.iter().enumerate().filter(|(_, n)| **n > 0) {
            // Most entries need one byte: a small step to the next place, and one token.
            let step = (place - last) as u64;
            self.write(step << 1 | u64::from(n != 1));
            if n != 1 {
                self.write(n);
            }
            last = place;
        }
        id
    }

    fn write(&mut self, mut n: u64) {
        while n >= 128 {
            self.bytes.push((n & 127) as u8 | 128);
            n >>= 7;
        }
        self.bytes.push(n as u8);
    }

    pub(crate) fn node(&self, id: NodeId) -> Node {
        self.nodes[id as usize]
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Writes the marking of a node to `tokens`, which has an entry for each place.
    pub(crate) fn read(&self, id: NodeId, tokens: &mut [u64]) {
        tokens.fill(0);
        let end = self.nodes.get(id as usize + 1).map_or(self.bytes.len(), |n| n.at);
        let mut bytes = self.bytes[self.nodes[id as usize].at..end].iter();
        let mut next = || {
            let (mut n, mut shift) = (0u64, 0);
            for byte in bytes.by_ref() {
                n |= u64::from(byte & 127) << shift;
                shift += 7;
                if byte & 128 == 0 {
                    return Some(n);
                }
            }
            None
        };
        let mut place = 0usize;
        while let Some(head) = next() {
            place += (head >> 1) as usize;
            tokens[place] = if head & 1 == 1 { next().unwrap_or(0) } else { 1 };
        }
    }

    /// Estimated memory in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.len() + self.nodes.len() * (size_of::<Node>() + 32)
    }
}

fn hash(tokens: &[u64], opening: bool) -> u64 {
    let marked = tokens.iter().enumerate().filter(|(_, n)| **n > 0);
    marked.fold(u64::from(opening), |sum, (p, n)| {
        sum.wrapping_add(mix((p as u64) << 32 ^ n.wrapping_mul(0x9E37_79B9_7F4A_7C15)))
    })
}

/// Spreads the bits of `z` (SplitMix64).
pub(crate) fn mix(mut z: u64) -> u64 {
    z = z.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markings_come_back_as_they_were() {
        let mut store = Store::default();
        let one: Vec<u64> = vec![0, 1, 0, 300, 1 << 40, 1];
        let mut other = vec![0u64; 500];
        other[499] = 2;
        other[0] = 1;
        let a = store.add(&one, NO_PARENT, Move::Fire(0, 1), false, 0);
        let b = store.add(&[], a, Move::Fire(0, 1), false, 1);
        let c = store.add(&other, b, Move::Again(1, 7), false, 2);
        let mut tokens = vec![9; 6];
        store.read(a, &mut tokens);
        assert_eq!(tokens, one);
        store.read(b, &mut tokens);
        assert_eq!(tokens, [0; 6]);
        let mut tokens = vec![9; 500];
        store.read(c, &mut tokens);
        assert_eq!(tokens, other);
        assert!(store.is_news(&one, false, 5, false));
        assert!(!store.is_news(&one, false, 4, false));
        assert!(store.is_news(&one, false, 4, true));
    }
}
