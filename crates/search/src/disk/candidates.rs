//! The successors of a level, collected until the level is expanded.

use super::merge::Merge;
use super::run::{Cursor, Run, RunWriter};
use super::{Disk, keys};
use crate::may_grow;
use crate::step::Successors;
use crate::table::StateTable;
use journal::scratch::ScratchError;
use model::{Reason, Stop};
use std::sync::Arc;

/// A table that cannot grow is written to disk if it has at least this share of the states that it may have.
/// Otherwise, there is too little memory for the search.
const WORTH_WRITING: usize = 64;

/// A set of states: the newest ones in a table, the others in runs.
#[derive(Debug)]
pub(super) struct Candidates {
    table: StateTable,
    /// The states that the table may have.
    most: usize,
    runs: Vec<Arc<Run>>,
}

impl Candidates {
    /// Returns an empty set that can take `expected` states without growing.
    pub(super) fn new(disk: &Disk, words: usize, expected: usize) -> Self {
        let most = StateTable::states_in(disk.memory, words);
        Self { table: StateTable::with_room(words, expected.min(most)), most, runs: Vec::new() }
    }

    /// Returns true if the set has no states.
    pub(super) fn is_empty(&self) -> bool {
        self.table.is_empty() && self.runs.is_empty()
    }

    /// Returns how many states are in the table.
    pub(super) fn in_table(&self) -> usize {
        self.table.len()
    }

    /// Makes room for `more` states, on disk if necessary.
    pub(super) fn reserve(&mut self, more: usize, disk: &Disk, stop: &Stop) -> Result<(), Reason> {
        if self.table.len() + more <= self.most {
            let growth = self.table.growth_bytes_for(more);
            if growth == 0 || stop.has_room(growth) {
                return Ok(());
            }
            if self.table.len() < self.most / WORTH_WRITING {
                return if may_grow(growth, stop) { Ok(()) } else { Err(Reason::Memory) };
            }
        }
        self.write(disk).map_err(super::reason)?;
        if may_grow(self.table.growth_bytes_for(more), stop) { Ok(()) } else { Err(Reason::Memory) }
    }

    /// Reads the places where states with these hashes may be.
    #[inline]
    pub(super) fn warm(&self, hashes: &[u64]) {
        self.table.warm(hashes);
    }

    /// Adds states with the given hashes.
    #[inline]
    pub(super) fn add(&mut self, successors: &Successors, hashes: &[u64]) {
        for ((_, state), &hash) in successors.iter().zip(hashes) {
            self.table.intern_hashed(hash, state);
        }
    }

    /// Adds states, stored one after the other, with the given hashes.
    #[inline]
    pub(super) fn add_flat(&mut self, states: &[u64], hashes: &[u64]) {
        for (state, &hash) in states.chunks_exact(self.table.words()).zip(hashes) {
            self.table.intern_hashed(hash, state);
        }
    }

    /// Adds a run of states.
    pub(super) fn add_run(&mut self, run: Run) {
        if run.len() > 0 {
            self.runs.push(Arc::new(run));
        }
    }

    /// Moves the states of the table to disk.
    pub(super) fn write(&mut self, disk: &Disk) -> Result<(), ScratchError> {
        let words = self.table.words();
        if self.table.is_empty() {
            return Ok(());
        }
        let table = std::mem::replace(&mut self.table, StateTable::new(words));
        let expected = table.len();
        let mut states = table.into_states();
        keys::sort(&mut states, words);
        let mut writer = RunWriter::new(disk, words)?;
        writer.push(&states)?;
        self.add_run(writer.finish()?);
        drop(states);
        self.table = StateTable::with_room(words, expected);
        Ok(())
    }

    /// Returns the runs. The table must be empty.
    pub(super) fn into_runs(self) -> Vec<Arc<Run>> {
        debug_assert!(self.table.is_empty(), "the table was written");
        self.runs
    }

    /// Returns all states that are not in the runs `known`, in ascending order.
    pub(super) fn into_new(self, known: &[Arc<Run>]) -> Merge {
        let words = self.table.words();
        let mut states = self.table.into_states();
        keys::sort(&mut states, words);
        let cursors = |runs: &[Arc<Run>]| runs.iter().map(|run| Cursor::new(Arc::clone(run))).collect();
        Merge::new(words, cursors(&self.runs), states, cursors(known))
    }
}
