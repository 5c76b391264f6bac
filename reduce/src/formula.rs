//! Formulas in the light of the places that can be marked: atoms that cannot hold, or cannot fail, disappear with all that
//! hangs on them, and so do places that only they name.
//!
//! A formula that simplifies to false is never satisfied; the checker repeats this test for `Certificate::Markable`.

use model::{Formula, FormulaBuilder, Linear, Node, NodeId, PlaceId};
use num_bigint::BigInt;
use num_traits::Signed;

/// What is left of a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rest {
    Always,
    Never,
    Node(NodeId),
}

/// A formula with parts left out, and where the others come from.
pub(crate) struct Simplified {
    pub(crate) formula: Formula,
    /// By node: the node of the formula before that implies it where places that are not markable are empty.
    pub(crate) origins: Vec<NodeId>,
}

/// `formula` where places that are not `markable` hold nothing; `None` if nothing can satisfy it.
pub(crate) fn simplify(formula: &Formula, markable: &[bool]) -> Option<Simplified> {
    let mut builder = FormulaBuilder::default();
    let mut rest: Vec<Rest> = Vec::with_capacity(formula.nodes().len());
    let mut origins: Vec<(NodeId, NodeId)> = Vec::new();
    for (old, node) in formula.ids().zip(formula.nodes()) {
        let new = match node {
            Node::All(parts) => match remaining(parts, &rest, Rest::Never, Rest::Always) {
                Ok(parts) => Rest::Node(builder.all(parts)),
                Err(decided) => decided,
            },
            Node::Any(parts) => match remaining(parts, &rest, Rest::Always, Rest::Never) {
                Ok(parts) => Rest::Node(builder.any(parts)),
                Err(decided) => decided,
            },
            Node::AtLeast(sum) => atom(sum, markable, &mut builder),
        };
        if let Rest::Node(new) = new {
            origins.push((new, old));
        }
        rest.push(new);
    }
    let root = match rest.last()? {
        Rest::Never => return None,
        Rest::Always => {
            let root = builder.all(Vec::new());
            origins.push((root, formula.ids().last()?));
            root
        }
        Rest::Node(root) => *root,
    };
    let (formula, names) = builder.finish_with(root);
    let mut by_node: Vec<Option<NodeId>> = vec![None; formula.nodes().len()];
    for (new, old) in origins {
        // A node with one part left is that part: of the two it comes from, the first is the part.
        if let Some(Some(name)) = names.get(new.index()) {
            by_node[name.index()].get_or_insert(old);
        }
    }
    let origins = by_node.into_iter().map(|old| old.expect("every node comes from one")).collect();
    Some(Simplified { formula, origins })
}

/// Inequalities that cannot hold where places that are not `markable` are empty.
pub(crate) fn impossible(formula: &Formula, markable: &[bool]) -> Vec<NodeId> {
    let never = |node: &Node| match node {
        Node::AtLeast(sum) => {
            let can = |(p, c): &(PlaceId, BigInt)| markable[p.index()] && c.is_positive();
            sum.at_least.is_positive() && !sum.terms.iter().any(can)
        }
        Node::All(_) | Node::Any(_) => false,
    };
    formula.ids().zip(formula.nodes()).filter(|(_, node)| never(node)).map(|(id, _)| id).collect()
}

/// The parts that are still open, unless one `decides` or all are `void`.
fn remaining(parts: &[NodeId], rest: &[Rest], decides: Rest, void: Rest) -> Result<Vec<NodeId>, Rest> {
    let mut open = Vec::new();
    for part in parts {
        match rest[part.index()] {
            r if r == decides => return Err(decides),
            Rest::Node(node) => open.push(node),
            _ => {}
        }
    }
    if open.is_empty() { Err(void) } else { Ok(open) }
}

fn atom(sum: &Linear, markable: &[bool], builder: &mut FormulaBuilder) -> Rest {
    let terms: Vec<(PlaceId, BigInt)> = sum.terms.iter().filter(|(p, _)| markable[p.index()]).cloned().collect();
    let wants = sum.at_least.is_positive();
    if wants && !terms.iter().any(|(_, c)| c.is_positive()) {
        Rest::Never
    } else if !wants && !terms.iter().any(|(_, c)| c.is_negative()) {
        Rest::Always
    } else {
        Rest::Node(builder.at_least(terms, sum.at_least.clone()))
    }
}

/// The formula that nothing satisfies.
pub(crate) fn never() -> Formula {
    let mut builder = FormulaBuilder::default();
    let root = builder.any(Vec::new());
    builder.finish(root)
}

/// All places that `formula` names, with their weights.
pub(crate) fn terms(formula: &Formula) -> impl Iterator<Item = &(PlaceId, BigInt)> {
    formula.nodes().iter().filter_map(|n| if let Node::AtLeast(sum) = n { Some(&sum.terms) } else { None }).flatten()
}

/// `formula` with its places renamed.
pub(crate) fn rename(formula: &Formula, name: impl Fn(PlaceId) -> PlaceId) -> Formula {
    let mut builder = FormulaBuilder::default();
    let root = rebuild(formula, name, &mut builder);
    builder.finish(root)
}

/// `formula`, and none of `places` holds a token. Its nodes are those of `formula`, then the sum of the places, then both.
pub(crate) fn with_empty(formula: &Formula, places: &[PlaceId]) -> Formula {
    let mut builder = FormulaBuilder::default();
    let root = rebuild(formula, |p| p, &mut builder);
    let empty = builder.at_least(places.iter().map(|p| (*p, BigInt::from(-1))), BigInt::from(0));
    let both = builder.all(vec![root, empty]);
    builder.finish(both)
}

fn rebuild(formula: &Formula, name: impl Fn(PlaceId) -> PlaceId, builder: &mut FormulaBuilder) -> NodeId {
    let mut new: Vec<NodeId> = Vec::with_capacity(formula.nodes().len());
    for node in formula.nodes() {
        let moved = |parts: &[NodeId]| parts.iter().map(|p| new[p.index()]).collect();
        let id = match node {
            Node::All(parts) => builder.all(moved(parts)),
            Node::Any(parts) => builder.any(moved(parts)),
            Node::AtLeast(sum) => {
                builder.at_least(sum.terms.iter().map(|(p, c)| (name(*p), c.clone())), sum.at_least.clone())
            }
        };
        new.push(id);
    }
    *new.last().expect("a formula has a root")
}
