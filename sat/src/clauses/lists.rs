//! Lists of the clauses that come and go, by kind: to forget them, they need not be searched for.
//!
//! Invariants: a clause enters the list of its kind when it is stored, and is in it at most once; what is not garbage
//! and of one of these kinds is in its list. Garbage, and learnt clauses that became given ones, leave with the next
//! `retain`.

use std::collections::BTreeMap;

use super::{ClauseRef, Clauses, Kind};
use crate::proof::ClauseId;

#[derive(Default)]
pub(super) struct Lists {
    pub(super) learnt: Vec<ClauseRef>,
    /// All clauses with the guard's negation, given and learnt.
    pub(super) temporary: Vec<ClauseRef>,
    pub(super) removable: BTreeMap<ClauseId, ClauseRef>,
    /// Added while a trail was kept, and false in it.
    pub(super) pending: Vec<ClauseRef>,
}

impl Lists {
    pub(super) fn enter(&mut self, clause: ClauseRef, id: ClauseId, kind: Kind) {
        match kind {
            Kind::Given => {}
            Kind::Learnt => self.learnt.push(clause),
            Kind::Temporary => self.temporary.push(clause),
            Kind::Removable => {
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
    /// The learnt clauses, oldest first; some may be garbage, or given ones by now.
    pub(crate) fn learnt(&self) -> &[ClauseRef] {
        &self.lists.learnt
    }

    /// All temporary clauses; some may be garbage.
    pub(crate) fn take_temporary(&mut self) -> Vec<ClauseRef> {
        std::mem::take(&mut self.lists.temporary)
    }

    /// A removable clause that is still there.
    pub(crate) fn take_removable(&mut self, id: ClauseId) -> Option<ClauseRef> {
        self.lists.removable.remove(&id)
    }

    /// The clause is false, between queries: to be seen to by the next one.
    pub(crate) fn defer(&mut self, clause: ClauseRef) {
        debug_assert!(!self.is_garbage(clause));
        self.lists.pending.push(clause);
    }

    /// Clauses that were deferred; some may be garbage.
    pub(crate) fn take_pending(&mut self) -> Vec<ClauseRef> {
        std::mem::take(&mut self.lists.pending)
    }

    /// What is garbage leaves the lists, and what is a given clause now.
    pub(super) fn retain(&mut self) {
        let mut lists = std::mem::take(&mut self.lists);
        let lives = |clause: &ClauseRef| !self.is_garbage(*clause);
        lists.learnt.retain(|clause| lives(clause) && self.kind(*clause) == Kind::Learnt);
        lists.temporary.retain(lives);
        lists.pending.retain(lives);
        lists.removable.retain(|_, clause| lives(clause));
        self.lists = lists;
    }
}
