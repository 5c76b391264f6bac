//! Conflict analysis: finds the first unique implication point of the conflict's level (Marques-Silva and
//! Sakallah; MiniSat). This is the newest literal of the level through which all implications from the level's
//! decision to the conflict pass.
//!
//! Analysis walks the chain of that level, newest literal first. The literals of a reason are on the same level
//! earlier in the chain, or on lower levels. Analysis adds literals of lower levels to the learnt clause
//! unchanged. A literal that the theory implied is explained when the walk reaches it. The steps after analysis
//! have their own files: minimising, shrinking, strengthening, bumping. `trace.rs` finds the decisions that
//! imply given literals.
//!
//! Invariants:
//!
//! 1. All literals of the learnt clause are false, and its first literal is the only one on the conflict's
//!    level.
//! 2. Marks, stacks and `implied` are empty between two analyses.

mod bump;
mod explain;
mod marks;
mod minimize;
mod reasons;
mod shrink;
mod stamps;
mod strengthen;
mod trace;

use crate::bcp::Bcp;
use crate::clauses::{ClauseKind, ClauseRef};
use crate::lit::{Lit, Var};
use crate::theory::Theory;
use crate::trail::{Reason, Trail};
use bump::ReasonSide;
use marks::{Mark, Marks};
use minimize::{Frame, Walk};
use reasons::Reasons;
use stamps::Stamps;
use std::collections::BinaryHeap;

#[derive(Default)]
pub(crate) struct Analysis {
    marks: Marks,
    stamps: Stamps,
    learnt: Vec<Lit>,
    /// Variables that are implied, so that the proof needs their reasons as hints: the variables of literals
    /// removed from the learnt clause, and the variables that `trace` visited.
    implied: Vec<Var>,
    frames: Vec<Frame>,
    block: Block,
    reason_side: ReasonSide,
}

/// Properties of a learnt clause beside its literals.
#[derive(Clone, Copy)]
pub(crate) struct Lesson {
    pub(crate) glue: u32,
    /// Number of literals removed from the clause.
    pub(crate) dropped: usize,
}

impl Analysis {
    pub(crate) fn new_var(&mut self) {
        self.marks.new_var();
    }

    /// Learns a clause from `conflict`, which has at least two literals on level `top`. Collects its hints, and
    /// bumps the variables that took part.
    pub(crate) fn learn(
        &mut self,
        bcp: &mut Bcp<'_>,
        conflict: ClauseRef,
        top: u32,
        theory: &mut dyn Theory,
    ) -> Lesson {
        self.analyze(bcp, conflict, top, theory);
        let before = self.learnt.len();
        self.minimize(bcp);
        if bcp.options.shrink {
            self.shrink(bcp);
        }
        self.hint_implied(bcp);
        let levels = self.learnt.iter().map(|lit| bcp.trail.level_of_var(lit.var()));
        let glue = self.stamps.distinct(levels);
        if bcp.options.strengthen && glue <= bcp.options.tier2 {
            self.strengthen(bcp);
        }
        self.bump(bcp);
        self.marks.clear();
        self.check_learnt(bcp.trail, top);
        Lesson { glue, dropped: before - self.learnt.len() }
    }

    /// Learns a unit clause from `conflict`, without minimisation. The trail must have no level above level 1.
    /// All other literals are false at level 0 and left out.
    pub(crate) fn learn_unit(&mut self, bcp: &mut Bcp<'_>, conflict: ClauseRef, theory: &mut dyn Theory) {
        debug_assert_eq!(bcp.trail.depth(), 1);
        self.analyze(bcp, conflict, 1, theory);
        self.marks.clear();
        debug_assert_eq!(self.learnt.len(), 1, "there are no levels between 0 and 1");
    }

    /// Takes the clause learnt last. The caller returns the buffer with `recycle`.
    pub(crate) fn take_learnt(&mut self) -> Vec<Lit> {
        std::mem::take(&mut self.learnt)
    }

    pub(crate) fn recycle(&mut self, learnt: Vec<Lit>) {
        self.learnt = learnt;
    }

    /// Sets `learnt` to the negation of the first unique implication point of level `top`, and the literals of
    /// lower levels that the conflict needs. The variables of `learnt` stay marked.
    fn analyze(&mut self, bcp: &mut Bcp<'_>, conflict: ClauseRef, top: u32, theory: &mut dyn Theory) {
        debug_assert!(top > 0 && self.marks.all().is_empty());
        self.learnt.clear();
        let mut open = self.resolve_clause(bcp, conflict, None, top);
        debug_assert!(open > 1, "else the conflict itself implies something lower down");
        let mut next = bcp.trail.newest(top);
        while let Some(lit) = next {
            next = bcp.trail.before(lit.var());
            if !self.marks.is(lit.var(), Mark::Seen) {
                continue;
            }
            if open == 1 {
                self.learnt.push(!lit);
                break;
            }
            open -= 1;
            open += match bcp.trail.reason(lit.var()) {
                Reason::Binary(clause, other) => {
                    bcp.log.hint_before(bcp.clauses, clause);
                    self.see(bcp, other, top)
                }
                Reason::Clause(clause) => self.resolve_clause(bcp, clause, Some(lit), top),
                Reason::Theory => {
                    let clause = self.explain(bcp, lit, theory);
                    self.resolve_clause(bcp, clause, Some(lit), top)
                }
                Reason::None => unreachable!("a decision is the first of its level"),
            };
        }
        debug_assert_eq!(self.learnt.last().map(|lit| bcp.trail.level_of_var(lit.var())), Some(top));
        let last = self.learnt.len() - 1;
        self.learnt.swap(0, last);
    }

    /// Marks the other literals of a clause as seen. Returns how many of them are new and on level `top`.
    fn resolve_clause(&mut self, bcp: &mut Bcp<'_>, clause: ClauseRef, implied: Option<Lit>, top: u32) -> usize {
        debug_assert!(implied.is_none_or(|lit| bcp.clauses.lits(clause).any(|other| other == lit)));
        bcp.log.hint_before(bcp.clauses, clause);
        self.use_clause(bcp, clause);
        let mut on_top = 0;
        for at in 0..bcp.clauses.len(clause) {
            let lit = bcp.clauses.lit(clause, at);
            if Some(lit) != implied {
                on_top += self.see(bcp, lit, top);
            }
        }
        on_top
    }

    /// Marks a false literal as seen, unless it was seen before or is fixed. A literal below `top` joins the
    /// learnt clause. Returns 1 if the literal is new and on level `top`, otherwise 0.
    fn see(&mut self, bcp: &mut Bcp<'_>, lit: Lit, top: u32) -> usize {
        let var = lit.var();
        if !self.marks.is(var, Mark::Unknown) {
            return 0;
        }
        debug_assert!(bcp.trail.is_false(lit));
        let level = bcp.trail.level_of_var(var);
        debug_assert!(level <= top);
        if level == 0 {
            self.hint_unit(bcp, lit);
            return 0;
        }
        self.marks.set(var, Mark::Seen);
        if level == top {
            return 1;
        }
        self.learnt.push(lit);
        0
    }

    /// Records that the clause took part in a conflict. Reductions then keep it longer, and its glue is updated
    /// if it became lower.
    fn use_clause(&mut self, bcp: &mut Bcp<'_>, clause: ClauseRef) {
        if bcp.clauses.kind(clause) != ClauseKind::Learnt {
            return;
        }
        let mut glue = bcp.clauses.glue(clause);
        if glue > bcp.options.tier1 {
            let levels = bcp.clauses.lits(clause).map(|lit| bcp.trail.level_of_var(lit.var()));
            let now = self.stamps.distinct(levels);
            if now < glue {
                glue = now;
                bcp.clauses.set_glue(clause, now);
            }
        }
        bcp.clauses.set_used(clause, if glue <= bcp.options.tier2 { 2 } else { 1 });
    }

    /// Adds the unit clause of `lit` as a hint if `lit` is fixed, at most once in an analysis.
    fn hint_unit(&mut self, bcp: &mut Bcp<'_>, lit: Lit) {
        let var = lit.var();
        if bcp.log.wants_hints() && bcp.trail.level_of_var(var) == 0 && !self.marks.is(var, Mark::Fixed) {
            self.marks.set(var, Mark::Fixed);
            bcp.log.hint_unit(var);
        }
    }

    /// In debug builds: asserts that the learnt clause is false and implies its first literal once `top` ends.
    fn check_learnt(&self, trail: &Trail, top: u32) {
        debug_assert!(self.learnt.iter().all(|&lit| trail.is_false(lit)), "a learnt clause is false");
        let below = |lit: &Lit| (1..top).contains(&trail.level_of_var(lit.var()));
        debug_assert!(self.learnt[1..].iter().all(below), "a learnt clause asserts its first literal");
        debug_assert_eq!(trail.level_of_var(self.learnt[0].var()), top);
        debug_assert!(self.frames.is_empty() && self.block.is_empty() && self.implied.is_empty());
    }

    /// Panics if marks, stacks or lists of the last analysis are not empty.
    pub(crate) fn check(&self) {
        self.marks.check();
        assert!(self.frames.is_empty() && self.block.is_empty() && self.implied.is_empty(), "a stack is not empty");
        self.reason_side.check();
    }
}

impl Analysis {
    /// Bumps the variables marked `Seen`, and the reason side of the learnt clause. Afterwards the marks must
    /// not be used for analysis.
    pub(super) fn bump(&mut self, bcp: &mut Bcp<'_>) {
        if bcp.options.bump_reasons {
            let most = bcp.options.bump_reasons_most;
            self.reason_side.see(&self.learnt, &mut self.marks, Reasons::of(bcp), most);
        }
        bcp.order.bump(self.marks.with(Mark::Seen));
    }
}

impl Analysis {
    /// Minimises `learnt`, the variables of which are marked `Seen`. Does not clear marks.
    pub(super) fn minimize(&mut self, bcp: &Bcp<'_>) {
        self.stamps.remember(&self.learnt, bcp.trail);
        let reasons = Reasons::of(bcp);
        let mut walk = Walk { reasons, marks: &mut self.marks, stamps: &self.stamps, frames: &mut self.frames };
        let mut kept = 1;
        for at in 1..self.learnt.len() {
            let lit = self.learnt[at];
            debug_assert!(walk.marks.is(lit.var(), Mark::Seen));
            if walk.is_implied(lit.var()) {
                if bcp.log.wants_hints() {
                    self.implied.push(lit.var());
                }
            } else {
                self.learnt[kept] = lit;
                kept += 1;
            }
        }
        self.learnt.truncate(kept);
    }

    /// Adds as hints the reasons of the literals that minimising and shrinking removed, and of all variables
    /// found to be implied.
    pub(super) fn hint_implied(&mut self, bcp: &mut Bcp<'_>) {
        if !bcp.log.wants_hints() || self.implied.is_empty() {
            return;
        }
        self.implied.extend(self.marks.with(Mark::Implied));
        self.hint_reasons(bcp);
    }
}

/// Variables of one level, the newest first.
pub(super) type Block = BinaryHeap<(u32, Var)>;
