//! The store of diagram nodes: each set of markings is stored once, and results of operations are remembered.
//!
//! A node is a list of edges, ascending by local state, without edges to the empty set. A path has a node for each
//! level, so the level of a node follows from its children, and equal lists are equal nodes. Nodes are only appended.
//! [`Nodes::collect`] removes those that no root reaches.

use hashbrown::HashTable;
use model::{Reason, Stop};
use std::mem::size_of;
use std::ops::Range;

/// The number of a node.
pub(crate) type Id = u32;

/// The empty set, at each level.
pub(crate) const EMPTY: Id = 0;

/// The set of the empty marking, below the last level.
pub(crate) const UNIT: Id = 1;

/// An edge: a local state, and the set of the rests of the markings that have it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Edge {
    pub(crate) state: u32,
    pub(crate) child: Id,
}

/// A factor of multiplicative hashing (the golden ratio in 64 bits).
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

fn mix(hash: u64, word: u64) -> u64 {
    let wide = u128::from(hash ^ word) * u128::from(FACTOR);
    (wide as u64) ^ ((wide >> 64) as u64)
}

fn hash_of(edges: &[Edge]) -> u64 {
    edges.iter().fold(1, |hash, e| mix(hash, u64::from(e.state) << 32 | u64::from(e.child)))
}

/// Makes room for `more` entries, if the memory limit allows it.
///
/// # Errors
/// [`Reason::Memory`] if it does not.
pub(crate) fn reserve<T>(list: &mut Vec<T>, more: usize, stop: &Stop) -> Result<(), Reason> {
    let free = list.capacity() - list.len();
    if free >= more {
        return Ok(());
    }
    let extra = more.max(list.capacity() / 2).max(64);
    if !stop.has_room((list.len() + extra) * size_of::<T>()) {
        return Err(Reason::Memory);
    }
    list.reserve_exact(extra);
    Ok(())
}

/// All nodes.
pub(crate) struct Nodes {
    edges: Vec<Edge>,
    /// For each node: the end of its edges. They begin where those of the node before end.
    ends: Vec<u32>,
    table: HashTable<Id>,
}

impl Nodes {
    pub(crate) fn new() -> Self {
        Self { edges: Vec::new(), ends: vec![0; 2], table: HashTable::new() }
    }

    /// The number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The positions of the edges of a node, for [`Nodes::edge`].
    pub(crate) fn range(&self, node: Id) -> Range<usize> {
        let node = node as usize;
        let start = if node == 0 { 0 } else { self.ends[node - 1] as usize };
        start..self.ends[node] as usize
    }

    pub(crate) fn edge(&self, position: usize) -> Edge {
        self.edges[position]
    }

    pub(crate) fn edges(&self, node: Id) -> &[Edge] {
        &self.edges[self.range(node)]
    }

    /// Returns the node with these edges.
    pub(crate) fn node(&mut self, edges: &[Edge], stop: &Stop) -> Result<Id, Reason> {
        if edges.is_empty() {
            return Ok(EMPTY);
        }
        let hash = hash_of(edges);
        let Self { edges: all, ends, .. } = self;
        let same = |id: &Id| {
            let id = *id as usize;
            all[ends[id - 1] as usize..ends[id] as usize] == *edges
        };
        if let Some(id) = self.table.find(hash, same) {
            return Ok(*id);
        }
        reserve(&mut self.edges, edges.len(), stop)?;
        reserve(&mut self.ends, 1, stop)?;
        let end = u32::try_from(self.edges.len() + edges.len()).map_err(|_| Reason::Memory)?;
        self.edges.extend_from_slice(edges);
        self.ends.push(end);
        let id = (self.ends.len() - 1) as Id;
        if self.table.len() == self.table.capacity() && !stop.has_room(self.table.capacity() * 2 * 5) {
            return Err(Reason::Memory);
        }
        let Self { edges: all, ends, table } = self;
        let hasher = |id: &Id| hash_of(&all[ends[*id as usize - 1] as usize..ends[*id as usize] as usize]);
        table.insert_unique(hash, id, hasher);
        Ok(id)
    }

    /// Removes the nodes that no root reaches. Returns the new number of each node, [`EMPTY`] for a removed one. The
    /// order of nodes does not change.
    pub(crate) fn collect(&mut self, roots: impl Iterator<Item = Id>, stop: &Stop) -> Result<Vec<Id>, Reason> {
        if !stop.has_room(self.len() * size_of::<Id>()) {
            return Err(Reason::Memory);
        }
        let mut new = vec![EMPTY; self.len()];
        roots.for_each(|root| new[root as usize] = 1);
        // Children are older than their parents.
        for node in (2..self.len()).rev() {
            if new[node] != EMPTY {
                for at in self.range(node as Id) {
                    new[self.edges[at].child as usize] = 1;
                }
            }
        }
        self.compact(&mut new);
        Ok(new)
    }

    /// Moves the marked nodes together, and writes their new numbers.
    fn compact(&mut self, new: &mut [Id]) {
        (new[EMPTY as usize], new[UNIT as usize]) = (EMPTY, UNIT);
        let (mut count, mut end) = (2, 0);
        let mut from = 0;
        for node in 2..self.len() {
            let range = from..self.ends[node] as usize;
            from = range.end;
            if new[node] == EMPTY {
                continue;
            }
            for at in range {
                let Edge { state, child } = self.edges[at];
                self.edges[end] = Edge { state, child: new[child as usize] };
                end += 1;
            }
            self.ends[count] = end as u32;
            new[node] = count as Id;
            count += 1;
        }
        self.edges.truncate(end);
        self.ends.truncate(count);
        self.table.clear();
        let Self { edges: all, ends, table } = self;
        let hash = |id: &Id| hash_of(&all[ends[*id as usize - 1] as usize..ends[*id as usize] as usize]);
        for id in 2..count as Id {
            table.insert_unique(hash(&id), id, hash);
        }
    }
}

/// Results of an operation on two numbers. A result may be forgotten when another one takes its slot.
pub(crate) struct Cache {
    slots: Vec<(u32, u32, Id)>,
    /// Number of results since slots were added.
    puts: usize,
}

/// Numbers of slots: at first, and at most.
const SLOTS: (usize, usize) = (1 << 14, 1 << 25);

impl Cache {
    pub(crate) fn new() -> Self {
        Self { slots: vec![(0, 0, EMPTY); SLOTS.0], puts: 0 }
    }

    fn slot(&self, a: u32, b: u32) -> usize {
        mix(FACTOR, u64::from(a) << 32 | u64::from(b)) as usize & (self.slots.len() - 1)
    }

    /// The result for `a` and `b`, which is not both 0.
    pub(crate) fn get(&self, a: u32, b: u32) -> Option<Id> {
        let (x, y, result) = self.slots[self.slot(a, b)];
        ((x, y) == (a, b)).then_some(result)
    }

    pub(crate) fn put(&mut self, a: u32, b: u32, result: Id) {
        self.puts += 1;
        let slot = self.slot(a, b);
        self.slots[slot] = (a, b, result);
    }

    /// Adds slots if there have been more results than slots, and memory allows it.
    pub(crate) fn fit(&mut self, stop: &Stop) {
        if self.puts < self.slots.len() || self.slots.len() >= SLOTS.1 {
            return;
        }
        let size = self.slots.len() * 2;
        if stop.has_room(size * size_of::<(u32, u32, Id)>()) {
            let old = std::mem::replace(&mut self.slots, vec![(0, 0, EMPTY); size]);
            old.into_iter().filter(|s| (s.0, s.1) != (0, 0)).for_each(|(a, b, result)| self.put(a, b, result));
        }
        self.puts = 0;
    }

    /// Forgets the results with a node that was removed, and renames the others.
    pub(crate) fn rename(&mut self, first_is_node: bool, new: &[Id]) {
        let old = std::mem::take(&mut self.slots);
        self.slots = vec![(0, 0, EMPTY); old.len()];
        let node = |id: Id| if id < 2 { Some(id) } else { Some(new[id as usize]).filter(|id| *id != EMPTY) };
        for (a, b, result) in old.into_iter().filter(|s| (s.0, s.1) != (0, 0)) {
            let first = if first_is_node { node(a) } else { Some(a) };
            if let (Some(a), Some(b), Some(result)) = (first, node(b), node(result)) {
                self.put(a, b, result);
            }
        }
    }
}
