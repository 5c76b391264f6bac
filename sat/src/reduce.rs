//! Forgets learnt clauses that look useless, in tiers by glue (Oh 2015; Audemard and Simon 2009): up to `tier1` they
//! stay for good, up to `tier2` as long as they were in a conflict since the reduction before the last, others since
//! the last. Of the rest most go, those of high glue and many literals first. Clauses satisfied for good go too.
//!
//! Lemmas and clauses from outside are never forgotten for being useless. Looking for satisfied ones reads every
//! clause, so that waits until the fixed literals are a quarter more than last time, and costs amortised nothing.
//!
//! Invariant: a clause that is a reason, or noted as one, is never deleted here.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::bcp::Bcp;
use crate::clauses::{ClauseRef, Kind};
use crate::options::Options;

/// When it is due.
pub(crate) struct Reduction {
    /// Conflicts at which the next reduction is due.
    next: u64,
    count: u64,
    interval: u64,
    /// Fixed literals at the last look for satisfied clauses.
    fixed: usize,
}

impl Reduction {
    pub(crate) fn new(options: &Options) -> Self {
        let interval = options.reduce_interval.max(1);
        Self { next: interval, count: 0, interval, fixed: 0 }
    }

    pub(crate) fn reduce_if_due(&mut self, bcp: &mut Bcp<'_>) {
        if bcp.stats.conflicts < self.next {
            return;
        }
        bcp.stats.reductions += 1;
        self.count += 1;
        self.next = bcp.stats.conflicts + self.interval * (self.count + 1);
        let before = bcp.stats.deleted;
        if bcp.trail.fixed() > self.fixed + self.fixed / 4 {
            self.fixed = bcp.trail.fixed();
            bcp.delete_satisfied();
        }
        delete_useless(bcp);
        if bcp.stats.deleted > before {
            bcp.sweep();
        }
    }
}

fn delete_useless(bcp: &mut Bcp<'_>) {
    let locked: BTreeSet<ClauseRef> = bcp.trail.missed_clauses().collect();
    let mut candidates = Vec::new();
    for at in 0..bcp.clauses.learnt().len() {
        let clause = bcp.clauses.learnt()[at];
        let used = bcp.clauses.used(clause);
        bcp.clauses.set_used(clause, used.saturating_sub(1));
        let (glue, length) = (bcp.clauses.glue(clause), bcp.clauses.len(clause));
        let stays = used > 0 || glue <= bcp.options.tier1 || length <= 2 || bcp.clauses.is_garbage(clause);
        let may_go = !stays && bcp.clauses.kind(clause) == Kind::Learnt;
        if may_go && !bcp.is_reason(clause) && !locked.contains(&clause) {
            candidates.push((glue, length, clause));
        }
    }
    // The oldest first among equals.
    candidates.sort_unstable_by_key(|&(glue, length, clause)| (Reverse((glue, length)), clause));
    candidates.truncate((candidates.len() as f64 * bcp.options.reduce_fraction) as usize);
    for (_, _, clause) in candidates {
        debug_assert!(!bcp.is_locked(clause));
        bcp.delete(clause);
    }
}
