//! Vivification (Piette, Hamadi and Sais 2008; Luo, Li, Xiao, Manya and Lu 2017): assumes the negation of a
//! clause literal by literal, and propagates. A conflict, or a literal that becomes true or false by
//! propagation, shows that fewer literals suffice.
//!
//! The candidates are learnt clauses that reductions will keep, lowest glue first, and then given clauses with
//! the remaining effort. In each candidate, literals that occur often come first, and the candidates are sorted
//! by their literals. So neighbouring candidates share assumptions, and shared assumptions are propagated once.
//! The candidate itself takes part in propagation. This is harmless: it can imply a literal only when all its
//! other literals are false, and then nothing is left to find out.

use super::{Effort, Round};
use crate::clauses::{ClauseKind, ClauseRef};
use crate::lit::Lit;
use crate::theory::Silent;

/// Minimum cost of trying a clause, in ticks.
const LEAST_TICKS: u64 = 10;

/// The result of assuming the negation of a candidate.
#[derive(Clone, Copy)]
enum Outcome {
    /// This clause is false after the last assumption.
    Conflict(ClauseRef),
    /// The clause implies this literal of the candidate, given the assumptions.
    Implied(Lit, ClauseRef),
    /// No result.
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

    /// The learnt clauses in this range of glue. Above `tier2`, only clauses that the next reduction keeps.
    fn tier(&self, least: u32, most: u32) -> Vec<ClauseRef> {
        let is_bad = least > self.bcp.options.tier2;
        let belongs = |&clause: &ClauseRef| {
            (least..=most).contains(&self.bcp.clauses.glue(clause)) && (!is_bad || self.bcp.clauses.used(clause) > 0)
        };
        let alive = self.bcp.clauses.learnt().iter().copied().filter(|&clause| !self.bcp.clauses.is_garbage(clause));
        alive.filter(belongs).collect()
    }

    fn given(&self) -> Vec<ClauseRef> {
        self.bcp.clauses.iter().filter(|&clause| self.bcp.clauses.kind(clause) == ClauseKind::Given).collect()
    }

    fn vivify_all(&mut self, candidates: &mut Vec<ClauseRef>, occurrences: &[u32], effort: &Effort) {
        candidates.retain(|&clause| self.bcp.clauses.len(clause) > 2);
        // Sort key: the low bits are the literal, the high bits its rarity. So literals that occur often come
        // first.
        let key = |lit: Lit| u64::from(u32::MAX - occurrences[lit.0 as usize]) << 32 | u64::from(lit.0);
        // If all candidates have been tried, all are tried again.
        if candidates.iter().all(|&clause| self.bcp.clauses.is_vivified(clause)) {
            candidates.iter().for_each(|&clause| self.bcp.clauses.set_vivified(clause, false));
        }
        candidates.retain(|&clause| !self.bcp.clauses.is_vivified(clause));
        // Keeps as many candidates as the effort allows to try, because sorting all candidates would cost more
        // than trying these.
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
            // A clause that was strengthened meanwhile is garbage; its replacement is a different clause.
            if !self.bcp.clauses.is_garbage(clause) {
                self.bcp.clauses.set_vivified(clause, true);
                literals.clear();
                literals.extend(keys.iter().map(|&key| Lit(key as u32)));
                self.vivify_clause(clause, &literals);
            }
        }
        self.end_probes(0);
    }

    /// For each literal: number of its occurrences.
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
            // Other clauses imply this clause, so it is redundant.
            if kept.is_some() && !behind.uses && self.bcp.clauses.kind(clause) == ClauseKind::Learnt {
                self.bcp.stats.vivify_implied += 1;
                self.end_probes(0);
                self.bcp.delete(clause);
            } else if matches!(outcome, Outcome::Conflict(_)) {
                // The last level was not propagated completely.
                self.end_probes(depth - 1);
            }
        }
    }

    /// Keeps the levels of the first assumptions that this clause needs too, and ends all levels after them.
    fn share_probes(&mut self, literals: &[Lit]) {
        let agrees = |&level: &u32| {
            let lit = literals.get(level as usize - 1);
            lit.is_some_and(|&lit| self.bcp.trail.decision(level) == Some(!lit))
        };
        let shared = (1..=self.bcp.trail.depth()).take_while(agrees).count() as u32;
        self.bcp.stats.vivify_shared += u64::from(shared);
        self.end_probes(shared);
    }

    /// Assumes the negations of the literals until propagation gives a result.
    fn refute(&mut self, clause: ClauseRef, literals: &[Lit]) -> Outcome {
        for &lit in literals {
            if self.bcp.trail.is_true(lit) {
                let reason = self.bcp.trail.reason(lit.var()).clause();
                return match reason {
                    Some(reason) if reason != clause => Outcome::Implied(lit, reason),
                    // The candidate itself implied `lit`, so all other literals are false. The clause can be
                    // shortened if propagation made one of them false.
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

    /// True if a literal other than `except` is false without being assumed false.
    fn has_implied(&self, literals: &[Lit], except: Lit) -> bool {
        literals
            .iter()
            .any(|&lit| lit != except && self.bcp.trail.decision(self.bcp.trail.level_of_var(lit.var())) != Some(!lit))
    }
}
