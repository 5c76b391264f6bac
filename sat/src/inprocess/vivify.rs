//! Vivification (Piette, Hamadi and Sais 2008; Luo, Li, Xiao, Manya and Lu 2017): assume the negation of a clause
//! literal by literal and propagate. A conflict, or a literal that comes out true or false by itself, shows that fewer
//! literals do.
//!
//! Learnt clauses that reduction will keep, best tier first, then given ones with what effort is left. Literals that
//! occur often come first and candidates are sorted by literals, so that neighbours share assumptions and the
//! propagation behind them is done once. The clause itself takes part in propagation: it can only imply a literal when
//! all its others are false, and then there is nothing left to find out.

use super::{Effort, Round};
use crate::clauses::{ClauseRef, Kind};
use crate::lit::Lit;
use crate::theory::Silent;

/// A clause cannot be tried for less.
const LEAST_TICKS: u64 = 10;

/// What propagation said about a candidate.
#[derive(Clone, Copy)]
enum Outcome {
    /// The last assumption makes this clause false.
    Conflict(ClauseRef),
    /// Another clause implies this literal of the candidate.
    Implied(Lit, ClauseRef),
    /// Nothing.
    Open,
}

impl Round<'_> {
    pub(super) fn vivify(&mut self) {
        let last = self.schedule.vivified;
        self.schedule.vivified = self.search_ticks();
        let occurrences = self.occurrences();
        let shares = [
            (self.bcp.options.vivify_effort, self.tier(0, self.bcp.options.tier2)),
            (self.bcp.options.vivify_effort / 4.0, self.tier(self.bcp.options.tier2.saturating_add(1), u32::MAX)),
            (self.bcp.options.vivify_effort / 4.0, self.given()),
        ];
        for (share, mut candidates) in shares {
            if self.is_refuted() {
                return;
            }
            let effort = self.effort(share, last);
            self.vivify_all(&mut candidates, &occurrences, &effort);
        }
    }

    /// Learnt clauses of this range of glue; of the bad ones only those that reduction would keep.
    fn tier(&self, least: u32, most: u32) -> Vec<ClauseRef> {
        let is_bad = least > self.bcp.options.tier2;
        let belongs = |&clause: &ClauseRef| {
            (least..=most).contains(&self.bcp.clauses.glue(clause)) && (!is_bad || self.bcp.clauses.used(clause) > 0)
        };
        let alive = self.bcp.clauses.learnt().iter().copied().filter(|&clause| !self.bcp.clauses.is_garbage(clause));
        alive.filter(belongs).collect()
    }

    fn given(&self) -> Vec<ClauseRef> {
        self.bcp.clauses.iter().filter(|&clause| self.bcp.clauses.kind(clause) == Kind::Given).collect()
    }

    fn vivify_all(&mut self, candidates: &mut Vec<ClauseRef>, occurrences: &[u32], effort: &Effort) {
        candidates.retain(|&clause| self.bcp.clauses.len(clause) > 2);
        // The literal, below how seldom it occurs.
        let key = |lit: Lit| u64::from(u32::MAX - occurrences[lit.0 as usize]) << 32 | u64::from(lit.0);
        // When all have been tried, all are to be tried again.
        if candidates.iter().all(|&clause| self.bcp.clauses.is_vivified(clause)) {
            candidates.iter().for_each(|&clause| self.bcp.clauses.set_vivified(clause, false));
        }
        candidates.retain(|&clause| !self.bcp.clauses.is_vivified(clause));
        // No more than can be tried: sorting the rest would cost more than trying these.
        candidates.truncate((effort.left(self.bcp.stats.ticks) / LEAST_TICKS) as usize);
        let mut sorted: Vec<(Vec<u64>, ClauseRef)> = Vec::with_capacity(candidates.len());
        for &clause in candidates.iter() {
            let mut keys: Vec<u64> = self.bcp.clauses.lits(clause).map(key).collect();
            keys.sort_unstable();
            sorted.push((keys, clause));
        }
        self.bcp.stats.ticks += sorted.len() as u64;
        sorted.sort_unstable();
        let mut literals = Vec::new();
        for (keys, clause) in sorted {
            if self.is_refuted() || effort.is_spent(self.bcp.stats.ticks) {
                break;
            }
            // A strengthened clause is another one.
            if !self.bcp.clauses.is_garbage(clause) {
                self.bcp.clauses.set_vivified(clause, true);
                literals.clear();
                literals.extend(keys.iter().map(|&key| Lit(key as u32)));
                self.vivify_clause(clause, &literals);
            }
        }
        self.end_probes(0);
    }

    /// By literal: how often it occurs.
    fn occurrences(&self) -> Vec<u32> {
        let mut occurrences = vec![0; self.bcp.watches.len()];
        for clause in self.bcp.clauses.iter() {
            for lit in self.bcp.clauses.lits(clause) {
                occurrences[lit.0 as usize] += 1;
            }
        }
        occurrences
    }

    fn vivify_clause(&mut self, clause: ClauseRef, literals: &[Lit]) {
        self.bcp.stats.vivify_tried += 1;
        if literals.iter().any(|&lit| self.bcp.trail.is_true(lit) && self.bcp.trail.level_of_var(lit.var()) == 0) {
            self.end_probes(0);
            self.bcp.delete(clause);
            return;
        }
        self.share_probes(literals);
        let outcome = self.refute(clause, literals);
        let depth = self.bcp.trail.depth();
        let (conflict, kept) = match outcome {
            Outcome::Open => return,
            Outcome::Conflict(conflict) => (conflict, None),
            Outcome::Implied(lit, reason) => (reason, Some(lit)),
        };
        let behind = self.analysis.behind(&mut self.bcp, conflict, kept, clause, &mut Silent);
        let shorter: Vec<Lit> = kept.into_iter().chain(behind.decisions.iter().map(|&lit| !lit)).collect();
        debug_assert!(shorter.iter().all(|lit| literals.contains(lit)), "only the clause was assumed");
        if shorter.len() < literals.len() {
            self.bcp.stats.vivified += 1;
            let id = self.bcp.log.derive(&shorter);
            self.end_probes(0);
            self.replace(clause, &shorter, id);
        } else {
            self.bcp.log.forget_hints();
            // Others imply it: search can do without.
            if kept.is_some() && !behind.uses && self.bcp.clauses.kind(clause) == Kind::Learnt {
                self.bcp.stats.vivify_implied += 1;
                self.end_probes(0);
                self.bcp.delete(clause);
            } else if matches!(outcome, Outcome::Conflict(_)) {
                // The last level has not been propagated to its end.
                self.end_probes(depth - 1);
            }
        }
    }

    /// Goes back to where the assumptions so far agree with what this clause would assume.
    fn share_probes(&mut self, literals: &[Lit]) {
        let agrees = |&level: &u32| {
            let lit = literals.get(level as usize - 1);
            lit.is_some_and(|&lit| self.bcp.trail.decision(level) == Some(!lit))
        };
        let shared = (1..=self.bcp.trail.depth()).take_while(agrees).count() as u32;
        self.bcp.stats.vivify_shared += u64::from(shared);
        self.end_probes(shared);
    }

    /// Assumes the negations of literals until something comes of it.
    fn refute(&mut self, clause: ClauseRef, literals: &[Lit]) -> Outcome {
        for &lit in literals {
            if self.bcp.trail.is_true(lit) {
                let reason = self.bcp.trail.reason(lit.var()).clause();
                return match reason {
                    Some(reason) if reason != clause => Outcome::Implied(lit, reason),
                    // All others are false. Did any of them become so by itself?
                    _ if self.has_implied(literals, lit) => Outcome::Implied(lit, clause),
                    _ => Outcome::Open,
                };
            }
            if self.bcp.trail.is_false(lit) {
                continue;
            }
            if let Some(conflict) = self.probe(!lit) {
                return Outcome::Conflict(conflict);
            }
        }
        Outcome::Open
    }

    /// Is any literal but `except` false without having been assumed so?
    fn has_implied(&self, literals: &[Lit], except: Lit) -> bool {
        literals
            .iter()
            .any(|&lit| lit != except && self.bcp.trail.decision(self.bcp.trail.level_of_var(lit.var())) != Some(!lit))
    }
}
