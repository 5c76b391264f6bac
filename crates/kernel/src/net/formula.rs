//! Evaluates formulas exactly: in one marking, or for all markings below a ceiling at once.

use crate::{Check, reject};
use model::{Formula, Goal, Linear, Node, PlaceId, Problem};
use num_bigint::{BigInt, BigUint};
use num_traits::Signed;

/// Returns true if the formula refers only to places with an index below `places`.
#[must_use]
pub fn knows_places(formula: &Formula, places: usize) -> bool {
    let knows = |sum: &Linear| sum.terms.iter().all(|(p, _)| p.index() < places);
    formula.nodes().iter().all(|node| !matches!(node, Node::AtLeast(sum) if !knows(sum)))
}

/// Returns the formula of this goal. Checks that it refers only to places with an index below `places`.
///
/// # Errors
/// If the goal is no formula of the problem, or the formula refers to another place.
pub fn asked(problem: &Problem, goal: Goal, places: usize) -> Check<&Formula> {
    let Goal::Formula(id) = goal else { return reject(format!("the goal `{goal}` is not a formula")) };
    match problem.formulas().get(id.index()) {
        Some(formula) if knows_places(formula, places) => Ok(formula),
        Some(_) => reject(format!("the {goal} names places that the system does not have")),
        None => reject(format!("there is no {goal}")),
    }
}

/// Returns the work units of one evaluation.
#[must_use]
pub fn size(formula: &Formula) -> u64 {
    let node = |n: &Node| match n {
        Node::All(parts) | Node::Any(parts) => 1 + parts.len() as u64,
        Node::AtLeast(sum) => 1 + sum.terms.len() as u64,
    };
    formula.nodes().iter().map(node).sum()
}

/// Returns true if the formula holds in this marking.
#[must_use]
pub fn holds(formula: &Formula, marking: &[BigUint]) -> bool {
    evaluate(formula, |sum| {
        let value: BigInt = sum.terms.iter().map(|(p, c)| c * BigInt::from(marking[p.index()].clone())).sum();
        value >= sum.at_least
    })
}

/// The greatest number of tokens that a place may hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ceiling {
    /// This number of tokens.
    AtMost(u32),
    /// Any number.
    Unbounded,
}

/// Returns true if the formula may hold in some marking below the ceiling. If the result is false, the formula
/// holds in no such marking.
///
/// Each inequality is maximised alone: places with positive weights hold their ceiling, places with negative
/// weights hold no token. Formulas are positive combinations of inequalities. So a formula that holds in some
/// marking below the ceiling also holds with all inequalities at their maximum.
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

/// Formulas with at most this many nodes are evaluated without an allocation.
const SMALL: usize = 64;

/// Returns the truth of the formula if this is the truth of its inequalities.
pub fn evaluate(formula: &Formula, mut atom: impl FnMut(&Linear) -> bool) -> bool {
    let nodes = formula.nodes();
    let (mut small, mut large) = ([false; SMALL], Vec::new());
    let values: &mut [bool] = if nodes.len() <= SMALL {
        &mut small[..nodes.len()]
    } else {
        large.resize(nodes.len(), false);
        &mut large
    };
    for (number, node) in nodes.iter().enumerate() {
        values[number] = match node {
            Node::All(parts) => parts.iter().all(|p| values[p.index()]),
            Node::Any(parts) => parts.iter().any(|p| values[p.index()]),
            Node::AtLeast(sum) => atom(sum),
        };
    }
    values.last().copied().unwrap_or(true)
}
