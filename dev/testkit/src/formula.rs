//! Evaluation of formulas about markings, node by node, and random formulas.

use crate::{Count, Random};
use model::{Formula, FormulaBuilder, Node, NodeId, PlaceId};
use num_bigint::BigInt;
use proptest::collection::vec;
use proptest::prelude::*;

/// True if the marking satisfies the formula.
///
/// # Panics
///
/// If the formula contains a place that the marking does not have.
pub fn holds<N: Count>(formula: &Formula, marking: &[N]) -> bool {
    let mut values: Vec<bool> = Vec::new();
    for node in formula.nodes() {
        values.push(match node {
            Node::All(parts) => parts.iter().all(|p| values[p.index()]),
            Node::Any(parts) => parts.iter().any(|p| values[p.index()]),
            Node::AtLeast(sum) => N::reaches(marking, &sum.terms, &sum.at_least),
        });
    }
    *values.last().expect("a formula has a root")
}

/// The parts of a random formula: inequalities, and how they are joined.
#[derive(Clone, Debug)]
pub struct Recipe {
    sums: Vec<(Vec<(usize, i32)>, i32)>,
    joins: Vec<bool>,
    all: bool,
}

impl Recipe {
    /// Returns the formula for a system with `places` places. Its nodes may have several parents.
    #[must_use]
    pub fn over(&self, places: usize) -> Formula {
        let mut builder = FormulaBuilder::default();
        let mut nodes: Vec<NodeId> = Vec::new();
        for (terms, least) in &self.sums {
            let terms = terms.iter().map(|(p, c)| (PlaceId::new(p % places), BigInt::from(*c)));
            nodes.push(builder.at_least(terms, BigInt::from(*least)));
        }
        for all in &self.joins {
            let parts = vec![nodes[nodes.len() - 1], nodes[nodes.len() / 2], nodes[0]];
            nodes.push(join(&mut builder, *all, parts));
        }
        let root = join(&mut builder, self.all, nodes);
        builder.finish(root)
    }
}

fn join(builder: &mut FormulaBuilder, all: bool, parts: Vec<NodeId>) -> NodeId {
    if all { builder.all(parts) } else { builder.any(parts) }
}

/// A strategy for formulas. With `upward` set they have no negative weight.
pub fn formulas(upward: bool) -> impl Strategy<Value = Recipe> {
    let weight = if upward { 1..3 } else { -2..3 };
    let sums = vec((vec((0usize..8, weight), 1..3), -1i32..5), 1..4);
    (sums, vec(any::<bool>(), 0..4), any::<bool>()).prop_map(|(sums, joins, all)| Recipe { sums, joins, all })
}

/// A strategy for formulas with and without negative weights.
pub fn any_formulas() -> impl Strategy<Value = Recipe> {
    prop_oneof![2 => formulas(true), 1 => formulas(false)]
}

/// Returns a random formula over `places` places: two layers over inequalities with at most three terms each.
pub fn random(random: &mut Random, places: usize) -> Formula {
    let mut builder = FormulaBuilder::default();
    let mut parts = Vec::new();
    for _ in 0..random.between(1, 3) {
        let terms: Vec<(PlaceId, BigInt)> = (0..random.between(1, 3))
            .map(|_| (PlaceId::new(random.below(places)), BigInt::from(*random.pick(&[1, 1, 2, -1, -2]))))
            .collect();
        parts.push(builder.at_least(terms, BigInt::from(random.between(0, 5)) - 2));
    }
    let first = parts.pop().expect("there is one");
    let rest = join(&mut builder, !random.chance(50), parts);
    let root = join(&mut builder, !random.chance(50), vec![first, rest]);
    builder.finish(root)
}
