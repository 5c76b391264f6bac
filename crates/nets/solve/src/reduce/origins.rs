//! Lifts refutations: maps the nodes of a task's formula to nodes of the original formula.
//!
//! A task has the simplified formula in which places that are not potentially marked are empty. Each of its
//! nodes has an origin, a node of the original formula that implies it under this condition.
//!
//! 1. With one lemma for each inequality that cannot hold, unit propagation on the original formula finds
//!    everything that it finds on the task's formula. Proof: each origin implies its node, and the lemmas
//!    refute what was left out of disjunctions.
//!
//! If a task has chains (see [`crate::reduce::threads`]), the places of chains are empty between two steps of the
//! system as read.
//!
//! 2. In these markings, a literal of a refutation that mentions places of chains only is constant. True
//!    literals satisfy their clauses, so these clauses are dropped; false literals are left out. A true
//!    inequality of this kind is left out of sums. Proof: its bound is not positive, so the sum without it is a
//!    contradiction as well.

use crate::reduce::formula::impossible;
use model::{CaseLemma, Cases, Formula, Linear, Node, NodeId, PlaceId, Why};
use num_bigint::BigUint;
use num_traits::Signed;
use std::collections::HashMap;

/// The meaning of a node of a task's formula in the system as read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    /// The node originates from this node of the original formula.
    Node(NodeId),
    /// The node mentions places of chains only; the value is its truth if these are empty.
    Constant(bool),
}

/// The origins of the nodes of a task's formula.
#[derive(Debug)]
pub(crate) struct Origins {
    /// For each node of the task's formula: its origin.
    nodes: Vec<Origin>,
    /// The inequalities of the original formula that cannot hold.
    impossible: Vec<NodeId>,
    /// Number of nodes of the original formula.
    known: usize,
}

impl Origins {
    /// Creates the origins of a simplified formula with these `nodes`. `potentially_marked[p]` refers to place
    /// `p` as read.
    pub(crate) fn new(asked: &Formula, nodes: Vec<Origin>, potentially_marked: &[bool]) -> Self {
        Self { nodes, impossible: impossible(asked, potentially_marked), known: asked.nodes().len() }
    }

    /// Creates the origins for the formula of a deadlock. For each transition and place of the task,
    /// `transitions` and `places` give the number in the system as read. A place without number belongs to a
    /// chain; a transition without number is disabled if the places of chains are empty. Returns `None` if the
    /// task has an inequality that the system as read does not have.
    pub(crate) fn of_deadlock(
        asked: &Formula,
        left: &Formula,
        transitions: &[Option<usize>],
        places: &[Option<PlaceId>],
        potentially_marked: &[bool],
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
        Some(Self::new(asked, nodes, potentially_marked))
    }

    /// Lifts the refutation to the original formula. `place` returns the place of the system as read, or `None`
    /// for a place of a chain.
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
            why: Why::Sum { multipliers: vec![BigUint::from(1u8)], invariants: Vec::new() },
        });
        let moved = cases.lemmas.into_iter().filter_map(|lemma| lemma_at_home(lemma, &values));
        Cases {
            splits,
            lemmas: never.chain(moved).collect(),
            steps: cases.steps.iter().filter_map(|clause| clause_at_home(clause, &values)).collect(),
        }
    }
}

/// The meaning of a variable of a refutation in the system as read.
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

/// Returns the inequality over places of the system as read. If it mentions none of them, the error is its
/// truth value.
fn at_home(sum: &Linear, place: impl Fn(PlaceId) -> Option<PlaceId>) -> Result<Linear, bool> {
    let terms: Vec<_> = sum.terms.iter().filter_map(|(p, c)| Some((place(*p)?, c.clone()))).collect();
    if terms.is_empty() {
        return Err(!sum.at_least.is_positive());
    }
    Ok(Linear { terms, at_least: sum.at_least.clone() })
}

/// Lifts a lemma. Returns `None` if one of its inequalities never holds.
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
        Why::Sum { multipliers, invariants } => {
            let multipliers = multipliers.into_iter().zip(kept).filter_map(|(m, kept)| kept.then_some(m)).collect();
            Why::Sum { multipliers, invariants }
        }
        excluded @ Why::Excluded => excluded,
    };
    Some(CaseLemma { atoms, why })
}

/// Lifts a clause. Returns `None` if it always holds.
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

/// Returns for each transition the node that means that the transition is disabled.
fn ways(deadlock: &Formula) -> Vec<NodeId> {
    match deadlock.root() {
        Node::All(parts) => parts.clone(),
        _ => deadlock.ids().last().into_iter().collect(),
    }
}
