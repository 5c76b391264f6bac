//! A goal in machine numbers: does a marking satisfy it, and what does it lack?

use model::{Formula, Node};
use num_traits::ToPrimitive;

/// A formula whose numbers are below 2^31.
#[derive(Debug)]
pub(crate) struct Target {
    /// Children before parents; the last one is the whole.
    pub(crate) nodes: Vec<Part>,
}

#[derive(Debug)]
pub(crate) enum Part {
    All(Vec<u32>),
    Any(Vec<u32>),
    /// Places with weights, and what their sum must reach.
    Sum(Vec<(u32, i64)>, i64),
}

/// Numbers from here on are too large.
const LARGE: i64 = 1 << 31;

impl Target {
    /// `None` if a number is too large.
    pub(crate) fn new(formula: &Formula) -> Option<Self> {
        let small = |n: &num_bigint::BigInt| n.to_i64().filter(|n| n.abs() < LARGE);
        let children =
            |parts: &[model::NodeId]| parts.iter().map(|p| u32::try_from(p.index()).ok()).collect::<Option<Vec<u32>>>();
        let part = |node: &Node| {
            Some(match node {
                Node::All(parts) => Part::All(children(parts)?),
                Node::Any(parts) => Part::Any(children(parts)?),
                Node::AtLeast(sum) => {
                    let terms: Option<Vec<(u32, i64)>> =
                        sum.terms.iter().map(|(p, c)| Some((p.0, small(c)?))).collect();
                    Part::Sum(terms?, small(&sum.at_least)?)
                }
            })
        };
        Some(Self { nodes: formula.nodes().iter().map(part).collect::<Option<Vec<Part>>>()? })
    }

    /// Places with the tokens that they must hold, as far as no disjunction is between them and the whole.
    pub(crate) fn kept(&self) -> Vec<(u32, u64)> {
        let mut kept = Vec::new();
        let mut work = vec![self.root()];
        while let Some(node) = work.pop() {
            match &self.nodes[node] {
                // Nodes may be shared, but each of these adds little.
                Part::All(parts) if kept.len() + work.len() <= 4 * self.nodes.len() => {
                    work.extend(parts.iter().map(|p| *p as usize));
                }
                Part::Sum(terms, least) => {
                    if let [(place, weight)] = terms.as_slice()
                        && *least > 0
                        && *weight > 0
                    {
                        kept.push((*place, least.unsigned_abs().div_ceil(weight.unsigned_abs())));
                    }
                }
                Part::All(_) | Part::Any(_) => {}
            }
        }
        kept
    }

    /// The node of the whole formula.
    pub(crate) fn root(&self) -> usize {
        self.nodes.len() - 1
    }

    /// Does `tokens` satisfy it? `values` is scratch.
    pub(crate) fn holds(&self, tokens: &[u64], values: &mut Vec<bool>) -> bool {
        values.clear();
        for part in &self.nodes {
            let value = match part {
                Part::All(parts) => parts.iter().all(|p| values[*p as usize]),
                Part::Any(parts) => parts.iter().any(|p| values[*p as usize]),
                Part::Sum(terms, least) => lack(terms, *least, tokens) == 0,
            };
            values.push(value);
        }
        values.last().copied().unwrap_or(false)
    }
}

/// How much a sum is below what it must reach.
pub(crate) fn lack(terms: &[(u32, i64)], least: i64, tokens: &[u64]) -> u64 {
    let sum: i128 = terms.iter().map(|(p, c)| i128::from(*c) * i128::from(tokens[*p as usize])).sum();
    u64::try_from((i128::from(least) - sum).max(0)).unwrap_or(u64::MAX)
}
