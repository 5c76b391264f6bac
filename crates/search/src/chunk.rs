//! A chunk of a search by several workers: consecutive states, which one worker expands.

use crate::step::{Stepper, Successors};
use crate::table::{self, Additions, StateTable};
use model::ExpansionKind;

/// When the successors of the states in a chunk have more words than this, the chunk ends, and the stretch with it.
pub(super) const MOST_WORDS: usize = 1 << 14;

/// Number of successors that are looked up together. A core does not keep more reads in flight.
const TOGETHER: usize = 64;

/// Successors with their hashes, and the numbers of the states that they were reached from.
#[derive(Debug, Default)]
pub(super) struct Reached {
    hashes: Vec<u64>,
    states: Vec<u64>,
    parents: Vec<u32>,
}

impl Reached {
    /// Returns the number of successors.
    pub(super) fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Returns the successors as states to add.
    pub(super) fn additions(&self) -> Additions<'_> {
        let Self { hashes, states, parents } = self;
        Additions { hashes, states, parents }
    }

    /// Adds the successors of another list.
    pub(super) fn extend(&mut self, other: &Self) {
        self.hashes.extend_from_slice(&other.hashes);
        self.states.extend_from_slice(&other.states);
        self.parents.extend_from_slice(&other.parents);
    }

    pub(super) fn clear(&mut self) {
        self.hashes.clear();
        self.states.clear();
        self.parents.clear();
    }

    fn push(&mut self, hash: u64, state: &[u64], parent: u32) {
        self.hashes.push(hash);
        self.states.extend_from_slice(state);
        self.parents.push(parent);
    }

    /// Moves the successors that are not in the table to `missing`, mostly once each.
    fn move_missing(&mut self, words: usize, table: &StateTable, missing: &mut Self, recent: &mut Recent) {
        table.warm(&self.hashes);
        let states = self.states.chunks_exact(words).zip(&self.parents);
        for (&hash, (state, &parent)) in self.hashes.iter().zip(states) {
            let slot = &mut recent.0[hash as usize % RECENT];
            let is_known = slot.checked_sub(1).is_some_and(|at| {
                let at = at as usize;
                missing.hashes[at] == hash && table::equal(&missing.states[at * words..][..words], state)
            });
            if !is_known && !table.has_hashed(hash, state) {
                missing.push(hash, state, parent);
                *slot = missing.len() as u32;
            }
        }
        self.clear();
    }
}

/// Number of slots of [`Recent`]. They fit the nearest cache.
const RECENT: usize = 1 << 11;

/// Missing states of a chunk that were found before: their positions in the list of missing states plus 1, by the low
/// bits of their hashes. States that are next to each other in the queue have many successors in common.
#[derive(Debug)]
struct Recent(Box<[u32; RECENT]>);

/// Consecutive waiting states, and what their expansions found.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    pub(super) numbers: Vec<usize>,
    sources: Vec<u64>,
    /// Expansion kinds of the states expanded. These are all states, or the first ones: a chunk ends after a state
    /// that overflows, or when it has many successors.
    pub(super) kinds: Vec<ExpansionKind>,
    /// For each state expanded: its number of successors.
    pub(super) transitions: Vec<u32>,
    /// Successors that are not in the table.
    missing: Reached,
}

impl Chunk {
    pub(super) fn clear(&mut self) {
        self.numbers.clear();
        self.sources.clear();
        self.kinds.clear();
        self.transitions.clear();
        self.missing.clear();
    }

    /// Adds the state with this number.
    pub(super) fn push(&mut self, number: usize, source: &[u64]) {
        self.numbers.push(number);
        self.sources.extend_from_slice(source);
    }

    /// Expands the states, and keeps the successors that are not in the table.
    pub(super) fn expand<S: Stepper>(&mut self, worker: &mut Worker<S>, table: &StateTable) {
        let Self { numbers, sources, kinds, transitions, missing } = self;
        let Worker { stepper, successors, ahead, recent } = worker;
        recent.0.fill(0);
        let words = stepper.words();
        let mut listed = 0;
        for (&number, source) in numbers.iter().zip(sources.chunks_exact(words)) {
            if listed > MOST_WORDS {
                break;
            }
            kinds.push(stepper.expand(source, successors));
            if kinds.last() == Some(&ExpansionKind::Overflow) {
                transitions.push(0);
                break;
            }
            listed += successors.len() * words;
            transitions.push(successors.len() as u32);
            for (_, state) in successors.iter() {
                ahead.push(table::hash(state), state, number as u32);
            }
            if ahead.hashes.len() >= TOGETHER {
                ahead.move_missing(words, table, missing, recent);
            }
        }
        ahead.move_missing(words, table, missing, recent);
    }

    /// Returns the successors that are not in the table.
    pub(super) fn missing(&self) -> &Reached {
        &self.missing
    }

    /// Returns true if the chunk ended before its last state was expanded.
    pub(super) fn is_cut(&self) -> bool {
        self.kinds.len() < self.numbers.len() || self.kinds.last() == Some(&ExpansionKind::Overflow)
    }
}

/// A worker, with its own stepper.
#[derive(Debug)]
pub(super) struct Worker<S> {
    stepper: S,
    successors: Successors,
    /// Successors that have yet to be looked up.
    ahead: Reached,
    recent: Recent,
}

impl<S: Stepper> Worker<S> {
    /// Creates a worker.
    pub(super) fn new(stepper: S) -> Self {
        let successors = Successors::new(stepper.words());
        Self { stepper, successors, ahead: Reached::default(), recent: Recent(Box::new([0; RECENT])) }
    }
}
