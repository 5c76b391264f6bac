//! Formulas, evaluated exactly on a marking, or for all markings below a ceiling at once.

use model::{Formula, FormulaBuilder, Linear, Node, NodeId, PlaceId};
use num_bigint::{BigInt, BigUint};
use num_traits::Signed;

/// Does the formula speak only of places below `places`?
pub(crate) fn knows_places(formula: &Formula, places: usize) -> bool {
    let knows = |sum: &Linear| sum.terms.iter().all(|(p, _)| p.index() < places);
    formula.nodes().iter().all(|node| !matches!(node, Node::AtLeast(sum) if !knows(sum)))
}

/// The formula where places that are not markable are empty, without the parts that this decides: it holds in the same markings
/// of those.
pub(crate) fn where_empty(formula: &Formula, markable: &[bool]) -> Formula {
    let mut builder = FormulaBuilder::default();
    let mut rest: Vec<Result<NodeId, bool>> = Vec::with_capacity(formula.nodes().len());
    for node in formula.nodes() {
        rest.push(match node {
            Node::All(parts) => undecided(parts, &rest, false).map(|parts| builder.all(parts)),
            Node::Any(parts) => undecided(parts, &rest, true).map(|parts| builder.any(parts)),
            Node::AtLeast(sum) => {
                let terms = sum.terms.iter().filter(|(p, _)| markable[p.index()]).cloned();
                Linear::new(terms, sum.at_least.clone()).map(|sum| builder.linear(sum))
            }
        });
    }
    let root = match rest.last().copied().unwrap_or(Err(true)) {
        Ok(root) => root,
        Err(true) => builder.all(Vec::new()),
        Err(false) => builder.any(Vec::new()),
    };
    builder.finish(root)
}

/// The parts that are still open, unless a part of value `decisive` decides, or all are decided otherwise.
fn undecided(parts: &[NodeId], rest: &[Result<NodeId, bool>], decisive: bool) -> Result<Vec<NodeId>, bool> {
    let mut open = Vec::new();
    for part in parts {
        match rest[part.index()] {
            Ok(node) => open.push(node),
            Err(value) if value == decisive => return Err(decisive),
            Err(_) => {}
        }
    }
    if open.is_empty() { Err(!decisive) } else { Ok(open) }
}

/// Work units for one evaluation.
pub(crate) fn size(formula: &Formula) -> u64 {
    let node = |n: &Node| match n {
        Node::All(parts) | Node::Any(parts) => 1 + parts.len() as u64,
        Node::AtLeast(sum) => 1 + sum.terms.len() as u64,
    };
    formula.nodes().iter().map(node).sum()
}

/// Does it hold in this marking?
pub(crate) fn holds(formula: &Formula, marking: &[BigUint]) -> bool {
    evaluate(formula, |sum| {
        let value: BigInt = sum.terms.iter().map(|(p, c)| c * BigInt::from(marking[p.index()].clone())).sum();
        value >= sum.at_least
    })
}

/// The most tokens a place may hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ceiling {
    AtMost(u32),
    Unbounded,
}

/// May it hold in some marking with at most these tokens? False only if it does not.
///
/// Inequalities are maximised one by one: positive weights with the ceiling, negative ones with no token. Formulas are
/// positive combinations of them, so what holds in some such marking holds with all inequalities at their best.
pub(crate) fn may_hold(formula: &Formula, ceiling: impl Fn(PlaceId) -> Ceiling) -> bool {
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
    values.last().copied().unwrap_or(true)
}
