//! One list for each kind of clause that can be deleted, so that the arena need not be searched for these
//! clauses.
//!
//! Invariants: a clause is added to the list of its kind when it is stored, and is in that list at most once;
//! every clause that is of one of these kinds and is not garbage is in its list. Garbage clauses, and learnt
//! clauses that became given ones, are removed by the next `retain`.

use std::collections::BTreeMap;

use super::{ClauseKind, ClauseRef, Clauses};
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

impl Clauses {
    /// The learnt clauses, oldest first. Some may be garbage, or given clauses by now.
    pub(crate) fn learnt(&self) -> &[ClauseRef] {
        &self.lists.learnt
    }

    /// Takes the list of temporary clauses. Some may be garbage.
    pub(crate) fn take_temporary(&mut self) -> Vec<ClauseRef> {
        std::mem::take(&mut self.lists.temporary)
    }

    /// Takes a removable clause out of its list, if it is still there.
    pub(crate) fn take_removable(&mut self, id: ClauseId) -> Option<ClauseRef> {
        self.lists.removable.remove(&id)
    }

    /// Adds a clause that was added between queries and is false to the list of pending clauses. The next query
    /// handles it.
    pub(crate) fn defer(&mut self, clause: ClauseRef) {
        debug_assert!(!self.is_garbage(clause));
        self.lists.pending.push(clause);
    }

    /// Takes the list of pending clauses. Some of them may be garbage.
    pub(crate) fn take_pending(&mut self) -> Vec<ClauseRef> {
        std::mem::take(&mut self.lists.pending)
    }

    /// Removes garbage from the lists, and given clauses from the list of learnt ones.
    pub(super) fn retain(&mut self) {
        let mut lists = std::mem::take(&mut self.lists);
        let lives = |clause: &ClauseRef| !self.is_garbage(*clause);
        lists.learnt.retain(|clause| lives(clause) && self.kind(*clause) == ClauseKind::Learnt);
        lists.temporary.retain(lives);
        lists.pending.retain(lives);
        lists.removable.retain(|_, clause| lives(clause));
        self.lists = lists;
    }
}
