//! Goals, compiled for the markings that a certificate lists. The test is whether a formula may hold in some
//! marking that a listed marking stands for, that is, in a marking that agrees with it on the kept places.
//!
//! Each inequality is evaluated with the best value of each place. A kept place with a positive weight holds at
//! most the listed tokens. A kept place with a negative weight is exact, so it holds exactly the listed tokens.
//! A place that is not kept holds any number of tokens if it is potentially marked, and none otherwise.
//!
//! 1. If the test says no, the formula holds in no such marking. Proof: formulas are positive combinations of
//!    inequalities, so a formula that holds in such a marking also holds with each inequality at its best
//!    value.

use super::formula::{Ceiling, may_hold, size};
use super::shape::{At, SlotLayout};
use crate::Check;
use crate::work::Work;
use model::{Formula, Linear, Node};
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};

/// The inputs of compiling.
#[derive(Debug)]
pub(super) struct Source<'a> {
    pub(super) shape: &'a SlotLayout<'a>,
    pub(super) potentially_marked: &'a [bool],
    /// For each slot: its greatest listed value.
    pub(super) greatest: &'a [u32],
    /// For each literal: the number of listed markings in which its place is marked.
    pub(super) marked: &'a [u64],
}

/// The formulas that are not excluded by the greatest listed values alone.
#[derive(Debug)]
pub(super) struct Goals {
    formulas: Vec<(u64, Vec<FormulaNode>)>,
    values: Vec<bool>,
}

#[derive(Debug)]
enum FormulaNode {
    All(Vec<u32>),
    Any(Vec<u32>),
    /// An inequality that can hold whatever the listed marking is.
    Possible,
    Sum(Vec<(At, i128)>, i128),
    Exact(Vec<(At, BigInt)>, BigInt),
}

impl Goals {
    pub(super) fn new(source: &Source<'_>, formulas: &[&Formula], work: &mut Work<'_>) -> Check<Self> {
        let mut goals = Self { formulas: Vec::new(), values: Vec::new() };
        for formula in formulas {
            work.spend(2 * size(formula))?;
            let ceiling = |place| match source.shape.at(place) {
                Some(At::Tokens { slot }) => Ceiling::AtMost(source.greatest[slot as usize]),
                Some(at) => Ceiling::AtMost(u32::from(source.marked[source.shape.literal(at)] > 0)),
                None if source.potentially_marked[place.index()] => Ceiling::Unbounded,
                None => Ceiling::AtMost(0),
            };
            if may_hold(formula, ceiling) {
                let indices = |parts: &[model::NodeId]| parts.iter().map(|p| p.index() as u32).collect();
                let parts = formula.nodes().iter().map(|node| match node {
                    Node::All(parts) => FormulaNode::All(indices(parts)),
                    Node::Any(parts) => FormulaNode::Any(indices(parts)),
                    Node::AtLeast(sum) => compiled(source, sum),
                });
                goals.formulas.push((size(formula), parts.collect()));
            }
        }
        Ok(goals)
    }

    /// Returns true if a goal may hold in a marking that the listed marking `state` stands for.
    pub(super) fn may_hold(&mut self, state: &[u32], work: &mut Work<'_>) -> Check<bool> {
        for (size, parts) in &self.formulas {
            work.spend(*size)?;
            self.values.clear();
            for part in parts {
                let value = match part {
                    FormulaNode::All(parts) => parts.iter().all(|&p| self.values[p as usize]),
                    FormulaNode::Any(parts) => parts.iter().any(|&p| self.values[p as usize]),
                    FormulaNode::Possible => true,
                    FormulaNode::Sum(terms, at_least) => {
                        terms.iter().map(|(at, c)| c * i128::from(at.tokens(state))).sum::<i128>() >= *at_least
                    }
                    FormulaNode::Exact(terms, at_least) => {
                        terms.iter().map(|(at, c)| c * at.tokens(state)).sum::<BigInt>() >= *at_least
                    }
                };
                self.values.push(value);
            }
            debug_assert_eq!(self.values.len(), parts.len(), "each part has its value");
            if self.values.last().copied().unwrap_or(true) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn compiled(source: &Source<'_>, sum: &Linear) -> FormulaNode {
    let mut terms = Vec::with_capacity(sum.terms.len());
    for (place, weight) in &sum.terms {
        match source.shape.at(*place) {
            Some(at) => terms.push((at, weight.clone())),
            None if source.potentially_marked[place.index()] && weight.is_positive() => return FormulaNode::Possible,
            // The sum is greatest if this place is empty.
            None => {}
        }
    }
    // Weights are below 2^60; tokens and the number of terms are below 2^32. So no sum overflows 128 bits.
    let small = |n: &BigInt, bits: u32| n.to_i128().filter(|n| n.unsigned_abs() >> bits == 0);
    let weights: Option<Vec<(At, i128)>> = terms.iter().map(|(at, c)| Some((*at, small(c, 60)?))).collect();
    match (weights, small(&sum.at_least, 120)) {
        (Some(weights), Some(at_least)) => FormulaNode::Sum(weights, at_least),
        _ => FormulaNode::Exact(terms, sum.at_least.clone()),
    }
}
