//! Queries about a domain. `order/domain.rs` explains domains and what such a query guarantees.

use super::Solver;
use crate::lit::{Lit, Var};
use crate::options::Limits;
use crate::query::SolveResult;

impl Solver {
    /// Like [`Solver::solve_within`], but decides only variables of the domain and assumptions. `Sat` then
    /// means that all these variables are assigned without conflict. Cost: linear in the size of the domain,
    /// plus the search.
    pub fn solve_in(&mut self, domain: &[Var], assumptions: &[Lit], limits: &Limits) -> SolveResult {
        // Decisions of the last query may be outside the domain, so their levels end.
        let is_confined = self.options.is_confined();
        let assumed = (self.query.assumptions().len() as u32).min(self.trail.depth());
        self.step_back(if is_confined { 0 } else { assumed });
        let assumed = assumptions.iter().copied().chain(self.query.guard_literal());
        self.order.begin_domain(domain, assumed.map(Lit::var), is_confined);
        self.solve_again(assumptions, limits)
    }
}
