//! Single markings: the steps between them, and what formulas over places say about them. Such formulas are the letters
//! of formulas about branching time.

use model::trace::Move;
use model::{Ctl, CtlNode, Formula, FormulaBuilder, PlaceId, Trace};
use nets::rules::Rules;
use num_bigint::BigInt;

/// Returns the steps of a run, one after the other.
pub(crate) fn steps(trace: &Trace) -> impl Iterator<Item = &Move> {
    trace.runs().iter().flat_map(|run| (0..run.times).flat_map(|_| &run.word))
}

/// Fires a transition, and returns the places that gained tokens. `None` if the transition cannot fire.
pub(crate) fn fire(rules: &Rules, transition: u32, tokens: &mut [u64]) -> Option<Vec<u32>> {
    if transition as usize >= rules.transitions() || !rules.is_enabled(transition, tokens) {
        return None;
    }
    let row = rules.changes.row(transition as usize);
    let after = row.iter().map(|c| Some((c.place, rules.result(*c, tokens)?))).collect::<Option<Vec<_>>>()?;
    let mut more = Vec::new();
    for (place, n) in after {
        if std::mem::replace(&mut tokens[place as usize], n) < n {
            more.push(place);
        }
    }
    Some(more)
}

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
