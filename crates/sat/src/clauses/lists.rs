//! One list for each kind of clause that can be deleted, so that the arena need not be searched for these
//! clauses.
//!
//! Invariants: a clause is added to the list of its kind when it is stored, and is in that list at most once;
//! every clause that is of one of these kinds and is not garbage is in its list. Garbage clauses, and learnt
//! clauses that became given ones, are removed by the next `retain`.

use std::collections::BTreeMap;

use super::reference::{ClauseKind, ClauseRef};
use crate::proof::ClauseId;

#[derive(Default)]
pub(super) struct Lists {
    pub(super) learnt: Vec<ClauseRef>,
    /// All clauses with the guard's negation, given and learnt.
    pub(super) temporary: Vec<ClauseRef>,
    pub(super) removable: BTreeMap<ClauseId, ClauseRef>,
    /// Clauses that were added between queries and were false on the kept trail.
    pub(super) pending: Vec<ClauseRef>,
}

impl Lists {
    pub(super) fn enter(&mut self, clause: ClauseRef, id: ClauseId, kind: ClauseKind) {
        match kind {
            ClauseKind::Given => {}
            ClauseKind::Learnt => self.learnt.push(clause),
            ClauseKind::Temporary => self.temporary.push(clause),
            ClauseKind::Removable => {
                let before = self.removable.insert(id, clause);
                debug_assert!(before.is_none(), "identifiers are given once");
            }
        }
    }

    /// The same lists after clauses moved in memory.
    pub(super) fn moved(mut self, to: impl Fn(ClauseRef) -> ClauseRef) -> Self {
        let lists = [&mut self.learnt, &mut self.temporary, &mut self.pending];
        for clause in lists.into_iter().flatten().chain(self.removable.values_mut()) {
            *clause = to(*clause);
        }
        self
    }
}
