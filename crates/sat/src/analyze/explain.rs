//! Explanations of literals that the theory implied, requested when a conflict needs them.

use super::Analysis;
use crate::bcp::Bcp;
use crate::clauses::{ClauseKind, ClauseRef};
use crate::lit::Lit;
use crate::theory::Theory;
use crate::trail::Reason;

impl Analysis {
    /// Asks the theory for the literals that imply `lit`, and stores its answer as a clause. `lit` is true, or
    /// the theory has implied it although it is false. The clause is treated like any learnt clause. It can be
    /// deleted at any time, because the theory can explain the literal again.
    ///
    /// # Panics
    /// If the theory names a literal that is not true, or that became true after `lit`.
    pub(crate) fn explain(&mut self, bcp: &mut Bcp<'_>, lit: Lit, theory: &mut dyn Theory) -> ClauseRef {
        bcp.stats.explanations += 1;
        let mut clause = vec![lit];
        let mut why = Vec::new();
        let tag = theory.explain(lit, &mut why);
        let is_implied = bcp.trail.is_true(lit);
        for &reason in &why {
            assert!(bcp.trail.is_true(reason), "theory explains {lit:?} by {reason:?}, which is not true");
            let is_before = !is_implied || bcp.trail.order(reason.var()) < bcp.trail.order(lit.var());
            assert!(is_before, "theory explains {lit:?} by {reason:?}, which came later");
            clause.push(!reason);
        }
        let id = bcp.log.axiom(tag, &clause);
        let distinct = bcp.signs.distinct(&clause);
        debug_assert!(!distinct.is_tautology, "a true literal and its negation are not both true");
        let glue = self.stamps.distinct(distinct.literals.iter().map(|lit| bcp.trail.level_of_var(lit.var())));
        let clause = bcp.clauses.add(distinct.literals, id, ClauseKind::Learnt, glue);
        bcp.watches.attach(bcp.clauses, bcp.trail, clause);
        if is_implied {
            note_explained(bcp, lit, clause);
        }
        clause
    }
}

/// Replaces the reason of a true literal by its explanation. The clause can show that the literal holds at a
/// lower level than the one it was assigned at.
fn note_explained(bcp: &mut Bcp<'_>, lit: Lit, clause: ClauseRef) {
    let others = || bcp.clauses.lits(clause).filter(|&other| other != lit);
    let reason = match (bcp.clauses.len(clause), others().next()) {
        (2, Some(other)) => Reason::Binary(clause, other),
        _ => Reason::Clause(clause),
    };
    bcp.trail.set_reason(lit.var(), reason);
    bcp.evaluate(clause);
}
