//! Queries about a domain: what one is, and what it promises, is told in `order/domain.rs`.

use super::{Answer, Solver};
use crate::lit::{Lit, Var};
use crate::options::Limits;

impl Solver {
    /// As [`Solver::solve_within`], but decides only variables of the domain (and assumptions): `Sat` then means that
    /// these are assigned without conflict. Cost: linear in the domain, and the search.
    pub fn solve_in(&mut self, domain: &[Var], assumptions: &[Lit], limits: &Limits) -> Answer {
        // Decisions of the last query may lie outside.
        let is_confined = self.options.is_confined();
        let assumed = (self.query.assumptions().len() as u32).min(self.trail.depth());
        self.step_back(if is_confined { 0 } else { assumed });
        let assumed = assumptions.iter().copied().chain(self.query.guard_literal());
        self.order.begin_domain(domain, assumed.map(Lit::var), is_confined);
        self.solve_again(assumptions, limits)
    }
}
