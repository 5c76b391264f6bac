//! The kinds of systems as graphs. Each function provides nodes and edges, and leaves out what exceeds the number of
//! nodes that was asked for.

pub mod circuit;
pub mod classes;
pub mod data;
pub mod local;
pub mod net;
pub mod program;
pub mod spots;
pub mod states;
pub mod waits;

use super::graph::{Edge, Graph, Head, Line};
use crate::steps::{Step, Value};
use std::collections::{BTreeMap, VecDeque};

/// The state of a run that a picture marks.
#[derive(Debug)]
pub struct CurrentState {
    /// The number of steps before the state.
    pub step: u64,
    /// The parts of the state, in the order of the system.
    pub values: Vec<(String, Value)>,
    /// The step that led to the state.
    pub last: Option<Step>,
}

impl CurrentState {
    /// Returns the value of a part.
    fn value(&self, part: usize) -> Option<&Value> {
        self.values.get(part).map(|(_, value)| value)
    }

    /// Returns true if the last step has changed this part.
    fn has_changed(&self, part: usize) -> bool {
        let name = self.values.get(part).map(|(name, _)| name);
        self.last.as_ref().is_some_and(|last| last.changes.iter().any(|change| Some(&change.name) == name))
    }

    /// Returns the note that says which state a picture shows.
    pub fn note(&self) -> String {
        match &self.last {
            None => "The state at the start of the run.".to_owned(),
            Some(last) => {
                format!("The state after step {} of the run: {}.", self.step, super::graph::short(&last.event))
            }
        }
    }
}

/// The number of edges that are drawn for each node at most.
const EDGES: usize = 6;

/// Collects the labels of edges, so that there is one edge for all steps between the same nodes.
#[derive(Default)]
struct Labels(BTreeMap<(usize, usize, Line, Head), Vec<String>>);

impl Labels {
    fn add(&mut self, from: usize, to: usize, line: Line, label: String) {
        let labels = self.0.entry((from, to, line, Head::Arrow)).or_default();
        if labels.last() != Some(&label) {
            labels.push(label);
        }
    }

    /// Returns the edges, at most as many as a picture with this number of nodes has, and the number of the others.
    fn edges(self, nodes: usize) -> (Vec<Edge>, usize) {
        let edge = |((from, to, line, head), label)| Edge { from, to, label, line, head };
        limited(self.0.into_iter().map(edge).collect(), nodes)
    }
}

/// Returns the first edges, and the number of the others.
fn limited(mut edges: Vec<Edge>, nodes: usize) -> (Vec<Edge>, usize) {
    let most = EDGES * nodes.max(20);
    let more = edges.len().saturating_sub(most);
    edges.truncate(most);
    (edges, more)
}

/// Chooses at most `most` of the nodes: those that are reached first from `roots`, then others in their order. Returns
/// them in their own order.
fn nearest(nodes: usize, most: usize, roots: &[usize], next: impl Fn(usize) -> Vec<usize>) -> Vec<usize> {
    if nodes <= most {
        return (0..nodes).collect();
    }
    let mut is_chosen = vec![false; nodes];
    let mut chosen = Vec::with_capacity(most);
    let mut queue: VecDeque<usize> = VecDeque::new();
    for root in roots.iter().copied().chain(0..nodes) {
        queue.push_back(root);
        while let Some(node) = queue.pop_front() {
            if chosen.len() == most {
                break;
            }
            if !std::mem::replace(&mut is_chosen[node], true) {
                chosen.push(node);
                queue.extend(next(node));
            }
        }
        if chosen.len() == most {
            break;
        }
    }
    chosen.sort_unstable();
    chosen
}

/// Adds the notes that every picture of a system has.
fn finish(graph: &mut Graph, now: Option<&CurrentState>) {
    if let Some(now) = now {
        graph.notes.insert(0, now.note());
    }
    graph.explain_marks();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_nodes_are_chosen_first() {
        let next = |node: usize| if node == 7 { vec![3, 9] } else { Vec::new() };
        assert_eq!(nearest(10, 4, &[7], next), [0, 3, 7, 9]);
        assert_eq!(nearest(3, 4, &[], |_| Vec::new()), [0, 1, 2]);
    }
}
