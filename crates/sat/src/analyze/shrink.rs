//! Shrinks a learnt clause: replaces all literals of one level by a single literal of that level that each of
//! them implies if the other literals of the clause are false (Fleury and Biere 2021, "all UIPs"). Unlike
//! minimisation, shrinking adds new literals, but never more than it removes, and no new levels.
//!
//! Shrinking starts from the literals of a level and replaces the newest literal by the other literals of its
//! reason, until one literal is left. Each literal of a lower level in these reasons must be in the clause or
//! implied by it, which the marks of minimisation tell. Otherwise the literals of the level stay unchanged.

use super::Block;
use std::cmp::Reverse;

use super::minimize::Walk;
use super::reasons::Reasons;
use super::{Analysis, Mark};
use crate::bcp::Bcp;
use crate::lit::{Lit, Var};
use crate::signs::Signs;

/// The variables that are or were in the heap (the block of one level).
struct Met<'a> {
    signs: &'a mut Signs,
    heap: &'a mut Block,
    vars: Vec<Var>,
}

impl Analysis {
    /// Shrinks `learnt`, which has just been minimised. The first literal is alone on its level and stays.
    pub(super) fn shrink(&mut self, bcp: &mut Bcp<'_>) {
        let level_of = |lit: &Lit| bcp.trail.level_of_var(lit.var());
        if self.learnt[1..].iter().all(|lit| self.stamps.is_alone(level_of(lit))) {
            return;
        }
        let mut learnt = self.take_learnt();
        learnt[1..].sort_unstable_by_key(|lit| Reverse(level_of(lit)));
        let mut kept = 1;
        let mut start = 1;
        while start < learnt.len() {
            let level = bcp.trail.level_of_var(learnt[start].var());
            let on_level = |lit: &&Lit| bcp.trail.level_of_var(lit.var()) == level;
            let end = start + learnt[start..].iter().take_while(on_level).count();
            let point = if end - start > 1 { self.common_point(bcp, &learnt[start..end]) } else { None };
            if let Some(point) = point {
                debug_assert_eq!(bcp.trail.level_of_var(point), level);
                bcp.stats.shrunken += (end - start - 1) as u64;
                self.marks.set(point, Mark::Seen);
                learnt[kept] = !bcp.trail.true_literal(point);
                kept += 1;
            } else {
                learnt.copy_within(start..end, kept);
                kept += end - start;
            }
            start = end;
        }
        learnt.truncate(kept);
        self.recycle(learnt);
    }

    /// Returns the variable that, together with the clause's literals of lower levels, implies all these false
    /// literals of one level. Adds the variables resolved on the way to `implied`.
    fn common_point(&mut self, bcp: &mut Bcp<'_>, block: &[Lit]) -> Option<Var> {
        let reasons = Reasons { trail: bcp.trail, clauses: bcp.clauses, longest: bcp.options.minimize_length };
        let mut walk = Walk { reasons, marks: &mut self.marks, stamps: &self.stamps, frames: &mut self.frames };
        let mut met = Met { signs: bcp.signs, heap: &mut self.block, vars: Vec::new() };
        let before = self.implied.len();
        for lit in block {
            met.meet(lit.var(), reasons);
        }
        let mut point = None;
        while let Some((_, var)) = met.heap.pop() {
            if met.heap.is_empty() {
                point = Some(var);
                break;
            }
            if !replace_by_reason(&mut walk, var, &mut met) {
                break;
            }
            self.implied.push(var);
        }
        if point.is_none() || !bcp.log.wants_hints() {
            self.implied.truncate(before);
        }
        met.leave();
        point
    }
}

impl Met<'_> {
    fn meet(&mut self, var: Var, reasons: Reasons<'_>) {
        if self.signs.meet(var) {
            self.vars.push(var);
            self.heap.push((reasons.trail.order(var).1, var));
        }
    }

    fn leave(self) {
        self.signs.leave(self.vars.into_iter());
        self.heap.clear();
    }
}

/// Replaces `var` by the literals of its reason. Returns false if the reason needs a literal that the clause
/// does not imply.
fn replace_by_reason(walk: &mut Walk<'_>, var: Var, met: &mut Met<'_>) -> bool {
    let reasons = walk.reasons;
    let Some(reason) = reasons.walkable(var) else { return false };
    let level = reasons.trail.level_of_var(var);
    for other in reasons.literals(reason).map(Lit::var).filter(|&other| other != var) {
        // A literal of this level that was in the clause and is not in the block was removed by minimisation,
        // so the clause implies it.
        let is_new = matches!(walk.marks.of(other), Mark::Unknown | Mark::Free);
        if is_new && reasons.trail.level_of_var(other) == level {
            met.meet(other, reasons);
        } else if !walk.follows(other) {
            return false;
        }
    }
    true
}
