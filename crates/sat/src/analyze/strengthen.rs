//! Removes literals of a learnt clause by binary clauses with its first literal (as Glucose does; Audemard and
//! Simon 2009).
//!
//! The first literal `p` is the only one that minimisation cannot remove. If `p or not q` is a clause, the
//! literal `q` is removed.

use super::{Analysis, Mark};
use crate::bcp::Bcp;

/// Longer learnt clauses are not strengthened, because the cost exceeds the gain.
const LENGTH: usize = 30;

impl Analysis {
    /// Strengthens `learnt`. The variables of `learnt` must be marked `Seen`. The marks do not change.
    pub(super) fn strengthen(&mut self, bcp: &mut Bcp<'_>) {
        if self.learnt.len() > LENGTH || self.learnt.len() < 2 {
            return;
        }
        let list = bcp.watches.of(self.learnt[0]);
        bcp.stats.ticks += 1 + (list.len() / 8) as u64;
        for watch in list.iter().filter(|watch| watch.is_binary()) {
            let dropped = !watch.blocker();
            // Of the literals below the top level, only those of the learnt clause are marked `Seen`, and they
            // are false.
            if !self.marks.is(dropped.var(), Mark::Seen) || !bcp.trail.is_false(dropped) {
                continue;
            }
            let Some(at) = self.learnt[1..].iter().position(|&lit| lit == dropped) else { continue };
            self.learnt.swap_remove(at + 1);
            bcp.log.hint_first(bcp.clauses, watch.clause());
        }
    }
}
