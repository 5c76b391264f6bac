//! States and parents as records, and back.

use super::Exploration;
use crate::STATES;
use crate::step::Stepper;
use crate::table::StateId;
use model::Unrestored;
use model::saved::Record;

impl<S: Stepper> Exploration<S> {
    /// Returns 0 for an initial state, and the number of the parent plus 1 for others.
    pub(crate) fn parent_number(&self, id: StateId) -> u64 {
        self.parents.of(id).map_or(0, |parent| parent.index() as u64 + 1)
    }

    /// Returns true if `id` is an initial state.
    pub(crate) fn is_initial(&self, id: StateId) -> bool {
        self.parents.of(id).is_none()
    }

    /// Adds a state that was saved, with the number that [`Exploration::parent_number`] returned.
    ///
    /// # Errors
    /// If this is not a new state after its parent.
    pub(crate) fn add_saved(&mut self, state: &[u64], parent: u64) -> Result<(), Unrestored> {
        self.stepper.unpack(state, &mut self.unpacked);
        if !self.stepper.is_state(&self.unpacked) {
            return Err(Unrestored::damaged("a state is not one of the model"));
        }
        self.stepper.pack(&self.unpacked, &mut self.packed);
        if self.packed != state {
            return Err(Unrestored::damaged("a state does not fit its layout"));
        }
        if parent > self.table.len() as u64 {
            return Err(Unrestored::damaged("a state comes before its parent"));
        }
        let (id, is_new) = self.table.intern(state);
        if !is_new {
            return Err(Unrestored::damaged("a state occurs twice"));
        }
        match parent.checked_sub(1) {
            None => self.parents.note_initial(id, true),
            Some(parent) => self.parents.note_found(id, true, StateId::new(parent as usize)),
        }
        Ok(())
    }

    /// Sets the number of transitions found before.
    pub(crate) fn set_transitions(&mut self, transitions: u64) {
        self.transitions = transitions;
    }

    /// Returns the record of the states `first..end`.
    pub(crate) fn saved(&self, first: usize, end: usize) -> Record {
        let mut record = Record::new(STATES);
        record.small(first as u64);
        record.small((end - first) as u64);
        let ids = || (first..end).map(StateId::new);
        ids().for_each(|id| self.packed(id).iter().for_each(|&word| record.word(word)));
        let mut before = if first == 0 { 0 } else { self.parent_number(StateId::new(first - 1)) };
        for id in ids() {
            let parent = self.parent_number(id);
            debug_assert!(parent >= before, "parents ascend in breadth-first order");
            record.small(parent - before);
            before = parent;
        }
        record
    }
}
