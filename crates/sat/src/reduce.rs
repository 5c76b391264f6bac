//! Deletes learnt clauses that are probably useless. The tiers follow Oh (2015) and Audemard and Simon (2009):
//! a clause of glue up to `tier1` is never deleted; a clause of glue up to `tier2` survives two reductions
//! after its last conflict; any other clause survives one. A fixed fraction of the remaining clauses is
//! deleted. Clauses with the highest glue and the most literals go first. Clauses satisfied at level 0 are
//! deleted too.
//!
//! Lemmas and clauses from outside are never deleted as useless. The search for satisfied clauses reads every
//! clause, so it waits until the number of fixed literals has grown by a quarter. Therefore the amortised cost
//! of this search is negligible.
//!
//! Invariant: this module never deletes a clause that is a reason, or that is noted for a missed implication
//! (`trail/missed.rs`).

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::bcp::Bcp;
use crate::clauses::{ClauseKind, ClauseRef};
use crate::options::Options;

/// The schedule of reductions.
pub(crate) struct Reduction {
    /// Number of conflicts at which the next reduction is due.
    next: u64,
    count: u64,
    interval: u64,
    /// Number of fixed literals when satisfied clauses were last searched.
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
        let may_go = !stays && bcp.clauses.kind(clause) == ClauseKind::Learnt;
        if may_go && !bcp.is_reason(clause) && !locked.contains(&clause) {
            candidates.push((glue, length, clause));
        }
    }
    // Among clauses of equal glue and length, the oldest comes first.
    candidates.sort_unstable_by_key(|&(glue, length, clause)| (Reverse((glue, length)), clause));
    candidates.truncate((candidates.len() as f64 * bcp.options.reduce_fraction) as usize);
    for (_, _, clause) in candidates {
        debug_assert!(!bcp.is_locked(clause));
        bcp.delete(clause);
    }
}
