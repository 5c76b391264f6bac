//! Clause minimisation: removes literals of a learnt clause that the other literals imply, through chains of
//! reasons (Sorensson and Biere 2009).
//!
//! The walk uses an explicit stack, because chains of reasons are as deep as the search. The learnt clause
//! cannot imply a literal if the clause has no literal on the same level, or if its first literal on this level
//! comes later in the chain. This check ends most walks early (Knuth's refinement).

use super::marks::{Mark, Marks};
use super::reasons::Reasons;
use super::stamps::Stamps;
use crate::lit::Var;
use crate::trail::{Reason, Trail};

/// An entry of the stack: a variable, its reason, and the index of the next literal of the reason.
pub(super) struct Frame {
    var: Var,
    reason: Reason,
    next: usize,
}

/// The data that a walk through reasons borrows: the reasons, the marks, and the levels of the clause's
/// literals.
pub(super) struct Walk<'a> {
    pub(super) reasons: Reasons<'a>,
    pub(super) marks: &'a mut Marks,
    pub(super) stamps: &'a Stamps,
    pub(super) frames: &'a mut Vec<Frame>,
}

impl Walk<'_> {
    fn trail(&self) -> &Trail {
        self.reasons.trail
    }

    pub(super) fn is_implied(&mut self, var: Var) -> bool {
        !self.stamps.is_alone(self.trail().level_of_var(var)) && self.reason_follows(var)
    }

    /// True if the current value of this variable is implied by the literals of the clause.
    pub(super) fn follows(&mut self, var: Var) -> bool {
        if self.leads_back(var) || !self.marks.is(var, Mark::Unknown) {
            return self.leads_back(var);
        }
        let follows = self.stamps.may_lead_back(self.trail().order(var)) && self.reason_follows(var);
        self.marks.set(var, if follows { Mark::Implied } else { Mark::Free });
        follows
    }

    fn reason_follows(&mut self, var: Var) -> bool {
        debug_assert!(self.frames.is_empty());
        let Some(reason) = self.reasons.walkable(var) else { return false };
        self.frames.push(Frame { var, reason, next: 0 });
        let is_implied = self.walk();
        self.frames.clear();
        is_implied
    }

    fn walk(&mut self) -> bool {
        while let Some(frame) = self.frames.last_mut() {
            let Some(lit) = self.reasons.literal(frame.reason, frame.next) else {
                let done = frame.var;
                self.frames.pop();
                // The literal at the bottom of the stack is in the clause and keeps the mark `Seen`. So walks
                // from other literals may still end at it even if it is removed. This is sound because reasons
                // are acyclic.
                if !self.frames.is_empty() {
                    self.marks.set(done, Mark::Implied);
                }
                continue;
            };
            frame.next += 1;
            let (var, from) = (lit.var(), frame.var);
            if var == from || self.leads_back(var) {
                continue;
            }
            debug_assert!(self.trail().order(var) < self.trail().order(from), "reasons come first");
            let fresh = self.marks.is(var, Mark::Unknown) && self.stamps.may_lead_back(self.trail().order(var));
            match self.reasons.walkable(var).filter(|_| fresh) {
                Some(reason) => self.frames.push(Frame { var, reason, next: 0 }),
                None => {
                    self.give_up(var);
                    return false;
                }
            }
        }
        true
    }

    fn leads_back(&self, var: Var) -> bool {
        matches!(self.marks.of(var), Mark::Seen | Mark::Implied) || self.trail().level_of_var(var) == 0
    }

    /// Marks `end` and the variables on the stack, except the bottom one, as `Free`, so that walks from other
    /// literals end early.
    fn give_up(&mut self, end: Var) {
        for var in self.frames.iter().skip(1).map(|frame| frame.var).chain([end]) {
            self.marks.set(var, Mark::Free);
        }
    }
}
