//! What follows from a conflict: back to where it can be mended, and there a clause that mends it.
//!
//! Levels are out of order, so a conflict's level is the highest among its literals, not the current one. If only one
//! of its literals is that high, the clause itself implies that literal's negation lower down and nothing is learnt.

use super::{Lent, Solver};
use crate::clauses::{ClauseRef, Clauses, Kind};
use crate::lit::Lit;
use crate::proof::ClauseId;
use crate::theory::Theory;
use crate::trail::Trail;

/// Levels of a false clause.
struct Shape {
    top: u32,
    /// Literals on `top`.
    count: usize,
    /// The highest level below `top`, or 0.
    second: u32,
}

impl Shape {
    fn of(clause: ClauseRef, clauses: &Clauses, trail: &Trail) -> Self {
        let mut shape = Self { top: 0, count: 0, second: 0 };
        for lit in clauses.lits(clause) {
            debug_assert!(trail.is_false(lit), "a conflict is a false clause");
            let level = trail.level_of_var(lit.var());
            if level > shape.top {
                shape = Self { top: level, count: 1, second: shape.top };
            } else if level == shape.top {
                shape.count += 1;
            } else {
                shape.second = shape.second.max(level);
            }
        }
        shape
    }
}

/// So many literals told again in one step back make the next step longer: see `target`.
const RETOLD_MANY: usize = 1000;

impl Solver {
    /// Mends a conflict, and those that mending brings up. Afterwards, the formula may be refuted.
    pub(super) fn resolve(&mut self, conflict: ClauseRef, theory: &mut dyn Theory) {
        let mut next = Some(conflict);
        while let Some(conflict) = next {
            debug_assert!(!self.clauses.is_garbage(conflict));
            self.stats.conflicts += 1;
            let shape = Shape::of(conflict, &self.clauses, &self.trail);
            if shape.top == 0 {
                self.log.refute(&self.clauses, conflict);
                return;
            }
            self.order.note_consistent(&self.trail, shape.top);
            self.watches.attach_highest(&mut self.clauses, &self.trail, conflict);
            let asserting = if shape.count == 1 {
                let target = self.target(shape.top, shape.second);
                self.backtrack(target, theory);
                conflict
            } else {
                self.learn(conflict, shape.top, theory)
            };
            self.check_asserting(asserting);
            next = self.bcp().evaluate(asserting);
        }
    }

    /// Analyses, goes back, and stores what was learnt.
    fn learn(&mut self, conflict: ClauseRef, top: u32, theory: &mut dyn Theory) -> ClauseRef {
        let Lent { mut bcp, analysis, .. } = self.lend();
        let lesson = analysis.learn(&mut bcp, conflict, top, theory);
        let learnt = analysis.take_learnt();
        let second = learnt[1..].iter().map(|lit| self.trail.level_of_var(lit.var())).max().unwrap_or(0);
        let target = self.target(top, second);
        debug_assert!((second..top).contains(&target));
        let id = self.log.derive(&learnt);
        self.backtrack(target, theory);
        let clause = self.add_learnt(&learnt, id, lesson.glue.min(learnt.len() as u32));
        if self.options.subsume_eagerly && self.clauses.kind(clause) == Kind::Learnt {
            self.bcp().subsume_latest(clause);
        }
        self.restart.conflict(lesson.glue, self.order.mode());
        self.stats.learnt += 1;
        self.stats.learnt_literals += learnt.len() as u64;
        self.stats.dropped_literals += lesson.dropped as u64;
        self.analysis.recycle(learnt);
        clause
    }

    /// Stores a learnt clause. What needs the temporaries goes when they go.
    fn add_learnt(&mut self, literals: &[Lit], id: ClauseId, glue: u32) -> ClauseRef {
        let kind = if self.query.guards(literals) { Kind::Temporary } else { Kind::Learnt };
        let clause = self.bcp().add(literals, id, kind, glue);
        if kind == Kind::Learnt {
            self.clauses.set_used(clause, if glue <= self.options.tier2 { 2 } else { 1 });
        }
        clause
    }

    /// Where to go back to from a conflict at `top` when the clause is unit from `second` on: there if it is near, else
    /// one level (`Options::chrono`). Literals that are kept are told to the theory again at each step; when they have
    /// become many, the step is longer in proportion, so that they settle deeper and telling stays linear in all.
    fn target(&mut self, top: u32, second: u32) -> u32 {
        debug_assert!(second < top);
        if top - second <= self.options.chrono.max(1) {
            return second;
        }
        self.stats.chronological += 1;
        let retold = self.hook.retold();
        let step = if retold > RETOLD_MANY { (retold / 8).min(u32::MAX as usize) as u32 } else { 1 };
        top - step.min(top - second)
    }

    /// Ends all levels above `level`, tells the theory, and makes implications that were missed at their true level.
    pub(super) fn backtrack(&mut self, level: u32, theory: &mut dyn Theory) {
        let levels = self.trail.depth().saturating_sub(level);
        if levels == 0 {
            return;
        }
        let told = self.trail.told_before(level + 1);
        self.bcp().pop_levels(level);
        let kept = self.trail.forget(told, self.hook.remembers());
        self.hook.set_retold(if levels == 1 { kept } else { 0 });
        theory.pop_levels(levels as usize);
        self.bcp().make_missed();
    }
}
