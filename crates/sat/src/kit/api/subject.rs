//! The solver's interface as a trait. So the tests of the tester can use solvers with planted faults.

use super::Lazy;
use crate::lit::{Lit, Var};
use crate::options::Limits;
use crate::proof::{ClauseId, Proof};
use crate::query::SolveResult;
use crate::solver::Solver;
use crate::stats::Stats;
use crate::theory::{DecidedBy, Tag};

/// A solver under test. Each method is the method of [`Solver`] with the same name.
#[expect(missing_docs, reason = "said above, and in `Solver`")]
pub trait Subject {
    fn set_proof(&mut self, proof: Box<dyn Proof>);
    fn new_var(&mut self, by: DecidedBy) -> Var;
    fn add_clause(&mut self, tag: Tag, clause: &[Lit]);
    fn solve(&mut self, assumptions: &[Lit]) -> SolveResult;
    fn solve_with(&mut self, theory: &mut Lazy, assumptions: &[Lit], limits: &Limits) -> SolveResult;
    fn solve_within(&mut self, assumptions: &[Lit], limits: &Limits) -> SolveResult;
    fn solve_in(&mut self, domain: &[Var], assumptions: &[Lit], limits: &Limits) -> SolveResult;
    fn add_temporary(&mut self, tag: Tag, clause: &[Lit]);
    fn drop_temporaries(&mut self);
    fn add_removable(&mut self, tag: Tag, clause: &[Lit]) -> ClauseId;
    fn remove(&mut self, id: ClauseId);
    fn minimize_core(&mut self, limits: &Limits) -> bool;
    fn flip_to_none(&mut self, var: Var) -> bool;
    fn value(&self, lit: Lit) -> Option<bool>;
    fn is_fixed(&self, lit: Lit) -> bool;
    fn core(&self) -> &[Lit];
    fn stats(&self) -> &Stats;
}

impl Subject for Solver {
    fn set_proof(&mut self, proof: Box<dyn Proof>) {
        self.set_proof(proof);
    }
    fn new_var(&mut self, by: DecidedBy) -> Var {
        self.new_var(by)
    }
    fn add_clause(&mut self, tag: Tag, clause: &[Lit]) {
        self.add_clause(tag, clause);
    }
    fn solve(&mut self, assumptions: &[Lit]) -> SolveResult {
        self.solve(assumptions)
    }
    fn solve_with(&mut self, theory: &mut Lazy, assumptions: &[Lit], limits: &Limits) -> SolveResult {
        self.solve_with(theory, assumptions, limits)
    }
    fn solve_within(&mut self, assumptions: &[Lit], limits: &Limits) -> SolveResult {
        self.solve_within(assumptions, limits)
    }
    fn solve_in(&mut self, domain: &[Var], assumptions: &[Lit], limits: &Limits) -> SolveResult {
        self.solve_in(domain, assumptions, limits)
    }
    fn add_temporary(&mut self, tag: Tag, clause: &[Lit]) {
        self.add_temporary(tag, clause);
    }
    fn drop_temporaries(&mut self) {
        self.drop_temporaries();
    }
    fn add_removable(&mut self, tag: Tag, clause: &[Lit]) -> ClauseId {
        self.add_removable(tag, clause)
    }
    fn remove(&mut self, id: ClauseId) {
        self.remove(id);
    }
    fn minimize_core(&mut self, limits: &Limits) -> bool {
        self.minimize_core(limits)
    }
    fn flip_to_none(&mut self, var: Var) -> bool {
        self.flip_to_none(var)
    }
    fn value(&self, lit: Lit) -> Option<bool> {
        self.value(lit)
    }
    fn is_fixed(&self, lit: Lit) -> bool {
        self.is_fixed(lit)
    }
    fn core(&self) -> &[Lit] {
        self.core()
    }
    fn stats(&self) -> &Stats {
        self.stats()
    }
}
