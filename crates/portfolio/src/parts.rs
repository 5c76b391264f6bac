//! Parts of questions: formulas over places that are added to a problem, with goals about them, and claims about the
//! questions that are made of the claims about parts.

use certify::{Confirmed, Refusal};
use model::{Claim, Formula, FormulaId, Goal, Parts, Problem, Stop};
use std::collections::{BTreeMap, HashMap};
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

/// A claim about a question that the checker has confirmed.
pub(crate) type CheckedClaim = (Arc<Claim>, Confirmed);

/// What claims about questions are made of, and how they are checked.
#[derive(Clone, Copy)]
pub(crate) struct Composition<'c> {
    /// The problem without parts.
    pub(crate) problem: &'c Problem,
    /// The formulas of all parts.
    pub(crate) formulas: &'c [Arc<Formula>],
    /// For each part that is unreachable: the claim that says so.
    pub(crate) safe: &'c BTreeMap<Goal, Arc<Claim>>,
    pub(crate) how: &'c certify::Options,
    pub(crate) stop: &'c Stop,
}

impl Composition<'_> {
    /// Returns the claims about these parts.
    pub(crate) fn parts(&self, parts: impl IntoIterator<Item = Goal>) -> Parts {
        parts_of(parts.into_iter().filter_map(|part| self.safe.get(&part)), self.formulas)
    }

    /// Has a claim checked.
    ///
    /// # Errors
    /// If the checker refuses it.
    pub(crate) fn confirm(&self, claim: Claim) -> Result<CheckedClaim, Refusal> {
        let confirmed = certify::confirm(self.problem, &claim, self.how, self.stop)?;
        Ok((Arc::new(claim), confirmed))
    }
}
