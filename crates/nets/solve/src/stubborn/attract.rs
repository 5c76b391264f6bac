//! Goals as starting points of stubborn sets: the transitions that may help to make a false formula true, and
//! the distance of a marking from making it true.

use super::depends::{may_decrease, may_increase};
use crate::rules::Rules;
use model::{Formula, Goal, NetTask, Node};
use num_traits::ToPrimitive;

/// Numbers in formulas are below this bound. With tokens below 2^32, their weighted sums fit 128 bits.
const SMALL: u64 = 1 << 60;

/// A goal in machine numbers.
#[derive(Debug)]
pub enum Attraction {
    /// A formula: its nodes, children before parents.
    Formula(Vec<FormulaNode>),
    /// The goal that no transition is enabled.
    Deadlock,
}

/// A node of a formula.
#[derive(Debug)]
pub enum FormulaNode {
    /// A conjunction of these nodes.
    All(Vec<u32>),
    /// A disjunction of these nodes.
    Any(Vec<u32>),
    /// The inequality `sum of weight * tokens >= at_least`.
    Sum {
        /// Places with their weights.
        terms: Vec<(u32, i64)>,
        /// The right-hand side of the inequality.
        at_least: i64,
        /// Transitions with a firing that may increase the sum.
        helpers: Vec<u32>,
    },
}

impl Attraction {
    /// Translates a goal of the task. Returns `None` if its numbers are too large.
    #[must_use]
    pub fn new(task: &NetTask, rules: &Rules, goal: Goal) -> Option<Self> {
        match task.formula(goal) {
            Some(formula) => Some(Self::Formula(parts(formula, rules)?)),
            None => Some(Self::Deadlock),
        }
    }
}

fn parts(formula: &Formula, rules: &Rules) -> Option<Vec<FormulaNode>> {
    let numbers = |of: &[model::NodeId]| of.iter().map(|id| id.index() as u32).collect();
    let part = |node: &Node| {
        Some(match node {
            Node::All(of) => FormulaNode::All(numbers(of)),
            Node::Any(of) => FormulaNode::Any(numbers(of)),
            Node::AtLeast(sum) => {
                let small = |n: &i64| n.unsigned_abs() < SMALL;
                let terms: Option<Vec<(u32, i64)>> =
                    sum.terms.iter().map(|(p, c)| Some((p.0, c.to_i64().filter(small)?))).collect();
                let terms = terms?;
                let helpers = helpers(&terms, rules);
                FormulaNode::Sum { at_least: sum.at_least.to_i64().filter(small)?, terms, helpers }
            }
        })
    };
    formula.nodes().iter().map(part).collect()
}

/// Returns the transitions with a firing that may increase the sum.
fn helpers(terms: &[(u32, i64)], rules: &Rules) -> Vec<u32> {
    let weight = |place: u32| terms.binary_search_by_key(&place, |t| t.0).ok().map(|i| terms[i].1);
    let helps = |t: &u32| {
        let mut constant = 0i128;
        let mut may = false;
        for &change in rules.changes.row(*t as usize) {
            let Some(weight) = weight(change.place) else { continue };
            if change.sources.is_none() {
                constant += i128::from(weight) * i128::from(change.add);
            } else if weight > 0 && may_increase(change) || weight < 0 && may_decrease(rules, change) {
                may = true;
            }
        }
        // An assignment may change the sum by any amount. If it may increase the sum at all, the transition
        // helps.
        may || constant > 0
    };
    (0..rules.transitions() as u32).filter(helps).collect()
}

/// For each node: its distance from true, which is 0 if and only if the node holds. The distance of an
/// inequality is the amount by which its sum is too small. Conjunctions take the sum over their children,
/// disjunctions the minimum.
pub(super) fn lacks(parts: &[FormulaNode], tokens: &[u64], out: &mut Vec<u64>) {
    out.clear();
    for part in parts {
        let lack = match part {
            FormulaNode::All(of) => of.iter().fold(0u64, |sum, &i| sum.saturating_add(out[i as usize])),
            FormulaNode::Any(of) => of.iter().map(|&i| out[i as usize]).min().unwrap_or(u64::MAX),
            FormulaNode::Sum { terms, at_least, .. } => {
                let sum: i128 = terms.iter().map(|(p, c)| i128::from(*c) * i128::from(tokens[*p as usize])).sum();
                u64::try_from((i128::from(*at_least) - sum).max(0)).unwrap_or(u64::MAX)
            }
        };
        out.push(lack);
    }
}
