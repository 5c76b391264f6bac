//! What evidence about a formula of computation tree logic says of its subformulas, to explain why a formula holds or
//! fails. No verdict depends on this file. The evidence is one that the check has accepted.

use crate::composed::everywhere;
use kernel::branching::Truths;
use kernel::work::Work;
use model::{BranchingEvidence, Claim, Ctl, Formula, FormulaId, Goal, Problem, Stop};
use std::collections::{HashMap, HashSet};

/// Work units that the evaluation may take.
const WORK: u64 = 20_000_000;

/// Letters with the same truth in all reachable markings.
pub type Constants = HashMap<FormulaId, bool>;

/// Returns the letters of a formula of which the parts of the evidence show that they are constant.
#[must_use]
pub fn constants(problem: &Problem, formula: &Ctl, evidence: &BranchingEvidence) -> Constants {
    let never = never(problem, evidence);
    let of = |id: FormulaId| Some((id, everywhere(&never, problem.formula(Goal::Formula(id))?)?));
    formula.letters().filter_map(of).collect()
}

/// Evaluates the subformulas of a formula of the problem on the listed markings. `None` if none are listed, or too
/// many. The evidence is not checked again.
#[must_use]
pub fn truths(
    problem: &Problem,
    formula: &Ctl,
    evidence: &BranchingEvidence,
    constants: &Constants,
    stop: &Stop,
) -> Option<Truths> {
    let markings = evidence.markings.as_deref()?;
    let constant = |id: FormulaId| constants.get(&id).copied();
    Truths::of(problem, formula, &constant, (markings, &evidence.siphons), &mut Work::new(WORK, stop)).ok()
}

/// Returns the formulas that no reachable marking satisfies, by the parts of the evidence.
fn never(problem: &Problem, evidence: &BranchingEvidence) -> HashSet<Formula> {
    let (own, parts) = (problem.formulas(), &evidence.never);
    let formula = |goal: &Goal| match goal {
        Goal::Formula(id) => {
            let added = || parts.formulas.get(id.index() - own.len());
            Some(Formula::clone(own.get(id.index()).or_else(added)?))
        }
        _ => None,
    };
    let safe = parts.claims.iter().filter(|claim| matches!(***claim, Claim::Safe { .. }));
    safe.flat_map(|claim| claim.goals()).filter_map(formula).collect()
}
