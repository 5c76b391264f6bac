//! The way home of refutations: nodes of a task's formula become nodes of the formula as asked.
//!
//! A task asks what is left of a formula where places that cannot be marked are empty. Each of its nodes comes from
//! one of the formula as asked that implies it there, and what was left out of disjunctions cannot hold: one lemma
//! for each inequality that cannot. With these, unit propagation on the formula as asked finds all that it finds on
//! the task's.
//!
//! Where a task has chains (see [`crate::threads`]), their places are empty between two steps of the system as read.
//! What a refutation says of these places alone is a constant there: literals that are true satisfy their clauses,
//! and those that are false are left out. An inequality that is true there has no positive bound, so a sum does
//! without it as well.

use crate::formula::impossible;
use model::{CaseLemma, Cases, Formula, Linear, Node, NodeId, PlaceId, Why};
use num_bigint::BigUint;
use num_traits::Signed;
use std::collections::HashMap;

/// What a node of a task's formula is in the system as read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    /// It comes from this node of the formula as asked.
    Node(NodeId),
    /// It speaks of places of chains only, and holds or not where these are empty.
    Constant(bool),
}

/// Where the nodes of a task's formula come from.
#[derive(Debug)]
pub(crate) struct Origins {
    /// By node of the task's formula.
    nodes: Vec<Origin>,
    /// Inequalities as asked that cannot hold.
    impossible: Vec<NodeId>,
    /// Nodes of the formula as asked.
    known: usize,
}

impl Origins {
    /// Of a formula of which `nodes` are left; `markable`: by place as read.
    pub(crate) fn new(asked: &Formula, nodes: Vec<Origin>, markable: &[bool]) -> Self {
        Self { nodes, impossible: impossible(asked, markable), known: asked.nodes().len() }
    }

    /// Of a deadlock: `transitions` of the system as read are left, and `places` (`None`: it stands for a chain), by
    /// their numbers in the task. A transition without number is disabled where chains are empty. `None` if the task
    /// has inequalities that the system as read has not.
    pub(crate) fn of_deadlock(
        asked: &Formula,
        left: &Formula,
        transitions: &[Option<usize>],
        places: &[Option<PlaceId>],
        markable: &[bool],
    ) -> Option<Self> {
        let known: HashMap<&Linear, NodeId> = asked
            .ids()
            .zip(asked.nodes())
            .filter_map(|(id, node)| if let Node::AtLeast(sum) = node { Some((sum, id)) } else { None })
            .collect();
        let mut nodes: Vec<Option<Origin>> = Vec::with_capacity(left.nodes().len());
        for node in left.nodes() {
            nodes.push(match node {
                Node::AtLeast(sum) => Some(match at_home(sum, |p| places[p.index()]) {
                    Ok(sum) => Origin::Node(*known.get(&sum)?),
                    Err(constant) => Origin::Constant(constant),
                }),
                Node::All(_) | Node::Any(_) => None,
            });
        }
        let (of_asked, of_left) = (ways(asked), ways(left));
        for (way, t) in of_left.iter().zip(transitions) {
            let origin = match t {
                Some(t) => Origin::Node(*of_asked.get(*t)?),
                None => Origin::Constant(true),
            };
            nodes[way.index()].get_or_insert(origin);
        }
        let root = Origin::Node(asked.ids().last()?);
        let nodes = nodes.into_iter().map(|node| node.unwrap_or(root)).collect();
        Some(Self::new(asked, nodes, markable))
    }

    /// The refutation, of the formula as asked. `place`: the place of the system as read, if it is no place of a
    /// chain.
    pub(crate) fn cases(&self, cases: Cases, place: impl Fn(PlaceId) -> Option<PlaceId>) -> Cases {
        let mut values: Vec<Value> = self.nodes.iter().map(|origin| (*origin).into()).collect();
        let mut splits = Vec::with_capacity(cases.splits.len());
        for split in &cases.splits {
            match at_home(split, &place) {
                Ok(split) => {
                    let above = (self.known + 2 * splits.len() + 1) as u32;
                    values.extend([Value::Variable(above), Value::Variable(above + 1)]);
                    splits.push(split);
                }
                Err(holds) => values.extend([Value::Constant(holds), Value::Constant(!holds)]),
            }
        }
        let never = self.impossible.iter().map(|node| CaseLemma {
            atoms: vec![model::invariant::variable(*node).unsigned_abs()],
            why: Why::Sum { multipliers: vec![BigUint::from(1u8)], facts: Vec::new() },
        });
        let moved = cases.lemmas.into_iter().filter_map(|lemma| lemma_at_home(lemma, &values));
        Cases {
            splits,
            lemmas: never.chain(moved).collect(),
            steps: cases.steps.iter().filter_map(|clause| clause_at_home(clause, &values)).collect(),
        }
    }
}

/// What a variable of a refutation is in the system as read.
#[derive(Clone, Copy)]
enum Value {
    Variable(u32),
    Constant(bool),
}

impl From<Origin> for Value {
    fn from(origin: Origin) -> Self {
        match origin {
            Origin::Node(node) => Self::Variable(model::invariant::variable(node).unsigned_abs()),
            Origin::Constant(holds) => Self::Constant(holds),
        }
    }
}

/// The inequality over places of the system as read; if there are none in it, whether it holds.
fn at_home(sum: &Linear, place: impl Fn(PlaceId) -> Option<PlaceId>) -> Result<Linear, bool> {
    let terms: Vec<_> = sum.terms.iter().filter_map(|(p, c)| Some((place(*p)?, c.clone()))).collect();
    if terms.is_empty() {
        return Err(!sum.at_least.is_positive());
    }
    Ok(Linear { terms, at_least: sum.at_least.clone() })
}

/// `None` if one of its inequalities never holds.
fn lemma_at_home(lemma: CaseLemma, values: &[Value]) -> Option<CaseLemma> {
    let mut atoms = Vec::with_capacity(lemma.atoms.len());
    let mut kept = Vec::with_capacity(lemma.atoms.len());
    for atom in &lemma.atoms {
        match values[*atom as usize - 1] {
            Value::Variable(variable) => atoms.push(variable),
            Value::Constant(false) => return None,
            Value::Constant(true) => {}
        }
        kept.push(matches!(values[*atom as usize - 1], Value::Variable(_)));
    }
    let why = match lemma.why {
        Why::Sum { multipliers, facts } => {
            let multipliers = multipliers.into_iter().zip(kept).filter_map(|(m, kept)| kept.then_some(m)).collect();
            Why::Sum { multipliers, facts }
        }
        excluded @ Why::Excluded => excluded,
    };
    Some(CaseLemma { atoms, why })
}

/// `None` if it holds anyway.
fn clause_at_home(clause: &[i32], values: &[Value]) -> Option<Vec<i32>> {
    let mut literals = Vec::with_capacity(clause.len());
    for literal in clause {
        match values[literal.unsigned_abs() as usize - 1] {
            Value::Variable(variable) => literals.push(variable.cast_signed() * literal.signum()),
            Value::Constant(holds) if holds == (*literal > 0) => return None,
            Value::Constant(_) => {}
        }
    }
    Some(literals)
}

/// By transition, the node that says that it is disabled.
fn ways(deadlock: &Formula) -> Vec<NodeId> {
    match deadlock.root() {
        Node::All(parts) => parts.clone(),
        _ => deadlock.ids().last().into_iter().collect(),
    }
}
