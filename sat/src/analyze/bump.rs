//! After a conflict: the variables that had to do with it become more likely to be decided.
//!
//! Those that analysis saw, and on the *reason side* those that directly imply literals of the learnt clause (Liang,
//! Ganesh, Poupart and Czarnecki 2016). The latter are what VMTF lives on: without them focused search decides, after
//! each restart, what follows from the next decision anyway. Where they are too many, they are left out for a while.

use super::reasons::Reasons;
use super::{Analysis, Mark, Marks};
use crate::bcp::Bcp;
use crate::lit::{Lit, Var};

/// When to look at the reason side, and scratch space.
#[derive(Default)]
pub(super) struct ReasonSide {
    added: Vec<Var>,
    /// Conflicts to be left out, and how many it will be next time.
    wait: u32,
    patience: u32,
}

impl Analysis {
    /// Bumps what is marked `Seen`, with the reason side of the learnt clause. Marks are good for nothing else
    /// afterwards.
    pub(super) fn bump(&mut self, bcp: &mut Bcp<'_>) {
        if bcp.options.bump_reasons {
            let most = bcp.options.bump_reasons_most;
            self.reason_side.see(&self.learnt, &mut self.marks, Reasons::of(bcp), most);
        }
        bcp.order.bump(self.marks.with(Mark::Seen));
    }
}

impl ReasonSide {
    /// Marks the reason side, unless that is more than `most` for each variable seen.
    fn see(&mut self, learnt: &[Lit], marks: &mut Marks, reasons: Reasons<'_>, most: usize) {
        debug_assert!(self.added.is_empty());
        if self.wait > 0 {
            self.wait -= 1;
            return;
        }
        // Marks made for the sake of hints must not change the search.
        let seen = marks.all().iter().filter(|&&var| !marks.is(var, Mark::Fixed)).count();
        let limit = seen.saturating_mul(most);
        for lit in learnt {
            if let Some(reason) = reasons.walkable(lit.var()) {
                reasons.literals(reason).for_each(|other| self.add(other.var(), marks, reasons));
            }
            if self.added.len() > limit {
                break;
            }
        }
        if self.added.len() > limit {
            self.added.iter().for_each(|&var| marks.set(var, Mark::Free));
            self.patience += 1;
            self.wait = self.patience;
        } else {
            self.patience /= 2;
        }
        self.added.clear();
    }

    fn add(&mut self, var: Var, marks: &mut Marks, reasons: Reasons<'_>) {
        if !matches!(marks.of(var), Mark::Seen | Mark::Fixed) && reasons.trail.level_of_var(var) > 0 {
            marks.set(var, Mark::Seen);
            self.added.push(var);
        }
    }

    /// Panics if anything is left of the last conflict.
    pub(super) fn check(&self) {
        assert!(self.added.is_empty());
        assert!(self.wait <= self.patience, "it waits no longer than it has patience");
    }
}
