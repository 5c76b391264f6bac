//! Finds a core after an assumption has failed (is false under the clauses and the other assumptions), and
//! minimises cores.

use super::{Lent, Solver};
use crate::lit::Lit;
use crate::options::Limits;
use crate::query::SolveResult;
use crate::theory::Theory;

impl Solver {
    /// Sets the core and its hints for an assumption `failed` that is false under the assumptions before it.
    pub(super) fn find_core(&mut self, failed: Lit, theory: &mut dyn Theory) {
        let Lent { mut bcp, analysis, query, .. } = self.lend();
        let (core, hints) = query.core_mut();
        analysis.find_core(&mut bcp, failed, theory, core, hints);
    }

    /// After `Unsat` of a query without theory: tries to remove assumptions from the core, one at a time, the
    /// last first. Each attempt has `limits`. Returns true if no attempt met a limit. Then the remaining core
    /// is minimal. Cost: one query for each assumption of the core.
    ///
    /// # Panics
    /// If the last answer was not `Unsat`.
    pub fn minimize_core(&mut self, limits: &Limits) -> bool {
        assert_eq!(self.query.last(), Some(SolveResult::Unsat), "there is no core");
        let mut core = self.query.core().to_vec();
        let mut is_minimal = true;
        let mut at = core.len();
        while at > 0 {
            at -= 1;
            let mut fewer = core.clone();
            fewer.remove(at);
            match self.solve_again(&fewer, limits) {
                SolveResult::Unsat => {
                    // The attempt can remove more assumptions than the one at `at`, because the new core may be
                    // smaller. Assumptions that were tried before are still needed, so the loop continues below
                    // them.
                    let is_needed = |lit: &&Lit| self.query.core().contains(lit);
                    at = fewer[..at].iter().filter(is_needed).count();
                    core = fewer.iter().filter(is_needed).copied().collect();
                }
                SolveResult::Stopped => is_minimal = false,
                SolveResult::Sat | SolveResult::Unknown => {}
            }
        }
        self.query.set_core(core);
        is_minimal
    }
}
