//! What formulas over places, the letters of other formulas, say about single markings.

use model::{Ctl, CtlNode, Formula, FormulaBuilder, PlaceId};
use num_bigint::BigInt;

/// Returns true if the formula holds in the marking.
pub(crate) fn holds(formula: &Formula, marking: &[u32]) -> bool {
    let mut values: Vec<bool> = Vec::with_capacity(formula.nodes().len());
    for node in formula.nodes() {
        values.push(match node {
            model::Node::All(parts) => parts.iter().all(|p| values[p.index()]),
            model::Node::Any(parts) => parts.iter().any(|p| values[p.index()]),
            model::Node::AtLeast(sum) => {
                let value = |(p, c): &(PlaceId, BigInt)| c * BigInt::from(marking[p.index()]);
                sum.terms.iter().map(value).sum::<BigInt>() >= sum.at_least
            }
        });
    }
    values.last().copied().unwrap_or(true)
}

/// Returns the formula that holds in the other markings.
pub(crate) fn negated(formula: &Formula) -> Formula {
    let mut builder = FormulaBuilder::default();
    let copy = builder.copy(formula);
    let root = builder.negate(copy);
    builder.finish(root)
}

pub(crate) fn is_temporal(node: &CtlNode) -> bool {
    matches!(node, CtlNode::ExistsNext(_) | CtlNode::ExistsUntil(..) | CtlNode::AllUntil(..))
}

/// Returns for each subformula whether it is inside a temporal operator.
pub(crate) fn inside(formula: &Ctl) -> Vec<bool> {
    let mut inside = vec![false; formula.nodes().len()];
    for (i, node) in formula.nodes().iter().enumerate().rev() {
        let is_below = inside[i] || is_temporal(node);
        node.operands().for_each(|a| inside[a.index()] |= is_below);
    }
    inside
}
