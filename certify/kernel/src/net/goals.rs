//! Goals, compiled for markings as a certificate lists them: may a formula hold in some marking that a listed one
//! stands for?
//!
//! Inequalities are looked at one by one: a kept place with a positive weight holds at most what is listed, one with a
//! negative weight is exact and holds just that; of places that are not kept, those that can be marked hold anything,
//! the others nothing. Formulas are positive combinations of inequalities, so an answer no is right.

use super::formula::{Ceiling, may_hold, size};
use super::shape::{At, Shape};
use crate::Check;
use crate::work::Work;
use model::{Formula, Linear, Node};
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};

/// What compiling needs to know.
#[derive(Debug)]
pub(super) struct Source<'a> {
    pub(super) shape: &'a Shape<'a>,
    pub(super) markable: &'a [bool],
    /// By slot the greatest listed value.
    pub(super) greatest: &'a [u32],
    /// By literal, how many listed markings mark it.
    pub(super) marked: &'a [u64],
}

/// The formulas that some listed marking might satisfy for all that is known beforehand.
#[derive(Debug)]
pub(super) struct Goals {
    formulas: Vec<(u64, Vec<Part>)>,
    values: Vec<bool>,
}

#[derive(Debug)]
enum Part {
    All(Vec<u32>),
    Any(Vec<u32>),
    /// It can hold whatever the listed marking is.
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
                None if source.markable[place.index()] => Ceiling::Unbounded,
                None => Ceiling::AtMost(0),
            };
            if may_hold(formula, ceiling) {
                let indices = |parts: &[model::NodeId]| parts.iter().map(|p| p.index() as u32).collect();
                let parts = formula.nodes().iter().map(|node| match node {
                    Node::All(parts) => Part::All(indices(parts)),
                    Node::Any(parts) => Part::Any(indices(parts)),
                    Node::AtLeast(sum) => compiled(source, sum),
                });
                goals.formulas.push((size(formula), parts.collect()));
            }
        }
        Ok(goals)
    }

    /// May one of the goals hold in a marking that this listed one stands for?
    pub(super) fn may_hold(&mut self, state: &[u32], work: &mut Work<'_>) -> Check<bool> {
        for (size, parts) in &self.formulas {
            work.spend(*size)?;
            self.values.clear();
            for part in parts {
                let value = match part {
                    Part::All(parts) => parts.iter().all(|&p| self.values[p as usize]),
                    Part::Any(parts) => parts.iter().any(|&p| self.values[p as usize]),
                    Part::Possible => true,
                    Part::Sum(terms, at_least) => {
                        terms.iter().map(|(at, c)| c * i128::from(at.tokens(state))).sum::<i128>() >= *at_least
                    }
                    Part::Exact(terms, at_least) => {
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

fn compiled(source: &Source<'_>, sum: &Linear) -> Part {
    let mut terms = Vec::with_capacity(sum.terms.len());
    for (place, weight) in &sum.terms {
        match source.shape.at(*place) {
            Some(at) => terms.push((at, weight.clone())),
            None if source.markable[place.index()] && weight.is_positive() => return Part::Possible,
            // The best for a sum is that it holds nothing.
            None => {}
        }
    }
    // Weights below 2^60, tokens and the number of terms below 2^32: no sum of 128 bits overflows.
    let small = |n: &BigInt, bits: u32| n.to_i128().filter(|n| n.unsigned_abs() >> bits == 0);
    let weights: Option<Vec<(At, i128)>> = terms.iter().map(|(at, c)| Some((*at, small(c, 60)?))).collect();
    match (weights, small(&sum.at_least, 120)) {
        (Some(weights), Some(at_least)) => Part::Sum(weights, at_least),
        _ => Part::Exact(terms, sum.at_least.clone()),
    }
}
