//! Conflict analysis: the first unique implication point of the conflict's level (Marques-Silva and Sakallah; MiniSat).
//!
//! Walks that level's chain, newest first. Reasons lie on the same level earlier in the chain, or on lower levels,
//! whose literals go into the learnt clause as they are. A literal that the theory implied is explained when it is
//! reached. What comes after it has files of its own: minimising, shrinking, strengthening, bumping; and so has the
//! walk to the decisions behind literals (`trace.rs`).
//!
//! Invariants: the learnt clause is false, its first literal the only one on the conflict's level; marks, stacks and
//! what is implied are empty between two analyses.

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
use crate::clauses::{ClauseRef, Kind};
use crate::lit::{Lit, Var};
use crate::theory::Theory;
use crate::trail::{Reason, Trail};
use bump::ReasonSide;
use marks::{Mark, Marks};
use minimize::Frame;
use shrink::Block;
use stamps::Stamps;

#[derive(Default)]
pub(crate) struct Analysis {
    marks: Marks,
    stamps: Stamps,
    learnt: Vec<Lit>,
    /// What was dropped from the learnt clause, or lies behind literals, and is implied: each by its reason. Only for
    /// hints.
    implied: Vec<Var>,
    frames: Vec<Frame>,
    block: Block,
    reason_side: ReasonSide,
}

/// What is worth knowing of a learnt clause beside its literals.
#[derive(Clone, Copy)]
pub(crate) struct Lesson {
    pub(crate) glue: u32,
    /// How many literals were dropped.
    pub(crate) dropped: usize,
}

impl Analysis {
    pub(crate) fn new_var(&mut self) {
        self.marks.new_var();
    }

    /// Learns a clause from `conflict`, of which at least two literals are on level `top`; gathers its hints, and bumps
    /// what had to do with it.
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

    /// Learns a clause from `conflict` on level 1, the only one there is, as it comes. All its literals but the first
    /// are false at level 0 and left out.
    pub(crate) fn learn_unit(&mut self, bcp: &mut Bcp<'_>, conflict: ClauseRef, theory: &mut dyn Theory) {
        debug_assert_eq!(bcp.trail.depth(), 1);
        self.analyze(bcp, conflict, 1, theory);
        self.marks.clear();
        debug_assert_eq!(self.learnt.len(), 1, "there are no levels between 0 and 1");
    }

    /// The clause learnt last. To be given back by `recycle`.
    pub(crate) fn take_learnt(&mut self) -> Vec<Lit> {
        std::mem::take(&mut self.learnt)
    }

    pub(crate) fn recycle(&mut self, learnt: Vec<Lit>) {
        self.learnt = learnt;
    }

    /// Sets `learnt` to the first literal that all ways from level `top` to the conflict pass, and what that needs from
    /// below. Marks of its variables stay set.
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

    /// Sees the other literals of a clause. Answers how many of them are new and on level `top`.
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

    /// A false literal: below `top` it joins the learnt clause, on it it is counted.
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

    /// The clause was in a conflict: it is worth keeping, the more so the lower its glue now is.
    fn use_clause(&mut self, bcp: &mut Bcp<'_>, clause: ClauseRef) {
        if bcp.clauses.kind(clause) != Kind::Learnt {
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

    /// If `lit` is fixed, its unit becomes a hint, once between two analyses.
    fn hint_unit(&mut self, bcp: &mut Bcp<'_>, lit: Lit) {
        let var = lit.var();
        if bcp.log.wants_hints() && bcp.trail.level_of_var(var) == 0 && !self.marks.is(var, Mark::Fixed) {
            self.marks.set(var, Mark::Fixed);
            bcp.log.hint_unit(var);
        }
    }

    /// In debug builds: is what was learnt false, and asserting once `top` ends?
    fn check_learnt(&self, trail: &Trail, top: u32) {
        debug_assert!(self.learnt.iter().all(|&lit| trail.is_false(lit)), "a learnt clause is false");
        let below = |lit: &Lit| (1..top).contains(&trail.level_of_var(lit.var()));
        debug_assert!(self.learnt[1..].iter().all(below), "a learnt clause asserts its first literal");
        debug_assert_eq!(trail.level_of_var(self.learnt[0].var()), top);
        debug_assert!(self.frames.is_empty() && self.block.is_empty() && self.implied.is_empty());
    }

    /// Panics if anything is left of the last analysis.
    pub(crate) fn check(&self) {
        self.marks.check();
        assert!(self.frames.is_empty() && self.block.is_empty() && self.implied.is_empty(), "a stack is not empty");
        self.reason_side.check();
    }
}
