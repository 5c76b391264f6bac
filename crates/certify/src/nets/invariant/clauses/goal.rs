//! The formula "a goal marking in which all invariants hold".
//!
//! There is a variable for each node of the goal's formula. The clauses say: the root holds; if a conjunction
//! holds, so do all of its children; if a disjunction holds, so does one of its children; if an inequality
//! holds, its sum is at least its constant.
//! 1. Every goal marking in which all invariants hold gives a model. Proof: take the values of the nodes in
//!    this marking.
//!
//! A node may hold although its variable is false. Clauses for the converse are not needed, since formulas have
//! no negations.

use super::literals;
use super::marking::Marking;
use super::paper::Paper;
use crate::Check;
use kernel::Work;
use model::cnf::Cnf;
use model::{Formula, NetInvariant, Node};

pub(super) fn formula(mut paper: Paper<'_, '_>, goal: &Formula, work: &mut Work<'_>) -> Check<Cnf> {
    let mut marking = Marking::default();
    for invariant in paper.invariants {
        if let NetInvariant::Clauses(clausal) = invariant {
            // This creates the thresholds of all clauses. The clauses are added below, with the other
            // invariants.
            literals(clausal, &mut marking, &mut paper, work)?;
        }
    }
    let nodes = paper.writer.variables(goal.nodes().len(), work)?;
    for (node, &own) in goal.nodes().iter().zip(&nodes) {
        match node {
            Node::All(parts) => {
                for part in parts {
                    paper.writer.add([-own, nodes[part.index()]], work)?;
                }
            }
            Node::Any(parts) => {
                let parts = parts.iter().map(|part| nodes[part.index()]);
                paper.writer.add(std::iter::once(-own).chain(parts), work)?;
            }
            Node::AtLeast(sum) => marking.at_least(own, &sum.terms, &sum.at_least, &mut paper, work)?,
        }
    }
    if let Some(root) = nodes.last() {
        paper.writer.add([*root], work)?;
    }
    marking.know(true, &mut paper, work)?;
    marking.order(&mut paper, work)?;
    Ok(paper.writer.finish())
}
