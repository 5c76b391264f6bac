//! Bumping after a conflict: variables that took part in the conflict become more likely to be decided.
//!
//! These are the variables that analysis saw and, on the *reason side*, the variables that directly imply
//! literals of the learnt clause (Liang, Ganesh, Poupart and Czarnecki 2016). The reason side is essential for
//! the decision queue (VMTF, `order/queue.rs`): without it, focused search decides, after each restart,
//! variables that the next decision implies anyway. If the reason side is too large, it is skipped for some
//! conflicts.

use super::marks::{Mark, Marks};
use super::reasons::Reasons;
use crate::lit::{Lit, Var};

/// State that decides when the reason side is used, and a buffer.
#[derive(Default)]
pub(super) struct ReasonSide {
    added: Vec<Var>,
    /// Number of conflicts for which the reason side is still skipped. `patience` is the number of conflicts to
    /// skip next time.
    wait: u32,
    patience: u32,
}

impl ReasonSide {
    /// Marks the reason side, unless it has more than `most` variables for each variable seen.
    pub(super) fn see(&mut self, learnt: &[Lit], marks: &mut Marks, reasons: Reasons<'_>, most: usize) {
        debug_assert!(self.added.is_empty());
        if self.wait > 0 {
            self.wait -= 1;
            return;
        }
        // `Fixed` marks exist only if hints are collected, so they must not change the search.
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

    /// Panics if data of the last conflict is left over.
    pub(super) fn check(&self) {
        assert!(self.added.is_empty());
        assert!(self.wait <= self.patience, "it waits no longer than it has patience");
    }
}
