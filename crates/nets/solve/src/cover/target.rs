//! A goal with machine integers: evaluates it in a marking, and computes how much a sum lacks.

use model::{Formula, Node};
use num_traits::ToPrimitive;

/// A formula with numbers below 2^31.
#[derive(Debug)]
pub(crate) struct Target {
    /// Children come before parents. The last node is the whole formula.
    pub(crate) nodes: Vec<FormulaNode>,
}

#[derive(Debug)]
pub(crate) enum FormulaNode {
    All(Vec<u32>),
    Any(Vec<u32>),
    /// Places with weights, and the least value of their sum.
    Sum(Vec<(u32, i64)>, i64),
}

/// The least number that is too large.
const LARGE: i64 = 1 << 31;

impl Target {
    /// Converts a formula. Returns `None` if a number is too large.
    pub(crate) fn new(formula: &Formula) -> Option<Self> {
        let small = |n: &num_bigint::BigInt| n.to_i64().filter(|n| n.abs() < LARGE);
        let children =
            |parts: &[model::NodeId]| parts.iter().map(|p| u32::try_from(p.index()).ok()).collect::<Option<Vec<u32>>>();
        let part = |node: &Node| {
            Some(match node {
                Node::All(parts) => FormulaNode::All(children(parts)?),
                Node::Any(parts) => FormulaNode::Any(children(parts)?),
                Node::AtLeast(sum) => {
                    let terms: Option<Vec<(u32, i64)>> =
                        sum.terms.iter().map(|(p, c)| Some((p.0, small(c)?))).collect();
                    FormulaNode::Sum(terms?, small(&sum.at_least)?)
                }
            })
        };
        Some(Self { nodes: formula.nodes().iter().map(part).collect::<Option<Vec<FormulaNode>>>()? })
    }

    /// Places with the tokens that the formula requires on them. Requirements inside disjunctions are left
    /// out.
    pub(crate) fn kept(&self) -> Vec<(u32, u64)> {
        let mut kept = Vec::new();
        let mut work = vec![self.root()];
        while let Some(node) = work.pop() {
            match &self.nodes[node] {
                // Nodes may be shared and then visited repeatedly; the condition limits the total.
                FormulaNode::All(parts) if kept.len() + work.len() <= 4 * self.nodes.len() => {
                    work.extend(parts.iter().map(|p| *p as usize));
                }
                FormulaNode::Sum(terms, least) => {
                    if let [(place, weight)] = terms.as_slice()
                        && *least > 0
                        && *weight > 0
                    {
                        kept.push((*place, least.unsigned_abs().div_ceil(weight.unsigned_abs())));
                    }
                }
                FormulaNode::All(_) | FormulaNode::Any(_) => {}
            }
        }
        kept
    }

    /// The node of the whole formula.
    pub(crate) fn root(&self) -> usize {
        self.nodes.len() - 1
    }

    /// True if `tokens` satisfies the formula. `values` is a buffer.
    pub(crate) fn holds(&self, tokens: &[u64], values: &mut Vec<bool>) -> bool {
        values.clear();
        for part in &self.nodes {
            let value = match part {
                FormulaNode::All(parts) => parts.iter().all(|p| values[*p as usize]),
                FormulaNode::Any(parts) => parts.iter().any(|p| values[*p as usize]),
                FormulaNode::Sum(terms, least) => lack(terms, *least, tokens) == 0,
            };
            values.push(value);
        }
        values.last().copied().unwrap_or(false)
    }
}

/// The difference between a sum and the least value required, or 0 if the sum suffices.
pub(crate) fn lack(terms: &[(u32, i64)], least: i64, tokens: &[u64]) -> u64 {
    let sum: i128 = terms.iter().map(|(p, c)| i128::from(*c) * i128::from(tokens[*p as usize])).sum();
    u64::try_from((i128::from(least) - sum).max(0)).unwrap_or(u64::MAX)
}
