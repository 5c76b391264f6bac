//! Finds the decisions that make given literals true, and the literals implied between them.
//!
//! After a failed assumption, it finds a set of assumptions that contradicts the clauses. In vivification, it
//! finds the assumptions that imply a literal or a conflict.

use super::{Analysis, Mark};
use crate::bcp::Bcp;
use crate::clauses::ClauseRef;
use crate::lit::Lit;
use crate::proof::ClauseId;
use crate::theory::Theory;
use crate::trail::Reason;

/// The decisions that make some literals true.
pub(crate) struct Antecedents {
    pub(crate) decisions: Vec<Lit>,
    /// True if the clause passed to `behind` as `asked` took part.
    pub(crate) uses: bool,
}

impl Analysis {
    /// Sets the core and its hints for an assumption `failed` that is false under the assumptions before it.
    /// The core is a set of assumptions that contradicts the clauses.
    pub(crate) fn find_core(
        &mut self,
        bcp: &mut Bcp<'_>,
        failed: Lit,
        theory: &mut dyn Theory,
        core: &mut Vec<Lit>,
        hints: &mut Vec<ClauseId>,
    ) {
        debug_assert!(bcp.trail.is_false(failed));
        core.clear();
        core.push(failed);
        self.marks.set(failed.var(), Mark::Seen);
        self.trace(bcp, vec![!failed], core, theory);
        self.hint_trace(bcp);
        bcp.log.take_hints(hints);
        self.marks.clear();
    }

    /// Returns the decisions that make all literals of `conflict` except `kept` false, and whether `asked` took
    /// part. Collects hints.
    pub(crate) fn behind(
        &mut self,
        bcp: &mut Bcp<'_>,
        conflict: ClauseRef,
        kept: Option<Lit>,
        asked: ClauseRef,
        theory: &mut dyn Theory,
    ) -> Antecedents {
        let open: Vec<Lit> = bcp.clauses.lits(conflict).filter(|&lit| Some(lit) != kept).map(|lit| !lit).collect();
        for lit in &open {
            debug_assert!(bcp.trail.is_true(*lit));
            self.marks.set(lit.var(), Mark::Seen);
        }
        let mut decisions = Vec::new();
        self.trace(bcp, open, &mut decisions, theory);
        let is_asked = |&var: &_| bcp.trail.reason(var).clause() == Some(asked);
        let uses = conflict == asked || self.implied.iter().any(is_asked);
        self.hint_trace(bcp);
        bcp.log.hint(bcp.clauses, conflict);
        self.marks.clear();
        Antecedents { decisions, uses }
    }

    /// Adds the decisions that imply the true literals in `open` to `decisions`. The literals in `open` must be
    /// marked `Seen`. Adds the variables implied on the way to `implied`.
    fn trace(&mut self, bcp: &mut Bcp<'_>, mut open: Vec<Lit>, decisions: &mut Vec<Lit>, theory: &mut dyn Theory) {
        debug_assert!(self.implied.is_empty());
        while let Some(lit) = open.pop() {
            debug_assert!(bcp.trail.is_true(lit));
            if bcp.trail.level_of_var(lit.var()) == 0 {
                bcp.log.hint_unit(lit.var());
                continue;
            }
            let reason = match bcp.trail.reason(lit.var()) {
                Reason::None => {
                    decisions.push(lit);
                    continue;
                }
                Reason::Binary(_, other) => {
                    self.ask(!other, &mut open);
                    self.implied.push(lit.var());
                    continue;
                }
                Reason::Clause(clause) => clause,
                Reason::Theory => self.explain(bcp, lit, theory),
            };
            self.implied.push(lit.var());
            for other in bcp.clauses.lits(reason) {
                self.ask(!other, &mut open);
            }
        }
    }

    /// Adds a true literal to `open`, unless it was added before.
    fn ask(&mut self, why: Lit, open: &mut Vec<Lit>) {
        if self.marks.is(why.var(), Mark::Unknown) {
            self.marks.set(why.var(), Mark::Seen);
            open.push(why);
        }
    }

    /// Adds the reasons that `trace` found as hints. `trace` itself has already added the unit clauses of
    /// literals at level 0.
    fn hint_trace(&mut self, bcp: &mut Bcp<'_>) {
        if bcp.log.wants_hints() {
            self.implied.sort_unstable_by_key(|&var| bcp.trail.order(var));
            for &var in &self.implied {
                if let Some(clause) = bcp.trail.reason(var).clause() {
                    bcp.log.hint(bcp.clauses, clause);
                }
            }
        }
        self.implied.clear();
    }

    /// Adds the reasons of the variables in `implied` as hints in trail order, and the unit clauses they need.
    /// None of these variables may be a decision or implied by the theory. Every other literal that the reasons
    /// need must be negated in the derived clause, or established by an earlier hint.
    pub(super) fn hint_reasons(&mut self, bcp: &mut Bcp<'_>) {
        let mut implied = std::mem::take(&mut self.implied);
        implied.sort_unstable_by_key(|&var| bcp.trail.order(var));
        for var in implied.drain(..) {
            let Some(clause) = bcp.trail.reason(var).clause() else {
                unreachable!("{var:?} has no clause for a reason")
            };
            for at in 0..bcp.clauses.len(clause) {
                let lit = bcp.clauses.lit(clause, at);
                self.hint_unit(bcp, lit);
            }
            bcp.log.hint(bcp.clauses, clause);
        }
        self.implied = implied;
    }
}
