//! State graphs: the states of a system that a breadth-first search reaches first.

use super::Labels;
use super::space::Space;
use crate::draw::graph::{Graph, Group, Line, Mark, Node};
use crate::text::plural;
use model::Stop;
use std::collections::BTreeMap;

/// Returns the graph of the states that are reached first, at most `most` of them. `None` if the work was stopped.
pub fn graph<S: Space>(space: &mut S, most: usize, stop: &Stop) -> Option<Graph> {
    let mut search = Search { numbers: BTreeMap::new(), states: Vec::new(), nodes: Vec::new(), most };
    let mut is_complete = true;
    let starts = space.starts();
    is_complete &= starts.is_complete;
    let mut left_out = 0;
    for start in starts.all {
        match search.number(space, start) {
            Some(node) => search.nodes[node].initial = true,
            None => left_out += 1,
        }
    }
    let mut labels = Labels::default();
    let mut next = 0;
    while next < search.states.len() {
        if stop.raised().is_some() {
            return None;
        }
        let state = search.states[next].clone();
        let steps = space.steps(&state);
        if steps.all.is_empty() && steps.is_complete && !space.may_end(&state) {
            search.nodes[next].mark(Mark::Bad);
        }
        let mut is_open = !steps.is_complete;
        is_complete &= steps.is_complete;
        for (label, to) in steps.all {
            match search.number(space, to) {
                Some(to) => labels.add(next, to, Line::Solid, label),
                None => (is_open, left_out) = (true, left_out + 1),
            }
        }
        if is_open {
            search.nodes[next].mark(Mark::Open);
        }
        next += 1;
    }
    let (edges, hidden) = labels.edges(search.nodes.len());
    let shown = plural(search.nodes.len() as u64, "state");
    let mut graph = Graph {
        title: if left_out == 0 && is_complete { format!("All {shown}") } else { format!("The first {shown}") },
        about: "The states that are reached first, with the steps between them.".to_owned(),
        groups: vec![Group { nodes: search.nodes, edges, ..Group::default() }],
        notes: vec![S::NOTE.to_owned()],
    };
    if left_out > 0 {
        graph.notes.push(format!("Left out: {} to further states.", plural(left_out, "step")));
    }
    if !is_complete {
        graph.notes.push(format!("Also left out: {}.", S::LEFT_OUT));
    }
    graph.leave_out(hidden, "edge");
    graph.explain_marks();
    Some(graph)
}

/// The states found so far.
struct Search<T> {
    numbers: BTreeMap<T, usize>,
    states: Vec<T>,
    nodes: Vec<Node>,
    most: usize,
}

impl<T: Clone + Ord> Search<T> {
    /// Returns the number of a state; `None` if there is no room for it.
    fn number(&mut self, space: &impl Space<State = T>, state: T) -> Option<usize> {
        if let Some(number) = self.numbers.get(&state) {
            return Some(*number);
        }
        let number = self.states.len();
        if number == self.most {
            return None;
        }
        let mut node = Node { lines: space.lines(&state), ..Node::named(number.to_string()) };
        if space.is_bad(&state) {
            node.mark(Mark::Bad);
        }
        self.numbers.insert(state.clone(), number);
        self.states.push(state);
        self.nodes.push(node);
        Some(number)
    }
}
