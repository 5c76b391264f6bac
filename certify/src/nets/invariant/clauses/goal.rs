//! A goal marking in which all facts hold.
//!
//! A variable for each node of the goal's formula: the root holds, a node that holds makes all or some of its children hold, and an
//! inequality that holds makes its sum that large. (A node may hold without its variable: nothing asks for the converse, since
//! formulas have no negations.) The values of the nodes in a goal marking are a model.

use super::marking::Marking;
use super::{Paper, literals};
use crate::Check;
use kernel::Work;
use model::cnf::Cnf;
use model::{Formula, NetFact, Node};

pub(super) fn formula(mut paper: Paper<'_, '_>, goal: &Formula, work: &mut Work<'_>) -> Check<Cnf> {
    let mut marking = Marking::default();
    for fact in paper.facts {
        if let NetFact::Clauses(clausal) = fact {
            // With all thresholds there, all clauses are said with the other facts.
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
