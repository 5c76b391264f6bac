//! Formulas, evaluated exactly on a marking, or for all markings below a ceiling at once.

use crate::{Check, reject};
use model::{Formula, Goal, Linear, Node, PlaceId, Problem};
use num_bigint::{BigInt, BigUint};
use num_traits::Signed;

/// Does the formula speak only of places below `places`?
#[must_use]
pub fn knows_places(formula: &Formula, places: usize) -> bool {
    let knows = |sum: &Linear| sum.terms.iter().all(|(p, _)| p.index() < places);
    formula.nodes().iter().all(|node| !matches!(node, Node::AtLeast(sum) if !knows(sum)))
}

/// The formula of this goal, which speaks of places below `places`.
///
/// # Errors
/// If there is none, or it speaks of others.
pub fn asked(problem: &Problem, goal: Goal, places: usize) -> Check<&Formula> {
    let Goal::Formula(id) = goal else { return reject(format!("the goal `{goal}` is no formula")) };
    match problem.formulas().get(id.index()) {
        Some(formula) if knows_places(formula, places) => Ok(formula),
        Some(_) => reject(format!("the {goal} speaks of places that the system does not have")),
        None => reject(format!("there is no {goal}")),
    }
}

/// Work units for one evaluation.
#[must_use]
pub fn size(formula: &Formula) -> u64 {
    let node = |n: &Node| match n {
        Node::All(parts) | Node::Any(parts) => 1 + parts.len() as u64,
        Node::AtLeast(sum) => 1 + sum.terms.len() as u64,
    };
    formula.nodes().iter().map(node).sum()
}

/// Does it hold in this marking?
#[must_use]
pub fn holds(formula: &Formula, marking: &[BigUint]) -> bool {
    evaluate(formula, |sum| {
        let value: BigInt = sum.terms.iter().map(|(p, c)| c * BigInt::from(marking[p.index()].clone())).sum();
        value >= sum.at_least
    })
}

/// The most tokens a place may hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ceiling {
    /// So many.
    AtMost(u32),
    /// Any number.
    Unbounded,
}

/// May it hold in some marking with at most these tokens? False only if it does not.
///
/// Inequalities are maximised one by one: positive weights with the ceiling, negative ones with no token. Formulas are
/// positive combinations of them, so what holds in some such marking holds with all inequalities at their best.
pub fn may_hold(formula: &Formula, ceiling: impl Fn(PlaceId) -> Ceiling) -> bool {
    evaluate(formula, |sum| {
        let mut most = BigInt::ZERO;
        for (place, weight) in sum.terms.iter().filter(|(_, c)| c.is_positive()) {
            match ceiling(*place) {
                Ceiling::AtMost(tokens) => most += weight * tokens,
                Ceiling::Unbounded => return true,
            }
        }
        most >= sum.at_least
    })
}

fn evaluate(formula: &Formula, mut atom: impl FnMut(&Linear) -> bool) -> bool {
    let mut values: Vec<bool> = Vec::with_capacity(formula.nodes().len());
    for node in formula.nodes() {
        values.push(match node {
            Node::All(parts) => parts.iter().all(|p| values[p.index()]),
            Node::Any(parts) => parts.iter().any(|p| values[p.index()]),
            Node::AtLeast(sum) => atom(sum),
        });
    }
    debug_assert_eq!(values.len(), formula.nodes().len(), "each node has its value");
    values.last().copied().unwrap_or(true)
}
