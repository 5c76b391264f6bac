//! Checks of the invariants of the clause arena.

use std::collections::BTreeSet;

use super::reference::{ClauseKind, ClauseRef};
use super::{Clauses, HEADER, MOVED};

impl Clauses {
    /// Panics if the arena or a list is inconsistent.
    pub(crate) fn check(&self) {
        let mut at = 0;
        let mut garbage = 0;
        while at < self.words.len() {
            let clause = ClauseRef(at as u32);
            let size = HEADER + self.len(clause);
            assert!(at + size <= self.words.len(), "a clause ends behind the arena");
            assert!(self.len(clause) > 0, "the empty clause is not stored");
            assert!(!self.has(clause, MOVED), "a clause was left behind");
            garbage += if self.is_garbage(clause) { size } else { self.check_distinct(clause) };
            at += size;
        }
        assert_eq!(garbage, self.garbage_words, "garbage is counted");
        self.check_list(&self.lists.learnt, ClauseKind::Learnt);
        self.check_list(&self.lists.temporary, ClauseKind::Temporary);
        self.check_list(&self.lists.removable.values().copied().collect::<Vec<_>>(), ClauseKind::Removable);
    }

    /// Panics if a variable occurs twice in the clause. Returns 0, which is the number of garbage words in a
    /// clause that is not garbage.
    fn check_distinct(&self, clause: ClauseRef) -> usize {
        let vars: BTreeSet<_> = self.lits(clause).map(crate::lit::Lit::var).collect();
        assert_eq!(vars.len(), self.len(clause), "a clause has a variable once");
        0
    }

    /// Panics unless every clause of this kind is listed exactly once.
    fn check_list(&self, list: &[ClauseRef], kind: ClauseKind) {
        let listed: BTreeSet<_> = list.iter().copied().collect();
        assert_eq!(listed.len(), list.len(), "a clause is listed once");
        let missing = self.iter().find(|clause| self.kind(*clause) == kind && !listed.contains(clause));
        assert!(missing.is_none(), "{missing:?} is in no list of {kind:?}");
    }
}
