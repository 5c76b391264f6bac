//! The way home of refutations: nodes of a task's formula become nodes of the formula as asked.
//!
//! A task asks what is left of a formula where places that cannot be marked are empty. Each of its nodes comes from one of
//! the formula as asked that implies it there, and what was left out of disjunctions cannot hold: one lemma for each
//! inequality that cannot. With these, unit propagation on the formula as asked finds all that it finds on the task's.

use crate::formula::impossible;
use model::{CaseLemma, Cases, Formula, Linear, Node, NodeId, PlaceId, TransitionId, Why};
use num_bigint::BigUint;
use std::collections::HashMap;

/// Where the nodes of a task's formula come from.
#[derive(Debug)]
pub(crate) struct Origins {
    /// By node of the task's formula.
    nodes: Vec<NodeId>,
    /// Inequalities as asked that cannot hold.
    impossible: Vec<NodeId>,
    /// Nodes of the formula as asked.
    known: usize,
}

impl Origins {
    /// Of a formula of which `nodes` are left; `markable`: by place as read.
    pub(crate) fn new(asked: &Formula, nodes: Vec<NodeId>, markable: &[bool]) -> Self {
        Self { nodes, impossible: impossible(asked, markable), known: asked.nodes().len() }
    }

    /// Of a deadlock: `transitions` of the system as read are left, and `places`, by their numbers in the task. `None` if the
    /// task has inequalities that the system as read has not.
    pub(crate) fn of_deadlock(
        asked: &Formula,
        left: &Formula,
        transitions: &[TransitionId],
        places: &[PlaceId],
        markable: &[bool],
    ) -> Option<Self> {
        let known: HashMap<&Linear, NodeId> = asked
            .ids()
            .zip(asked.nodes())
            .filter_map(|(id, node)| if let Node::AtLeast(sum) = node { Some((sum, id)) } else { None })
            .collect();
        let mut nodes: Vec<Option<NodeId>> = Vec::with_capacity(left.nodes().len());
        for node in left.nodes() {
            nodes.push(match node {
                Node::AtLeast(sum) => {
                    let terms = sum.terms.iter().map(|(p, c)| (places[p.index()], c.clone())).collect();
                    Some(*known.get(&Linear { terms, at_least: sum.at_least.clone() })?)
                }
                Node::All(_) | Node::Any(_) => None,
            });
        }
        let (of_asked, of_left) = (ways(asked), ways(left));
        for (way, t) in of_left.iter().zip(transitions) {
            nodes[way.index()].get_or_insert(*of_asked.get(t.index())?);
        }
        let root = asked.ids().last()?;
        let nodes = nodes.into_iter().map(|node| node.unwrap_or(root)).collect();
        Some(Self::new(asked, nodes, markable))
    }

    /// The refutation, of the formula as asked.
    pub(crate) fn cases(&self, cases: Cases, place: impl Fn(PlaceId) -> PlaceId) -> Cases {
        let variable = |v: u32| match self.nodes.get(v as usize - 1) {
            Some(node) => model::invariant::variable(*node).unsigned_abs(),
            None => v - self.nodes.len() as u32 + self.known as u32,
        };
        let literal = |l: &i32| {
            let v = variable(l.unsigned_abs()).cast_signed();
            if *l < 0 { -v } else { v }
        };
        let split = |sum: Linear| Linear {
            terms: sum.terms.into_iter().map(|(p, c)| (place(p), c)).collect(),
            at_least: sum.at_least,
        };
        let never = self.impossible.iter().map(|node| CaseLemma {
            atoms: vec![model::invariant::variable(*node).unsigned_abs()],
            why: Why::Sum { multipliers: vec![BigUint::from(1u8)], facts: Vec::new() },
        });
        let moved = |lemma: CaseLemma| CaseLemma { atoms: lemma.atoms.into_iter().map(variable).collect(), ..lemma };
        Cases {
            splits: cases.splits.into_iter().map(split).collect(),
            lemmas: never.chain(cases.lemmas.into_iter().map(moved)).collect(),
            steps: cases.steps.iter().map(|clause| clause.iter().map(literal).collect()).collect(),
        }
    }
}

/// By transition, the node that says that it is disabled.
fn ways(deadlock: &Formula) -> Vec<NodeId> {
    match deadlock.root() {
        Node::All(parts) => parts.clone(),
        _ => deadlock.ids().last().into_iter().collect(),
    }
}
