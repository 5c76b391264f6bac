//! Failed literals: a literal whose propagation ends in a conflict is false (Freeman 1995; Le Berre 2001).
//!
//! Only roots of the graph of binary clauses are tried, for whatever fails makes those fail that imply it; and only if
//! something was fixed since they were tried last. What is learnt is the negation of the first literal on all ways from
//! the root to the conflict, which is stronger than that of the root.

use std::cmp::Reverse;

use super::Round;
use super::binary::Implications;
use crate::clauses::{ClauseRef, Kind};
use crate::lit::Lit;
use crate::theory::Silent;

impl Round<'_> {
    /// Level 0, propagated. Goes on where it ended last time.
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

    /// Those that wait longest first, then those with most clauses.
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

    /// Learns as long as propagating the literal ends in a conflict. Level 0, before and after.
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

    /// What a conflict on the one level there is says for good.
    fn learn_failed(&mut self, conflict: ClauseRef) {
        self.analysis.learn_unit(&mut self.bcp, conflict, &mut Silent);
        let learnt = self.analysis.take_learnt();
        let id = self.bcp.log.derive(&learnt);
        self.end_probes(0);
        self.add_derived(&learnt, id, Kind::Learnt, 1, 0);
        self.analysis.recycle(learnt);
    }
}

impl Implications {
    /// Does the literal imply one that is not equivalent to it? By contraposition, the negation of one that is implied
    /// does.
    fn has_other_class(&self, lit: Lit, representatives: &[Lit]) -> bool {
        let own = representatives[lit.0 as usize];
        self.successors(lit).iter().any(|edge| representatives[edge.to.0 as usize] != own)
    }
}
