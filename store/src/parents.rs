//! Who found whom: one parent per state, from which runs are rebuilt.

use crate::table::{self, MAX_STATES, StateId};

/// Parent of a state that was named from outside and that no expansion has reached.
const NO_PARENT: u32 = u32::MAX;
/// Parent of an initial state.
const INITIAL: u32 = u32::MAX - 1;
const _: () = assert!(MAX_STATES <= INITIAL as usize, "markers are no ids");

/// The parents of all states of a table, by their numbers.
#[derive(Debug, Default)]
pub(crate) struct Parents {
    of: Vec<u32>,
    /// States without a parent: while there are none, states found again need not be looked at.
    orphans: usize,
}

impl Parents {
    /// `id` is an initial state.
    pub(crate) fn note_initial(&mut self, id: StateId, new: bool) {
        if new {
            self.push(INITIAL);
        } else {
            let before = std::mem::replace(&mut self.of[id.index()], INITIAL);
            self.orphans -= usize::from(before == NO_PARENT);
        }
    }

    /// A new state was named from outside.
    pub(crate) fn note_outside(&mut self) {
        self.push(NO_PARENT);
        self.orphans += 1;
    }

    /// `by` leads to `id`: its parent, if it has none yet.
    #[inline]
    pub(crate) fn note_found(&mut self, id: StateId, new: bool, by: StateId) {
        if new {
            self.push(by.index() as u32);
        } else if self.orphans > 0 && self.of[id.index()] == NO_PARENT && id != by {
            self.of[id.index()] = by.index() as u32;
            self.orphans -= 1;
        }
    }

    /// Forgets all parents; answers the initial states, in order.
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

    /// `by` leads to `id`: true if that gives it a parent it did not have.
    pub(crate) fn adopt(&mut self, id: StateId, by: StateId) -> bool {
        let before = self.orphans;
        self.note_found(id, false, by);
        self.orphans < before
    }

    #[inline]
    fn push(&mut self, parent: u32) {
        table::reserve(&mut self.of, 1);
        self.of.push(parent);
    }

    fn of(&self, id: StateId) -> Option<StateId> {
        let parent = self.of[id.index()];
        (parent < INITIAL).then(|| StateId::new(parent as usize))
    }

    /// How many states lie on the chain from an initial state to `id`, both included; `None` if it does not start in one or
    /// loops (possible where states were named from outside).
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

    /// That chain.
    pub(crate) fn chain(&self, id: StateId) -> Option<Vec<StateId>> {
        let mut chain = Vec::with_capacity(self.chain_length(id)?);
        chain.extend(std::iter::successors(Some(id), |&at| self.of(at)));
        chain.reverse();
        Some(chain)
    }

    /// How many bytes noting `more` new states may allocate.
    #[inline]
    pub(crate) fn growth_bytes_for(&self, more: usize) -> usize {
        let needed = self.of.len().saturating_add(more);
        let capacity = self.of.capacity();
        if needed <= capacity { 0 } else { (table::grown_capacity(capacity, needed) - capacity).saturating_mul(4) }
    }
}
