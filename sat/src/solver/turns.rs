//! What comes between conflicts and decisions when it is time: restarts, and with them new phases, the other mode, and
//! inprocessing; reductions. When it is time each part knows for itself; here is where the search then goes.

use super::{Lent, Solver};
use crate::inprocess::Round;
use crate::theory::Theory;

impl Solver {
    /// Restarts if it is time. Answers whether it did.
    pub(super) fn restart_if_due(&mut self, theory: &mut dyn Theory) -> bool {
        let mode = self.order.mode();
        if !self.order.decided_last() || !self.restart.is_due(mode) {
            return false;
        }
        self.restart.restarted(mode);
        self.stats.restarts += 1;
        let level = self.restart_level();
        self.backtrack(level, theory);
        if self.order.rephase_if_due(self.stats.conflicts) {
            self.stats.rephased += 1;
        }
        if self.restart.switches_mode(self.stats.conflicts, self.stats.ticks) {
            self.order.switch_mode(self.trail.variables_len());
        }
        self.inprocess_if_due(theory);
        true
    }

    /// The first level above the assumptions whose decision the host would not take again.
    fn restart_level(&mut self) -> u32 {
        let assumed = (self.query.assumptions().len() as u32).min(self.trail.depth());
        let Some(next) = self.order.next(&self.trail) else { return assumed };
        let keeps = |&level: &u32| self.trail.decision(level + 1).is_some_and(|lit| self.order.keeps(lit, next));
        let level = (assumed..self.trail.depth()).take_while(keeps).count() as u32 + assumed;
        debug_assert!((assumed..=self.trail.depth()).contains(&level));
        level
    }

    pub(super) fn reduce_if_due(&mut self) {
        let Lent { mut bcp, reduction, .. } = self.lend();
        reduction.reduce_if_due(&mut bcp);
    }

    /// Inprocesses if it is time. The search is restarting, and the host decides.
    fn inprocess_if_due(&mut self, theory: &mut dyn Theory) {
        let (conflicts, ticks) = (self.stats.conflicts, self.stats.ticks);
        if !self.inprocessing.is_due(conflicts) {
            return;
        }
        // A theory's deep search is dear to redo.
        let assumed = self.query.assumptions().len() as u32;
        let is_deep = self.trail.listens() && self.trail.depth() > self.options.chrono.saturating_add(assumed);
        if is_deep || !self.inprocessing.pays(ticks, self.clauses.words()) {
            self.inprocessing.put_off(conflicts);
            return;
        }
        self.backtrack(0, theory);
        if self.log.is_refuted() || self.bcp().propagate_fixed() {
            return;
        }
        let spent = self.round().run();
        self.restart.pause(spent);
    }

    /// What inprocessing borrows.
    fn round(&mut self) -> Round<'_> {
        let Lent { bcp, analysis, schedule, .. } = self.lend();
        Round { bcp, analysis, schedule }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clauses::Kind;
    use crate::lit::Lit;
    use crate::options::Options;
    use crate::proof::ClauseId;
    use crate::theory::{DecidedBy, Tag};

    fn lits(numbers: &[i32]) -> Vec<Lit> {
        numbers.iter().map(|&number| Lit::from_dimacs(number)).collect()
    }

    /// Else a reduction could forget it, and with it what the given clause said.
    #[test]
    fn a_learnt_clause_that_takes_over_from_a_given_one_is_given() {
        let mut solver = Solver::new(Options { subsume_effort: 1e9, ..Options::default() });
        for _ in 0..4 {
            solver.new_var(DecidedBy::Host);
        }
        solver.add_clause(Tag(0), &lits(&[1, 2, 3, 4]));
        let learnt = solver.bcp().add(&lits(&[3, 1, 2]), ClauseId(9), Kind::Learnt, 3);
        solver.stats.ticks = 1000;
        solver.round().subsume();
        assert_eq!(solver.clauses.iter().collect::<Vec<_>>(), [learnt]);
        assert_eq!(solver.clauses.kind(learnt), Kind::Given);
    }
}
