//! What to try next: assumptions, then what the theory prefers, then what it decides, then the most active variable.

use crate::lit::Lit;
use crate::solver::Solver;
use crate::theory::{Ctx, Theory};

/// The next step down.
pub(crate) enum Next {
    Decided,
    /// An assumption that is false already.
    Failed(Lit),
    /// Nothing is left to decide.
    Complete,
}

impl Solver {
    pub(crate) fn decide(&mut self, theory: &mut dyn Theory) -> Next {
        while let Some(&lit) = self.assumptions.get(self.trail.depth() as usize) {
            if self.trail.is_false(lit) {
                return Next::Failed(lit);
            }
            // A level of its own even if it is true already: level i belongs to assumption i.
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
        self.heap_decided_last = false;
        while let Some(lit) = self.preferred.pop() {
            if self.trail.is_open(lit) {
                return Some(lit);
            }
        }
        let wish = theory.decide(&Ctx { view: &self.trail, queue: &mut self.queue });
        if let Some(lit) = wish.filter(|&lit| self.trail.is_open(lit)) {
            self.stats.theory_decisions += 1;
            return Some(lit);
        }
        self.heap_decided_last = true;
        loop {
            let var = self.heap.pop()?;
            if self.trail.is_open(var.positive()) {
                return Some(self.phases.literal(var));
            }
        }
    }

    fn descend(&mut self, decision: Option<Lit>, theory: &mut dyn Theory) {
        self.trail.push_level(decision);
        theory.push_level();
        self.stats.deepest = self.stats.deepest.max(u64::from(self.trail.depth()));
        if let Some(lit) = decision {
            self.trail.assign(lit, self.trail.depth(), crate::trail::Reason::None);
        }
    }
}
