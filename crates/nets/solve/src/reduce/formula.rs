//! Simplifies formulas given the potentially marked places: atoms that cannot hold, or cannot fail, are removed
//! with everything that depends on them, and so are places that only those atoms mention.
//!
//! A formula that simplifies to false is never satisfied. The checker repeats this test for
//! `Certificate::PotentiallyMarked`.

use model::{Formula, FormulaBuilder, Linear, Node, NodeId, PlaceId};
use num_bigint::BigInt;
use num_traits::Signed;

/// The simplification of a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rest {
    Always,
    Never,
    Node(NodeId),
}

/// A simplified formula, with the origins of its nodes.
pub(crate) struct Simplified {
    pub(crate) formula: Formula,
    /// For each node: the node of the original formula that implies it if places that are not potentially
    /// marked are empty.
    pub(crate) origins: Vec<NodeId>,
}

/// Simplifies `formula`, given that places that are not `potentially_marked` are empty. Returns `None` if no
/// such marking can satisfy it.
pub(crate) fn simplify(formula: &Formula, potentially_marked: &[bool]) -> Option<Simplified> {
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
            Node::AtLeast(sum) => atom(sum, potentially_marked, &mut builder),
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
        // A node with one remaining part becomes that part, which then has two origins. The first of them is
        // the part's own origin.
        if let Some(Some(name)) = names.get(new.index()) {
            by_node[name.index()].get_or_insert(old);
        }
    }
    let origins = by_node.into_iter().map(|old| old.expect("every node comes from one")).collect();
    Some(Simplified { formula, origins })
}

/// Returns the inequalities that cannot hold if places that are not `potentially_marked` are empty.
pub(crate) fn impossible(formula: &Formula, potentially_marked: &[bool]) -> Vec<NodeId> {
    let never = |node: &Node| match node {
        Node::AtLeast(sum) => {
            let can = |(p, c): &(PlaceId, BigInt)| potentially_marked[p.index()] && c.is_positive();
            sum.at_least.is_positive() && !sum.terms.iter().any(can)
        }
        Node::All(_) | Node::Any(_) => false,
    };
    formula.ids().zip(formula.nodes()).filter(|(_, node)| never(node)).map(|(id, _)| id).collect()
}

/// Returns the parts that are still open. Otherwise the error is the value of the node: `decides` if one part has
/// this value, `void` if no part is open.
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

fn atom(sum: &Linear, potentially_marked: &[bool], builder: &mut FormulaBuilder) -> Rest {
    let terms: Vec<(PlaceId, BigInt)> =
        sum.terms.iter().filter(|(p, _)| potentially_marked[p.index()]).cloned().collect();
    let wants = sum.at_least.is_positive();
    if wants && !terms.iter().any(|(_, c)| c.is_positive()) {
        Rest::Never
    } else if !wants && !terms.iter().any(|(_, c)| c.is_negative()) {
        Rest::Always
    } else {
        Rest::Node(builder.at_least(terms, sum.at_least.clone()))
    }
}

/// Returns the formula that no marking satisfies.
pub(crate) fn never() -> Formula {
    let mut builder = FormulaBuilder::default();
    let root = builder.any(Vec::new());
    builder.finish(root)
}

/// Returns all places that `formula` mentions, with their weights.
pub(crate) fn terms(formula: &Formula) -> impl Iterator<Item = &(PlaceId, BigInt)> {
    formula.nodes().iter().filter_map(|n| if let Node::AtLeast(sum) = n { Some(&sum.terms) } else { None }).flatten()
}

/// Returns `formula` with its places renamed.
pub(crate) fn rename(formula: &Formula, name: impl Fn(PlaceId) -> PlaceId) -> Formula {
    let mut builder = FormulaBuilder::default();
    let root = rebuild(formula, name, &mut builder);
    builder.finish(root)
}

/// Returns the conjunction of `formula` and "none of `places` holds a token". Its nodes are those of `formula`,
/// then the inequality over the places, then the conjunction.
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
