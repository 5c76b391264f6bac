//! Failed assumptions: which of them cannot hold together, and how to make do with fewer.

use super::{Answer, Lent, Solver};
use crate::lit::Lit;
use crate::options::Limits;
use crate::theory::Theory;

impl Solver {
    /// `failed`, an assumption, is false under those before it: sets the core and its hints.
    pub(super) fn find_core(&mut self, failed: Lit, theory: &mut dyn Theory) {
        let Lent { mut bcp, analysis, query, .. } = self.lend();
        let (core, hints) = query.core_mut();
        analysis.find_core(&mut bcp, failed, theory, core, hints);
    }

    /// After `Unsat` of a query without theory: tries to do with fewer assumptions, one at a time, the last first, at
    /// most `limits` each. The core that is left is minimal if no limit was met; the answer says so. Cost: a query for
    /// each assumption of the core.
    ///
    /// # Panics
    /// If the last answer was not `Unsat`.
    pub fn minimize_core(&mut self, limits: &Limits) -> bool {
        assert_eq!(self.query.last(), Some(Answer::Unsat), "there is no core");
        let mut core = self.query.core().to_vec();
        let mut is_minimal = true;
        let mut at = core.len();
        while at > 0 {
            at -= 1;
            let mut fewer = core.clone();
            fewer.remove(at);
            match self.solve_again(&fewer, limits) {
                Answer::Unsat => {
                    // What is not in the new core is not needed either; what was tried before still is.
                    let is_needed = |lit: &&Lit| self.query.core().contains(lit);
                    at = fewer[..at].iter().filter(is_needed).count();
                    core = fewer.iter().filter(is_needed).copied().collect();
                }
                Answer::Stopped => is_minimal = false,
                Answer::Sat | Answer::Unknown => {}
            }
        }
        self.query.set_core(core);
        is_minimal
    }
}
