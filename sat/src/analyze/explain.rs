//! Reasons of the theory, asked for when a conflict needs them.

use super::Analysis;
use crate::bcp::Bcp;
use crate::clauses::{ClauseRef, Kind};
use crate::lit::Lit;
use crate::theory::Theory;
use crate::trail::Reason;

impl Analysis {
    /// Asks the theory why `lit` is true, or must be, and stores the answer as a clause. From then on it is like any
    /// other, except that it may be lost at any time: the theory can tell again.
    ///
    /// # Panics
    /// If the theory names a literal that is not true, or not before `lit`.
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
        let clause = bcp.clauses.add(distinct.literals, id, Kind::Learnt, glue);
        bcp.watches.attach(bcp.clauses, bcp.trail, clause);
        if is_implied {
            note_explained(bcp, lit, clause);
        }
        clause
    }
}

/// The reason of a true literal is a clause now. It may have been true at a lower level already.
fn note_explained(bcp: &mut Bcp<'_>, lit: Lit, clause: ClauseRef) {
    let others = || bcp.clauses.lits(clause).filter(|&other| other != lit);
    let reason = match (bcp.clauses.len(clause), others().next()) {
        (2, Some(other)) => Reason::Binary(clause, other),
        _ => Reason::Clause(clause),
    };
    bcp.trail.set_reason(lit.var(), reason);
    bcp.evaluate(clause);
}
