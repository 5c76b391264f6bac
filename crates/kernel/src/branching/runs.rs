//! Formulas about whole runs, on the listed markings of a formula of computation tree logic.

use super::listed::on_listed;
use crate::Check;
use crate::closed::Whole;
use crate::net::MarkingPositions;
use crate::temporal;
use crate::work::Work;
use model::{Goal, Ltl, LtlNode, Markings, Problem};

/// Checks that no maximal run violates the formulas of some goals, which are about whole runs. Each comes with a
/// formula that has the same truth at all positions of runs. Its letters are formulas of the problem.
///
/// # Errors
/// If the listed markings do not show this, or if a resource limit is exceeded.
pub fn check_runs(
    problem: &Problem,
    formulas: &[(Goal, Ltl)],
    markings: Option<&Markings>,
    work: &mut Work<'_>,
) -> Check<Whole> {
    let is_true = |formula: &Ltl| formula.node(formula.root()) == LtlNode::Constant(true);
    let open: Vec<_> = formulas.iter().filter(|(_, formula)| !is_true(formula)).collect();
    if open.is_empty() {
        return Ok(Whole { states: 0, hash: 0 });
    }
    on_listed(problem, markings, work, |listing, _, (set, markings), work| {
        let mut positions = MarkingPositions::new(problem, listing, &markings.potentially_marked);
        for (goal, formula) in open {
            formula.letters().try_for_each(|letter| positions.prepare_letter(letter, work))?;
            temporal::check(problem, &mut positions, set, (*goal, formula), work)?;
        }
        Ok(())
    })
}
