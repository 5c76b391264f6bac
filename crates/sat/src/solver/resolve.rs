//! Resolves conflicts: backtracks to a level where the conflict can be resolved, and evaluates a clause that
//! resolves it.
//!
//! A literal assigned later can have a lower level. So the level of a conflict is the highest level among its
//! literals, not always the current level. If only one literal is on that level, the conflict clause implies
//! this literal at a lower level, and no clause is learnt.

use super::{Lent, Solver};
use crate::clauses::{ClauseKind, ClauseRef, Clauses};
use crate::lit::Lit;
use crate::proof::ClauseId;
use crate::theory::Theory;
use crate::trail::Trail;

/// Levels of a false clause.
struct ConflictLevels {
    top: u32,
    /// Number of literals on `top`.
    count: usize,
    /// The highest level below `top`, or 0.
    second: u32,
}

impl ConflictLevels {
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

/// If the theory must be told more than this number of literals again after one step back, the next step is
/// longer: see `target`.
const RETOLD_MANY: usize = 1000;

impl Solver {
    /// Resolves a conflict, and the conflicts that follow from it. The formula may be refuted after the call.
    pub(super) fn resolve(&mut self, conflict: ClauseRef, theory: &mut dyn Theory) {
        let mut next = Some(conflict);
        while let Some(conflict) = next {
            debug_assert!(!self.clauses.is_garbage(conflict));
            self.stats.conflicts += 1;
            let shape = ConflictLevels::of(conflict, &self.clauses, &self.trail);
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

    /// Analyses the conflict, backtracks, and stores the learnt clause. Returns this clause.
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
        if self.options.subsume_eagerly && self.clauses.kind(clause) == ClauseKind::Learnt {
            self.bcp().subsume_latest(clause);
        }
        self.restart.conflict(lesson.glue, self.order.mode());
        self.stats.learnt += 1;
        self.stats.learnt_literals += learnt.len() as u64;
        self.stats.dropped_literals += lesson.dropped as u64;
        self.analysis.recycle(learnt);
        clause
    }

    /// Stores a learnt clause. It is temporary if it contains the guard's negation, so that it is deleted with
    /// the temporary clauses.
    fn add_learnt(&mut self, literals: &[Lit], id: ClauseId, glue: u32) -> ClauseRef {
        let kind = if self.query.guards(literals) { ClauseKind::Temporary } else { ClauseKind::Learnt };
        let clause = self.bcp().add(literals, id, kind, glue);
        if kind == ClauseKind::Learnt {
            self.clauses.set_used(clause, if glue <= self.options.tier2 { 2 } else { 1 });
        }
        clause
    }

    /// The level to backtrack to from a conflict at `top`, if the clause that resolves it is unit at each level
    /// from `second` to `top - 1`. This is `second` if it is within `Options::chrono` levels, otherwise one
    /// level below `top`. After each step back, the theory is told the literals that stay true again. If these
    /// literals are many, the step is longer in proportion. Then they are told again less often, and the total
    /// cost of telling stays linear.
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

    /// Ends all levels above `level`, notifies the theory, and makes the missed implications, each at the level
    /// at which it holds.
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
