//! Consecutive states of a level, and the results of stepping them.

use crate::step::{Stepper, Successors};
use crate::table;
use model::ExpansionKind;

/// When the successors in a chunk have more words than this, the rest of its states is not stepped.
const MOST_WORDS: usize = 1 << 14;

/// States and their successors.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    sources: Vec<u64>,
    /// Expansion kinds of the states stepped, which may be only the first states of the chunk.
    kinds: Vec<ExpansionKind>,
    /// For each state stepped: the end of its successors in `hashes`.
    ends: Vec<usize>,
    hashes: Vec<u64>,
    states: Vec<u64>,
    is_stepped: bool,
}

impl Chunk {
    /// Replaces the states of the chunk by `sources`.
    pub(super) fn load(&mut self, sources: &[u64]) {
        self.sources.clear();
        self.sources.extend_from_slice(sources);
        self.kinds.clear();
        self.ends.clear();
        self.hashes.clear();
        self.states.clear();
        self.is_stepped = false;
    }

    /// Steps the states of the chunk. A second call does nothing.
    pub(super) fn step(&mut self, stepper: &mut impl Stepper, successors: &mut Successors) {
        if std::mem::replace(&mut self.is_stepped, true) {
            return;
        }
        for source in self.sources.chunks_exact(stepper.words()) {
            if self.states.len() > MOST_WORDS {
                break;
            }
            self.kinds.push(stepper.expand(source, successors));
            for (_, state) in successors.iter() {
                self.hashes.push(table::hash(state));
                self.states.extend_from_slice(state);
            }
            self.ends.push(self.hashes.len());
        }
    }

    /// Returns the number of states.
    pub(super) fn len(&self, words: usize) -> usize {
        self.sources.len() / words
    }

    /// Returns the number of successors of the states stepped.
    pub(super) fn found(&self) -> usize {
        self.hashes.len()
    }

    /// Returns a state of the chunk.
    pub(super) fn source(&self, at: usize, words: usize) -> &[u64] {
        &self.sources[at * words..][..words]
    }

    /// Returns the expansion kind of a state, and the hashes and words of its successors, if the state was stepped.
    pub(super) fn successors(&self, at: usize, words: usize) -> Option<(ExpansionKind, &[u64], &[u64])> {
        let kind = *self.kinds.get(at)?;
        let from = if at == 0 { 0 } else { self.ends[at - 1] };
        let to = self.ends[at];
        Some((kind, &self.hashes[from..to], &self.states[from * words..to * words]))
    }
}
