//! Periodic work between conflicts and decisions: restarts (with rephasing, mode switches and inprocessing),
//! and reductions. The modules `restart.rs`, `reduce.rs` and `inprocess/` decide when each kind of work is due.
//! This module decides at which level the search continues.

use super::{Lent, Solver};
use crate::inprocess::Round;
use crate::theory::Theory;
use crate::walk::Walk;

impl Solver {
    /// Restarts if a restart is due. Returns true if it restarted.
    pub(super) fn restart_if_due(&mut self, theory: &mut dyn Theory) -> bool {
        let mode = self.order.mode();
        if !self.order.decided_last() || !self.restart.is_due(mode) {
            return false;
        }
        self.restart.restarted(mode);
        self.stats.restarts += 1;
        let level = self.restart_level();
        self.backtrack(level, theory);
        if let Some(rephased) = self.order.rephase_if_due(self.stats.conflicts) {
            self.stats.rephased += 1;
            if rephased.to_best && !self.trail.listens() {
                self.walk_if_it_pays();
            }
        }
        if self.restart.switches_mode(self.stats.conflicts, self.stats.ticks) {
            self.order.switch_mode(self.trail.variables_len());
        }
        self.inprocess_if_due(theory);
        true
    }

    /// The level to backtrack to in a restart. Starting from the assumptions, each level is kept while the
    /// solver would make the same decision again.
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

    /// Elimination, and local search on a uniform formula, before the first decision.
    pub(super) fn prepare(&mut self) {
        let wants = self.options.eliminate || self.options.walk;
        let is_first = self.stats.decisions == 0 && self.trail.depth() == 0 && !self.trail.listens();
        if !wants || !is_first || self.log.is_refuted() || self.bcp().propagate_fixed() {
            return;
        }
        if self.options.walk
            && let Some(budget) = self.walks.first(&self.clauses)
        {
            self.walk(budget);
        }
        if self.options.eliminate && self.clauses.words() <= self.options.eliminate_first {
            self.round().prepare();
        }
    }

    /// Local search from the saved phases, unless the formula is large compared with the search since the last time.
    fn walk_if_it_pays(&mut self) {
        let searched = self.inprocessing.search(self.stats.ticks);
        if self.options.walk
            && let Some(budget) = self.walks.next(searched, self.options.walk_effort, &self.clauses)
        {
            self.walk(budget);
        }
    }

    fn walk(&mut self, budget: u64) {
        let seed = self.options.seed ^ self.stats.walks;
        let values = self.order.saved_phases().to_vec();
        let walked = Walk::new(&self.clauses, &self.trail, values, seed).run(budget);
        self.order.set_saved_phases(walked.values);
        self.walks.ended(self.inprocessing.search(self.stats.ticks));
        self.stats.walks += 1;
        self.stats.flips += walked.flips;
        self.stats.ticks += walked.ticks;
        self.inprocessing.exclude(walked.ticks);
        self.restart.pause(walked.ticks);
    }

    /// Inprocesses if it is due. Called during a restart, after the solver's own decision.
    fn inprocess_if_due(&mut self, theory: &mut dyn Theory) {
        let (conflicts, ticks) = (self.stats.conflicts, self.stats.ticks);
        if !self.inprocessing.is_due(conflicts) {
            return;
        }
        // The search is not interrupted if it is deep and a theory takes part, because a theory's deep search
        // is expensive to redo.
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

    /// The parts that inprocessing borrows.
    fn round(&mut self) -> Round<'_> {
        let Lent { bcp, analysis, schedule, extension, .. } = self.lend();
        Round { bcp, analysis, schedule, extension }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clauses::ClauseKind;
    use crate::lit::Lit;
    use crate::options::Options;
    use crate::proof::ClauseId;
    use crate::theory::{DecidedBy, Tag};

    fn lits(numbers: &[i32]) -> Vec<Lit> {
        numbers.iter().map(|&number| Lit::from_dimacs(number)).collect()
    }

    /// Otherwise a reduction could delete the learnt clause, and the constraint of the given clause would be
    /// lost.
    #[test]
    fn a_learnt_clause_that_takes_over_from_a_given_one_is_given() {
        let mut solver = Solver::new(Options { subsume_effort: 1e9, ..Options::default() });
        for _ in 0..4 {
            solver.new_var(DecidedBy::Host);
        }
        solver.add_clause(Tag(0), &lits(&[1, 2, 3, 4]));
        let learnt = solver.bcp().add(&lits(&[3, 1, 2]), ClauseId(9), ClauseKind::Learnt, 3);
        solver.stats.ticks = 1000;
        solver.round().subsume();
        assert_eq!(solver.clauses.iter().collect::<Vec<_>>(), [learnt]);
        assert_eq!(solver.clauses.kind(learnt), ClauseKind::Given);
    }
}
