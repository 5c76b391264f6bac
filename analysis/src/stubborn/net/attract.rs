//! Goals as something to be attracted to: which transitions may help a formula that is false, and how far it is from
//! true.

use super::depends::{may_decrease, may_increase};
use crate::rules::Rules;
use model::{Formula, Goal, NetTask, Node};
use num_traits::ToPrimitive;

/// Numbers in formulas below this, and tokens below 2^32, make no sum of them leave 128 bits.
const SMALL: u64 = 1 << 60;

/// A goal, over machine words.
#[derive(Debug)]
pub enum Attraction {
    /// A formula: nodes, children before parents.
    Formula(Vec<Part>),
    /// That nothing is enabled.
    Deadlock,
}

/// A node of a formula.
#[derive(Debug)]
pub enum Part {
    /// All of them.
    All(Vec<u32>),
    /// Some of them.
    Any(Vec<u32>),
    /// `sum of weight * tokens >= at_least`.
    Sum {
        /// Places with their weights.
        terms: Vec<(u32, i64)>,
        /// The bound.
        at_least: i64,
        /// The transitions of which some firing may increase the sum.
        helpers: Vec<u32>,
    },
}

impl Attraction {
    /// Compiles a goal of the task; `None` if its numbers are too large.
    #[must_use]
    pub fn new(task: &NetTask, rules: &Rules, goal: Goal) -> Option<Self> {
        match task.formula(goal) {
            Some(formula) => Some(Self::Formula(parts(formula, rules)?)),
            None => Some(Self::Deadlock),
        }
    }
}

fn parts(formula: &Formula, rules: &Rules) -> Option<Vec<Part>> {
    let numbers = |of: &[model::NodeId]| of.iter().map(|id| id.index() as u32).collect();
    let part = |node: &Node| {
        Some(match node {
            Node::All(of) => Part::All(numbers(of)),
            Node::Any(of) => Part::Any(numbers(of)),
            Node::AtLeast(sum) => {
                let small = |n: &i64| n.unsigned_abs() < SMALL;
                let terms: Option<Vec<(u32, i64)>> =
                    sum.terms.iter().map(|(p, c)| Some((p.0, c.to_i64().filter(small)?))).collect();
                let terms = terms?;
                let helpers = helpers(&terms, rules);
                Part::Sum { at_least: sum.at_least.to_i64().filter(small)?, terms, helpers }
            }
        })
    };
    formula.nodes().iter().map(part).collect()
}

/// The transitions of which some firing may increase the sum.
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
        // What is assigned changes the sum by any amount, up or not at all.
        may || constant > 0
    };
    (0..rules.transitions() as u32).filter(helps).collect()
}

/// By node, how far it is from true: 0 iff it holds. What a sum lacks, added up over conjunctions; the least over
/// disjunctions.
pub(super) fn lacks(parts: &[Part], tokens: &[u64], out: &mut Vec<u64>) {
    out.clear();
    for part in parts {
        let lack = match part {
            Part::All(of) => of.iter().fold(0u64, |sum, &i| sum.saturating_add(out[i as usize])),
            Part::Any(of) => of.iter().map(|&i| out[i as usize]).min().unwrap_or(u64::MAX),
            Part::Sum { terms, at_least, .. } => {
                let sum: i128 = terms.iter().map(|(p, c)| i128::from(*c) * i128::from(tokens[*p as usize])).sum();
                u64::try_from((i128::from(*at_least) - sum).max(0)).unwrap_or(u64::MAX)
            }
        };
        out.push(lack);
    }
}
