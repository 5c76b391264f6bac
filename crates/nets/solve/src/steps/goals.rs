//! Tests formula goals on packed markings.
//!
//! A formula is compiled to tests of its inequalities with two jumps each, so that only inequalities that
//! matter for the outcome are computed. The compiled code of a formula that uses its parts many times could
//! become too long. Such a formula is evaluated node by node instead.

use crate::steps::compile::At;
use crate::steps::stepper::NetStepper;
use model::{Formula, Goal, Linear, NetTask, Node};
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};
use std::ops::Range;

const TRUE: u32 = u32::MAX;
const FALSE: u32 = u32::MAX - 1;

/// Compiled formula goals, for one stepper.
#[derive(Clone, Debug)]
pub struct NetGoals {
    goals: Vec<(Goal, Test)>,
    atoms: Vec<Atom>,
    terms: Vec<(At, i64)>,
}

#[derive(Clone, Debug)]
enum Test {
    Jumps { ops: Vec<Jump>, entry: u32 },
    Nodes(Vec<FormulaNode>),
}

/// Tests an atom, and jumps to `yes` or `no`: a position, [`TRUE`] or [`FALSE`].
#[derive(Clone, Copy, Debug)]
struct Jump {
    atom: u32,
    yes: u32,
    no: u32,
}

#[derive(Clone, Debug)]
enum FormulaNode {
    All(Vec<u32>),
    Any(Vec<u32>),
    Atom(u32),
}

#[derive(Clone, Debug)]
enum Atom {
    /// An inequality with sums that fit 64 bits.
    Small {
        terms: Range<usize>,
        at_least: i64,
    },
    Big {
        terms: Vec<(At, BigInt)>,
        at_least: BigInt,
    },
}

impl NetGoals {
    /// Compiles the formulas among `goals`. A deadlock is not among them, because expansions find it.
    #[must_use]
    pub fn new(stepper: &NetStepper, task: &NetTask, goals: &[Goal]) -> Self {
        let mut this = Self { goals: Vec::new(), atoms: Vec::new(), terms: Vec::new() };
        for &goal in goals {
            if let Some(formula) = task.formula(goal) {
                let test = this.compile(formula, stepper);
                this.goals.push((goal, test));
            }
        }
        this
    }

    /// Recompiles the goals for another stepper of the same task.
    pub fn recompile(&mut self, stepper: &NetStepper, task: &NetTask) {
        let goals: Vec<Goal> = self.goals.iter().map(|(goal, _)| *goal).collect();
        *self = Self::new(stepper, task, &goals);
    }

    /// Removes a goal.
    pub fn remove(&mut self, goal: Goal) {
        self.goals.retain(|(g, _)| *g != goal);
    }

    /// Returns true if no goal is left to test.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.goals.is_empty()
    }

    /// Returns the approximate cost of testing one state, in inequalities.
    #[must_use]
    pub fn cost(&self) -> usize {
        let cost = |test: &Test| if let Test::Nodes(parts) = test { parts.len() } else { 4 };
        self.goals.iter().map(|(_, test)| cost(test)).sum()
    }

    /// Calls `hit` with each goal that `packed` satisfies.
    #[inline]
    pub fn test(&self, packed: &[u64], mut hit: impl FnMut(Goal)) {
        for (goal, test) in &self.goals {
            if self.holds(test, packed) {
                hit(*goal);
            }
        }
    }

    /// Returns true if `packed` satisfies the goal with this number, counted from 0 in the order in which the goals
    /// were given. No goal may have been removed.
    #[must_use]
    pub fn satisfies(&self, number: usize, packed: &[u64]) -> bool {
        self.holds(&self.goals[number].1, packed)
    }

    fn holds(&self, test: &Test, packed: &[u64]) -> bool {
        match test {
            Test::Jumps { ops, entry } => {
                let mut at = *entry;
                while at < FALSE {
                    let op = ops[at as usize];
                    at = if self.atoms[op.atom as usize].holds(&self.terms, packed) { op.yes } else { op.no };
                }
                at == TRUE
            }
            Test::Nodes(parts) => {
                let mut values: Vec<bool> = Vec::with_capacity(parts.len());
                for part in parts {
                    values.push(match part {
                        FormulaNode::All(of) => of.iter().all(|&i| values[i as usize]),
                        FormulaNode::Any(of) => of.iter().any(|&i| values[i as usize]),
                        FormulaNode::Atom(atom) => self.atoms[*atom as usize].holds(&self.terms, packed),
                    });
                }
                values.last() == Some(&true)
            }
        }
    }

    fn compile(&mut self, formula: &Formula, stepper: &NetStepper) -> Test {
        let mut parts = Vec::with_capacity(formula.nodes().len());
        for node in formula.nodes() {
            let numbers = |of: &[model::NodeId]| of.iter().map(|id| id.index() as u32).collect();
            parts.push(match node {
                Node::All(of) => FormulaNode::All(numbers(of)),
                Node::Any(of) => FormulaNode::Any(numbers(of)),
                Node::AtLeast(sum) => {
                    let atom = self.atom(sum, stepper);
                    self.atoms.push(atom);
                    FormulaNode::Atom(self.atoms.len() as u32 - 1)
                }
            });
        }
        match jumps(&parts) {
            Some((ops, entry)) => Test::Jumps { ops, entry },
            None => Test::Nodes(parts),
        }
    }

    fn atom(&mut self, sum: &Linear, stepper: &NetStepper) -> Atom {
        /// Greatest sum of absolute weights in a small inequality. Multiplied by 2^32, which exceeds the
        /// greatest count, it stays within 2^62.
        const SMALL: i64 = 1 << 30;
        let weights: BigInt = sum.terms.iter().map(|(_, c)| c.abs()).sum();
        let small = weights <= BigInt::from(SMALL);
        match sum.at_least.to_i64().filter(|_| small) {
            Some(at_least) => {
                let first = self.terms.len();
                let weight = |c: &BigInt| c.to_i64().unwrap_or(SMALL);
                self.terms.extend(sum.terms.iter().map(|(p, c)| (stepper.at(*p), weight(c))));
                Atom::Small { terms: first..self.terms.len(), at_least }
            }
            None => {
                let terms = sum.terms.iter().map(|(p, c)| (stepper.at(*p), c.clone())).collect();
                Atom::Big { terms, at_least: sum.at_least.clone() }
            }
        }
    }
}

impl Atom {
    #[inline]
    fn holds(&self, all: &[(At, i64)], packed: &[u64]) -> bool {
        match self {
            Atom::Small { terms, at_least } => {
                let terms = &all[terms.clone()];
                terms.iter().map(|(at, weight)| at.tokens(packed) as i64 * weight).sum::<i64>() >= *at_least
            }
            Atom::Big { terms, at_least } => {
                terms.iter().map(|(at, weight)| weight * at.tokens(packed)).sum::<BigInt>() >= *at_least
            }
        }
    }
}

/// A node with children that are being compiled, from last to first.
struct Frame {
    node: u32,
    left: usize,
    yes: u32,
    no: u32,
}

/// Returns the jump code of the last node, and its entry. Returns `None` if the code would be much longer than
/// the formula, because nodes are used many times.
fn jumps(parts: &[FormulaNode]) -> Option<(Vec<Jump>, u32)> {
    let most = parts.len() * 4 + 64;
    let mut ops: Vec<Jump> = Vec::new();
    let mut visits = 0;
    let children = |node: u32| match &parts[node as usize] {
        FormulaNode::All(of) | FormulaNode::Any(of) => of.as_slice(),
        FormulaNode::Atom(_) => &[],
    };
    let root = parts.len() as u32 - 1;
    let mut stack = vec![Frame { node: root, left: children(root).len(), yes: TRUE, no: FALSE }];
    loop {
        let top = stack.last_mut()?;
        if top.left > 0 {
            top.left -= 1;
            visits += 1;
            let (node, yes, no) = (children(top.node)[top.left], top.yes, top.no);
            stack.push(Frame { node, left: children(node).len(), yes, no });
            if visits > most {
                return None;
            }
            continue;
        }
        let entry = match &parts[top.node as usize] {
            FormulaNode::All(_) => top.yes,
            FormulaNode::Any(_) => top.no,
            FormulaNode::Atom(atom) => {
                ops.push(Jump { atom: *atom, yes: top.yes, no: top.no });
                ops.len() as u32 - 1
            }
        };
        stack.pop();
        let Some(parent) = stack.last_mut() else { return Some((ops, entry)) };
        // Children are compiled from last to first, so the next child to compile stands before the child just
        // compiled. Where the next child does not decide the parent, it jumps to the entry of the child just
        // compiled.
        match &parts[parent.node as usize] {
            FormulaNode::All(_) => parent.yes = entry,
            _ => parent.no = entry,
        }
    }
}
