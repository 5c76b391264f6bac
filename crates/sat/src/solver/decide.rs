//! Chooses the next decision: first the assumptions, then the literals that the theory prefers, then the
//! literal that the theory decides, then the variable that the solver's decision order returns. That order
//! takes the most active variable in stable mode and within a query's domain, and the variable bumped last in
//! focused mode.

use super::{Next, Solver};
use crate::lit::Lit;
use crate::theory::{Ctx, Theory};
use crate::trail::Reason;

impl Solver {
    pub(super) fn decide(&mut self, theory: &mut dyn Theory) -> Next {
        while let Some(&lit) = self.query.assumptions().get(self.trail.depth() as usize) {
            if self.trail.is_false(lit) {
                return Next::Failed(lit);
            }
            // The assumption gets its own level even if it is already true, because level i belongs to
            // assumption i.
            let open = self.trail.is_open(lit);
            self.descend(open.then_some(lit), theory);
            if open {
                return Next::Decided;
            }
        }
        let Some(lit) = self.choose(theory) else { return Next::Complete };
        self.stats.decisions += 1;
        self.descend(Some(lit), theory);
        Next::Decided
    }

    fn choose(&mut self, theory: &mut dyn Theory) -> Option<Lit> {
        self.order.leave_to_theory();
        if self.trail.listens()
            && let Some(lit) = self.hook.preferred(&self.trail)
        {
            return Some(lit);
        }
        let wish = theory.decide(&Ctx { view: &self.trail, queue: self.hook.queue() });
        if let Some(lit) = wish.filter(|&lit| self.trail.is_open(lit)) {
            self.stats.theory_decisions += 1;
            return Some(lit);
        }
        self.order.decide(&self.trail)
    }

    fn descend(&mut self, decision: Option<Lit>, theory: &mut dyn Theory) {
        debug_assert!(decision.is_none_or(|lit| self.trail.is_open(lit)));
        self.trail.push_level(decision);
        theory.push_level();
        self.stats.deepest = self.stats.deepest.max(u64::from(self.trail.depth()));
        if let Some(lit) = decision {
            self.trail.assign(lit, self.trail.depth(), Reason::None);
        }
    }
}
