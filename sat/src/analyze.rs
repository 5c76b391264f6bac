//! Conflict analysis: the first unique implication point of the conflict's level (Marques-Silva and Sakallah; MiniSat).
//!
//! Walks that level's chain, newest first. Reasons lie on the same level earlier in the chain, or on lower levels, whose
//! literals go into the learnt clause as they are. A literal that the theory implied is explained when it is reached.

use crate::clauses::ClauseRef;
use crate::lit::{Lit, Var};
use crate::solver::Solver;
use crate::theory::Theory;
use crate::trail::Reason;

/// What analysis and minimisation have found out about a variable. `Unknown` is the resting state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Mark {
    #[default]
    Unknown,
    /// In the learnt clause, or resolved away.
    Seen,
    /// Implied by literals of the learnt clause.
    Implied,
    /// Certainly, or for all we know, not implied.
    Free,
}

impl Solver {
    /// Sets `learnt` to the clause learnt from `conflict`, of which at least two literals are on level `top`. The first is
    /// the one to be implied. Marks of its variables stay set for `minimize`, which clears them.
    pub(crate) fn analyze(&mut self, conflict: ClauseRef, top: u32, theory: &mut dyn Theory) {
        let mut learnt = std::mem::take(&mut self.learnt);
        learnt.clear();
        let mut open = self.resolve_with(conflict, None, top, &mut learnt);
        let mut next = self.trail.newest(top);
        while let Some(lit) = next {
            next = self.trail.before(lit.var());
            if self.marks[lit.var().index()] != Mark::Seen {
                continue;
            }
            if open == 1 {
                learnt.push(!lit);
                break;
            }
            let reason = match self.trail.reason(lit.var()) {
                Reason::Clause(clause) => clause,
                Reason::Theory => self.explain(lit, theory),
                Reason::None => unreachable!("a decision is the first of its level"),
            };
            open = open - 1 + self.resolve_with(reason, Some(lit), top, &mut learnt);
        }
        debug_assert_eq!(learnt.last().map(|lit| self.trail.level_of_var(lit.var())), Some(top));
        let last = learnt.len() - 1;
        learnt.swap(0, last);
        self.learnt = learnt;
    }

    /// Marks the other literals of a clause; those below `top` join the learnt clause, those on it are counted.
    fn resolve_with(&mut self, clause: ClauseRef, implied: Option<Lit>, top: u32, learnt: &mut Vec<Lit>) -> usize {
        self.use_clause(clause);
        let mut on_top = 0;
        for at in 0..self.clauses.len(clause) {
            let lit = self.clauses.lit(clause, at);
            let var = lit.var();
            let level = self.trail.level_of_var(var);
            if Some(lit) == implied || level == 0 || self.marks[var.index()] != Mark::Unknown {
                continue;
            }
            debug_assert!(self.trail.is_false(lit));
            self.mark(var, Mark::Seen);
            self.heap.bump(var);
            if level == top {
                on_top += 1;
            } else {
                learnt.push(lit);
            }
        }
        on_top
    }

    pub(crate) fn mark(&mut self, var: Var, mark: Mark) {
        if self.marks[var.index()] == Mark::Unknown {
            self.marked.push(var);
        }
        self.marks[var.index()] = mark;
    }

    pub(crate) fn clear_marks(&mut self) {
        for var in self.marked.drain(..) {
            self.marks[var.index()] = Mark::Unknown;
        }
    }

    fn use_clause(&mut self, clause: ClauseRef) {
        if self.clauses.is_learnt(clause) {
            let known = self.clauses.glue(clause);
            let glue = if known > self.options.keep_glue { self.glue_of(clause) } else { known };
            self.clauses.use_again(clause, glue);
            self.reduction.bump(clause, &mut self.clauses);
        }
    }

    fn glue_of(&mut self, clause: ClauseRef) -> u32 {
        let levels = self.clauses.lits(clause).map(|lit| self.trail.level_of_var(lit.var()));
        self.stamps.distinct(levels)
    }

    /// Number of levels among literals: how much must come together for the clause to matter again (Audemard, Simon).
    pub(crate) fn glue(&mut self, literals: &[Lit]) -> u32 {
        self.stamps.distinct(literals.iter().map(|lit| self.trail.level_of_var(lit.var())))
    }

    /// Asks the theory why `lit` is true, or must be, and stores the answer as a clause. From then on it is like any other,
    /// except that nobody minds losing it: the theory can tell again.
    ///
    /// # Panics
    /// If the theory names a literal that is not true, or not before `lit`.
    pub(crate) fn explain(&mut self, lit: Lit, theory: &mut dyn Theory) -> ClauseRef {
        self.stats.explanations += 1;
        let mut clause = vec![lit];
        let mut why = Vec::new();
        let tag = theory.explain(lit, &mut why);
        let is_implied = self.trail.is_true(lit);
        for &reason in &why {
            assert!(self.trail.is_true(reason), "theory explains {lit:?} by {reason:?}, which is not true");
            let is_before = !is_implied || self.trail.order(reason.var()) < self.trail.order(lit.var());
            assert!(is_before, "theory explains {lit:?} by {reason:?}, which came later");
            clause.push(!reason);
        }
        let id = self.log.axiom(tag, &clause);
        let mut literals = Vec::with_capacity(clause.len());
        self.distinct(&clause, &mut literals);
        let glue = self.glue(&literals);
        let clause = self.clauses.add(&literals, id, true, glue);
        self.reduction.add(clause);
        self.attach_best(clause);
        if is_implied {
            self.trail.set_reason(lit.var(), Reason::Clause(clause));
            self.evaluate(clause);
        }
        clause
    }
}

/// Counts distinct levels without clearing anything in between.
#[derive(Default)]
pub(crate) struct Stamps {
    by_level: Vec<u64>,
    now: u64,
}

impl Stamps {
    fn distinct(&mut self, levels: impl Iterator<Item = u32>) -> u32 {
        self.renew();
        let mut count = 0;
        for level in levels {
            count += u32::from(!self.has(level));
            self.set(level);
        }
        count
    }

    pub(crate) fn renew(&mut self) {
        self.now += 1;
    }

    pub(crate) fn has(&self, level: u32) -> bool {
        self.by_level.get(level as usize) == Some(&self.now)
    }

    pub(crate) fn set(&mut self, level: u32) {
        if self.by_level.len() <= level as usize {
            self.by_level.resize((level as usize + 1).max(2 * self.by_level.len()), 0);
        }
        self.by_level[level as usize] = self.now;
    }
}
