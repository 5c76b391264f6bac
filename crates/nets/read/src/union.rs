//! Goals in the form that most formats for nets support: unions of conjunctions, each with bounds on some
//! places.

use model::{Formula, Linear, Node, NodeId, PlaceId, Range};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Signed};
use std::collections::HashMap;

/// The largest number of visits of nodes. A node with several uses in a formula is visited once for each use.
const WORK: usize = 1 << 24;

/// A place of a conjunction, and the range of its tokens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Bounds {
    pub(crate) place: PlaceId,
    pub(crate) range: Range,
}

/// Splits `formula` into conjunctions. The union of the conjunctions is `formula`, and their places are in the
/// order of the formula. An empty conjunction always holds. Conjunctions that never hold are left out.
///
/// # Errors
/// A description of the feature of the formula that prevents such a split.
pub(crate) fn union(formula: &Formula) -> Result<Vec<Vec<Bounds>>, &'static str> {
    let nodes = formula.nodes();
    let mut conjunctions = Vec::new();
    let mut work = WORK;
    for alternative in flattened(nodes, formula.root(), true, &mut work)? {
        let atoms = flattened(nodes, alternative, false, &mut work)?;
        if let Some(conjunction) = conjunction(&atoms)? {
            conjunctions.push(conjunction);
        }
    }
    if conjunctions.is_empty() { Err("a goal that never holds") } else { Ok(conjunctions) }
}

/// Replaces disjunctions (if `any`) or conjunctions by their parts, in order, until none is left.
fn flattened<'f>(
    nodes: &'f [Node],
    root: &'f Node,
    any: bool,
    work: &mut usize,
) -> Result<Vec<&'f Node>, &'static str> {
    let (mut open, mut flat) = (vec![root], Vec::new());
    while let Some(node) = open.pop() {
        *work = work.checked_sub(1).ok_or("a goal of this size")?;
        let parts: Option<&[NodeId]> = match node {
            Node::Any(parts) if any => Some(parts),
            Node::All(parts) if !any => Some(parts),
            _ => None,
        };
        match parts {
            Some(parts) => open.extend(parts.iter().rev().map(|p| &nodes[p.index()])),
            None => flat.push(node),
        }
    }
    Ok(flat)
}

/// Combines atoms to bounds on single places. Returns `None` if they contradict each other.
fn conjunction(atoms: &[&Node]) -> Result<Option<Vec<Bounds>>, &'static str> {
    let mut list: Vec<Bounds> = Vec::new();
    let mut index: HashMap<PlaceId, usize> = HashMap::new();
    for atom in atoms {
        let sum = match atom {
            Node::AtLeast(sum) => sum,
            // An empty disjunction is false, and so is the conjunction.
            Node::Any(parts) if parts.is_empty() => return Ok(None),
            Node::Any(_) | Node::All(_) => return Err("a goal that is not a union of conjunctions"),
        };
        let (place, range) = bound(sum)?;
        let at = *index.entry(place).or_insert(list.len());
        match list.get_mut(at) {
            Some(bounds) => intersect(&mut bounds.range, range),
            None => list.push(Bounds { place, range }),
        }
    }
    let possible = |b: &Bounds| b.range.at_most.as_ref().is_none_or(|most| *most >= b.range.at_least);
    Ok(list.iter().all(possible).then_some(list))
}

fn bound(sum: &Linear) -> Result<(PlaceId, Range), &'static str> {
    let [(place, weight)] = sum.terms.as_slice() else { return Err("a sum of places in a goal") };
    if !weight.magnitude().is_one() {
        return Err("a weight in a goal");
    }
    // The number cannot be negative here: such bounds became constants when the formula was built.
    let size = |number: &BigInt| number.to_biguint().unwrap_or_default();
    if weight.is_positive() {
        return Ok((*place, Range::from(size(&sum.at_least))));
    }
    Ok((*place, Range { at_least: BigUint::ZERO, at_most: Some(size(&-&sum.at_least)) }))
}

fn intersect(range: &mut Range, other: Range) {
    if other.at_least > range.at_least {
        range.at_least = other.at_least;
    }
    range.at_most = match (range.at_most.take(), other.at_most) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    };
}
