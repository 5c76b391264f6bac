//! Simplifies clauses with fixed literals: deletes satisfied clauses, and removes false literals from the
//! others. As a result, the techniques that run afterwards, and propagation, meet no fixed literals.

use super::Round;
use crate::clauses::ClauseRef;
use crate::theory::View;

impl Round<'_> {
    /// Tidies all clauses. Level 0, propagated. Does nothing if no literal was fixed since the last time.
    pub(super) fn tidy(&mut self) {
        let fixed = self.bcp.trail.fixed();
        debug_assert!(fixed >= self.schedule.tidied);
        if fixed == self.schedule.tidied {
            return;
        }
        self.schedule.tidied = fixed;
        self.bcp.delete_satisfied();
        let (trail, clauses) = (&self.bcp.trail, &self.bcp.clauses);
        let has_false = |&clause: &ClauseRef| clauses.lits(clause).any(|lit| trail.is_false(lit));
        let spoilt: Vec<ClauseRef> =
            clauses.iter().filter(|&clause| self.may_change(clause)).filter(has_false).collect();
        for clause in spoilt {
            self.drop_false(clause);
        }
    }

    fn drop_false(&mut self, clause: ClauseRef) {
        let (trail, clauses) = (&self.bcp.trail, &self.bcp.clauses);
        let mut kept = Vec::with_capacity(clauses.len(clause));
        for lit in clauses.lits(clause) {
            debug_assert!(!trail.is_fixed(lit));
            if trail.is_open(lit) {
                kept.push(lit);
            } else {
                self.bcp.log.hint_unit(lit.var());
            }
        }
        debug_assert!(kept.len() >= 2, "everything is propagated");
        self.bcp.log.hint(self.bcp.clauses, clause);
        let id = self.bcp.log.derive(&kept);
        self.replace(clause, &kept, id);
    }
}
