//! Failed-literal probing: if propagation of a literal ends in a conflict, the literal is false (Freeman 1995;
//! Le Berre 2001).
//!
//! Only roots of the graph of binary clauses are probed (literals that no other literal implies), because a
//! literal fails if it implies a failing one. A root is probed again only if a literal was fixed since it was
//! last probed. The learnt unit is the negation of the first unique implication point of the conflict, which is
//! at least as strong as the negation of the root.

use std::cmp::Reverse;

use super::Round;
use super::binary::Implications;
use crate::clauses::{ClauseKind, ClauseRef};
use crate::lit::Lit;
use crate::theory::Silent;

impl Round<'_> {
    /// Probes roots until the effort is spent. Level 0, propagated. Roots that were not probed in the last
    /// rounds come first.
    pub(super) fn probe_roots(&mut self) {
        let last = self.schedule.probed;
        self.schedule.probed = self.search_ticks();
        let effort = self.effort(self.bcp.options.probe_effort, last);
        self.schedule.probed_at.resize(self.bcp.watches.len(), 0);
        for lit in self.roots() {
            if self.is_refuted() || effort.is_spent(self.bcp.stats.ticks) {
                return;
            }
            if self.bcp.trail.is_open(lit) {
                self.bcp.stats.probed += 1;
                self.schedule.probed_at[lit.0 as usize] = self.bcp.trail.fixed() + 1;
                self.fail(lit);
            }
        }
    }

    /// The literals to probe: first those probed longest ago, then those with the most binary clauses.
    fn roots(&mut self) -> Vec<Lit> {
        let graph = self.implications();
        let representatives = graph.representatives();
        let is_implied = |lit: Lit| graph.has_other_class(!lit, &representatives);
        let probed_at = &self.schedule.probed_at;
        let fixed = self.bcp.trail.fixed();
        let mut roots: Vec<Lit> = (0..representatives.len() as u32)
            .map(Lit)
            .filter(|&lit| representatives[lit.0 as usize] == lit && probed_at[lit.0 as usize] <= fixed)
            .filter(|&lit| graph.has_other_class(lit, &representatives) && !is_implied(lit))
            .collect();
        roots.sort_by_key(|&lit| (probed_at[lit.0 as usize], Reverse(graph.successors(lit).len())));
        roots
    }

    /// Probes a literal and learns a unit clause, repeatedly, until the probe ends without conflict. Level 0
    /// before and after.
    pub(super) fn fail(&mut self, lit: Lit) {
        while self.bcp.trail.is_open(lit) && !self.is_refuted() {
            debug_assert_eq!(self.bcp.trail.depth(), 0);
            let Some(conflict) = self.probe(lit) else {
                self.end_probes(0);
                return;
            };
            self.bcp.stats.failed += 1;
            self.learn_failed(conflict);
        }
    }

    /// Learns the unit clause that follows from a conflict at level 1.
    fn learn_failed(&mut self, conflict: ClauseRef) {
        self.analysis.learn_unit(&mut self.bcp, conflict, &mut Silent);
        let learnt = self.analysis.take_learnt();
        let id = self.bcp.log.derive(&learnt);
        self.end_probes(0);
        self.add_derived(&learnt, id, ClauseKind::Learnt, 1, 0);
        self.analysis.recycle(learnt);
    }
}

impl Implications {
    /// True if the literal implies a literal that is not equivalent to it. By contraposition, the function is
    /// true for the negation of a literal if a literal that is not equivalent to this literal implies it.
    fn has_other_class(&self, lit: Lit, representatives: &[Lit]) -> bool {
        let own = representatives[lit.0 as usize];
        self.successors(lit).iter().any(|edge| representatives[edge.to.0 as usize] != own)
    }
}
