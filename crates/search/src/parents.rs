//! Stores one parent (predecessor) per state, from which runs are reconstructed.

use crate::table::{self, MAX_STATES, StateId};

/// Marks a state that was added from outside and that no expansion has reached.
const NO_PARENT: u32 = u32::MAX;
/// Marks an initial state.
const INITIAL: u32 = u32::MAX - 1;
const _: () = assert!(MAX_STATES <= INITIAL as usize, "markers are no ids");

/// The parents of all states of a table, indexed by state number.
#[derive(Debug, Default)]
pub(crate) struct Parents {
    of: Vec<u32>,
    /// Number of states without a parent. While it is 0, states that are found again need no check.
    orphans: usize,
}

impl Parents {
    /// Records that `id` is an initial state; `new` is true if the state was just added.
    pub(crate) fn note_initial(&mut self, id: StateId, new: bool) {
        if new {
            self.push(INITIAL);
        } else {
            let before = std::mem::replace(&mut self.of[id.index()], INITIAL);
            self.orphans -= usize::from(before == NO_PARENT);
        }
    }

    /// Records a new state that was added from outside.
    pub(crate) fn note_outside(&mut self) {
        self.push(NO_PARENT);
        self.orphans += 1;
    }

    /// Records that `id` is a successor of `by`. If `id` has no parent yet, `by` becomes its parent.
    #[inline]
    pub(crate) fn note_found(&mut self, id: StateId, new: bool, by: StateId) {
        if new {
            self.push(by.index() as u32);
        } else if self.orphans > 0 && self.of[id.index()] == NO_PARENT && id != by {
            self.of[id.index()] = by.index() as u32;
            self.orphans -= 1;
        }
    }

    /// Removes all parents, and returns the initial states in order.
    pub(crate) fn forget(&mut self) -> Vec<StateId> {
        let mut initial = Vec::new();
        self.orphans = 0;
        for (index, parent) in self.of.iter_mut().enumerate() {
            if *parent == INITIAL {
                initial.push(StateId::new(index));
            } else {
                *parent = NO_PARENT;
                self.orphans += 1;
            }
        }
        initial
    }

    /// Records that `id` is a successor of `by`. Returns true if `id` had no parent before and has one now.
    pub(crate) fn adopt(&mut self, id: StateId, by: StateId) -> bool {
        let before = self.orphans;
        self.note_found(id, false, by);
        self.orphans < before
    }

    /// Adds this number of states, and returns their parents, which the caller sets.
    pub(crate) fn grow(&mut self, more: usize) -> &mut [u32] {
        debug_assert_eq!(self.orphans, 0, "every state has a parent");
        let len = self.of.len();
        table::reserve(&mut self.of, more);
        self.of.resize(len + more, NO_PARENT);
        &mut self.of[len..]
    }

    #[inline]
    fn push(&mut self, parent: u32) {
        table::reserve(&mut self.of, 1);
        self.of.push(parent);
    }

    /// Returns the parent of a state. `None` for initial states, and for states without a parent.
    pub(crate) fn of(&self, id: StateId) -> Option<StateId> {
        let parent = self.of[id.index()];
        (parent < INITIAL).then(|| StateId::new(parent as usize))
    }

    /// Returns the number of states on the chain of parents from an initial state to `id`, both included.
    /// Returns `None` if the chain does not start in an initial state, or is a cycle. Both can happen where
    /// states were added from outside.
    pub(crate) fn chain_length(&self, id: StateId) -> Option<usize> {
        let (mut at, mut length) = (id, 1);
        while let Some(parent) = self.of(at) {
            at = parent;
            length += 1;
            if length > self.of.len() {
                return None;
            }
        }
        (self.of[at.index()] == INITIAL).then_some(length)
    }

    /// Returns the chain of [`Parents::chain_length`], from the initial state to `id`.
    pub(crate) fn chain(&self, id: StateId) -> Option<Vec<StateId>> {
        let mut chain = Vec::with_capacity(self.chain_length(id)?);
        chain.extend(std::iter::successors(Some(id), |&at| self.of(at)));
        chain.reverse();
        Some(chain)
    }

    /// Returns the number of the first state of each level. States must have been found breadth first.
    pub(crate) fn levels(&self) -> Vec<usize> {
        let mut levels: Vec<usize> = Vec::new();
        for (index, &parent) in self.of.iter().enumerate() {
            let last = levels.last().copied();
            if last.is_none_or(|first| parent < INITIAL && parent as usize >= first) {
                levels.push(index);
            }
        }
        levels
    }

    /// Returns the bytes allocated.
    pub(crate) fn bytes(&self) -> usize {
        self.of.capacity() * 4
    }

    /// Returns how many bytes may be allocated when `more` new states are recorded.
    #[inline]
    pub(crate) fn growth_bytes_for(&self, more: usize) -> usize {
        let needed = self.of.len().saturating_add(more);
        let capacity = self.of.capacity();
        if needed <= capacity { 0 } else { (table::grown_capacity(capacity, needed) - capacity).saturating_mul(4) }
    }
}
