//! Parts of questions: formulas over places that are added to a problem, and goals about them.

use model::{Claim, Formula, FormulaId, Goal, Parts, Problem};
use std::collections::HashMap;
use std::sync::Arc;

/// With more goals of parts than this, a problem gets no parts for formulas with temporal operators inside others.
const MOST_PARTS: usize = 20_000;

/// The formulas of parts, each with its goal.
pub(crate) struct Formulas {
    /// Number of formulas of the problem.
    own: usize,
    added: Vec<Arc<Formula>>,
    goals: HashMap<Formula, Goal>,
}

impl Formulas {
    /// Adds formulas after those of the problem. Goals of the problem about the same formulas are not used.
    pub(crate) fn after(problem: &Problem) -> Self {
        Self { own: problem.formulas().len(), added: Vec::new(), goals: HashMap::new() }
    }

    /// Adds formulas after those of the problem, apart from formulas that it has a goal about.
    pub(crate) fn beside(problem: &Problem) -> Self {
        let goal = |goal| Some((Formula::clone(problem.formula(goal)?), goal));
        Self { goals: problem.goals().filter_map(goal).collect(), ..Self::after(problem) }
    }

    /// Returns the goal of a formula, which is added if it is new.
    pub(crate) fn goal(&mut self, formula: Formula) -> Goal {
        let next = Goal::Formula(FormulaId::new(self.own + self.added.len()));
        let goal = *self.goals.entry(formula.clone()).or_insert(next);
        if goal == next {
            self.added.push(Arc::new(formula));
        }
        goal
    }

    /// Returns how many formulas may still be added.
    pub(crate) fn left(&self) -> usize {
        MOST_PARTS.saturating_sub(self.added.len())
    }

    /// Returns the formulas that were added.
    pub(crate) fn into_added(self) -> Vec<Arc<Formula>> {
        self.added
    }
}

/// Returns these claims about parts, each once, with the formulas of all parts if there are claims.
pub(crate) fn parts_of<'c>(claims: impl Iterator<Item = &'c Arc<Claim>>, formulas: &[Arc<Formula>]) -> Parts {
    let mut parts = Parts { formulas: Vec::new(), claims: Vec::new() };
    for claim in claims {
        if !parts.claims.iter().any(|known| Arc::ptr_eq(known, claim)) {
            parts.claims.push(Arc::clone(claim));
        }
    }
    if !parts.claims.is_empty() {
        parts.formulas = formulas.to_vec();
    }
    parts
}
