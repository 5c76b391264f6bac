//! Forgets: learnt clauses that look useless (high glue, not used lately, low activity), and clauses satisfied for good.
//!
//! Lemmas and clauses from outside are never forgotten for being useless. Looking for satisfied ones reads every clause, so
//! that waits until the fixed literals are a quarter more than last time, and costs amortised nothing.

use std::collections::BTreeSet;

use crate::clauses::{ClauseRef, Clauses};
use crate::options::Options;
use crate::solver::Solver;
use crate::theory::View;
use crate::trail::Reason;

/// Activities beyond this are scaled down.
const LIMIT: f32 = 1e20;

pub(crate) struct Reduction {
    learnt: Vec<ClauseRef>,
    bump: f32,
    /// Conflicts at which the next reduction is due, and the wait for it.
    next: u64,
    wait: u64,
    step: u64,
    /// Fixed literals at the last look for satisfied clauses.
    fixed: usize,
}

impl Reduction {
    pub(crate) fn new(options: &Options) -> Self {
        let wait = options.reduce_first;
        Self { learnt: Vec::new(), bump: 1.0, next: wait, wait, step: options.reduce_step, fixed: 0 }
    }

    pub(crate) fn add(&mut self, clause: ClauseRef) {
        self.learnt.push(clause);
    }

    pub(crate) fn decay(&mut self, factor: f32) {
        self.bump /= factor;
    }

    pub(crate) fn bump(&mut self, clause: ClauseRef, clauses: &mut Clauses) {
        clauses.set_activity(clause, clauses.activity(clause) + self.bump);
        if clauses.activity(clause) > LIMIT {
            for &learnt in &self.learnt {
                clauses.set_activity(learnt, clauses.activity(learnt) / LIMIT);
            }
            self.bump /= LIMIT;
        }
    }
}

impl Solver {
    pub(crate) fn reduce_if_due(&mut self) {
        if self.stats.conflicts < self.reduction.next {
            return;
        }
        self.stats.reductions += 1;
        self.reduction.wait += self.reduction.step;
        self.reduction.next = self.stats.conflicts + self.reduction.wait;
        let before = self.stats.deleted;
        if self.trail.fixed() > self.reduction.fixed + self.reduction.fixed / 4 {
            self.reduction.fixed = self.trail.fixed();
            self.delete_satisfied();
        }
        self.delete_useless();
        if self.stats.deleted > before {
            self.sweep();
        }
    }

    fn delete_satisfied(&mut self) {
        let trail = &self.trail;
        let satisfied: Vec<ClauseRef> =
            self.clauses.iter().filter(|&clause| self.clauses.lits(clause).any(|lit| trail.is_fixed(lit))).collect();
        for clause in satisfied {
            self.delete(clause);
        }
        self.reduction.learnt.retain(|&clause| !self.clauses.is_garbage(clause));
    }

    fn delete_useless(&mut self) {
        let locked: BTreeSet<ClauseRef> = self.missed.values().map(|missed| missed.clause).collect();
        let mut candidates = Vec::new();
        for &clause in &self.reduction.learnt {
            let keeps = self.clauses.glue(clause) <= self.options.keep_glue || self.clauses.len(clause) <= 2;
            if !keeps && !self.clauses.is_used(clause) && !self.is_reason(clause) && !locked.contains(&clause) {
                candidates.push(clause);
            }
            self.clauses.forget_use(clause);
        }
        let clauses = &self.clauses;
        candidates.sort_by(|&a, &b| {
            let by_activity = clauses.activity(a).total_cmp(&clauses.activity(b));
            clauses.glue(b).cmp(&clauses.glue(a)).then(by_activity).then(a.cmp(&b))
        });
        candidates.truncate(candidates.len() / 2);
        for clause in candidates {
            self.delete(clause);
        }
        self.reduction.learnt.retain(|&clause| !self.clauses.is_garbage(clause));
    }

    /// Is some literal true because of this clause? Only a watched one can be.
    fn is_reason(&self, clause: ClauseRef) -> bool {
        (0..self.clauses.len(clause).min(2)).any(|at| {
            let lit = self.clauses.lit(clause, at);
            self.trail.is_true(lit) && self.trail.reason(lit.var()) == Reason::Clause(clause)
        })
    }

    /// Units stay in the log: they are what the checker knows their literal by.
    fn delete(&mut self, clause: ClauseRef) {
        if self.clauses.len(clause) > 1 {
            self.log.delete(self.clauses.id(clause));
        }
        self.clauses.set_garbage(clause);
        self.stats.deleted += 1;
    }

    /// Unwatches what was deleted, and compacts the arena when that pays.
    fn sweep(&mut self) {
        for list in &mut self.watches {
            list.retain(|watch| !self.clauses.is_garbage(watch.clause()));
        }
        if !self.clauses.is_wasteful() {
            return;
        }
        let moved = self.clauses.compact();
        for watch in self.watches.iter_mut().flatten() {
            watch.move_to(moved.to(watch.clause()));
        }
        self.trail.move_reasons(|clause| moved.to(clause));
        for clause in &mut self.reduction.learnt {
            *clause = moved.to(*clause);
        }
        for missed in self.missed.values_mut() {
            missed.clause = moved.to(missed.clause);
        }
    }
}
