//! State graphs: the states of a system that a breadth-first search reaches first. No verdict depends on them.

use super::Labels;
use crate::choices::moves::successors;
use crate::choices::{Choices, MOST_OUTCOMES, outcomes};
use crate::draw::graph::{Graph, Group, Line, Mark, Node};
use crate::text::plural;
use model::Stop;
use num_bigint::BigUint;
use num_traits::Zero;
use std::collections::HashMap;

/// Returns the graph of the states that are reached first, at most `most` of them. `None` if the work was stopped.
pub fn graph<K: Choices>(kind: &K, most: usize, stop: &Stop) -> Option<Graph> {
    let mut search = Search { kind, numbers: HashMap::new(), states: Vec::new(), nodes: Vec::new(), most };
    let (mut starts, mut is_complete) = outcomes(&kind.start_fields(), MOST_OUTCOMES);
    if !is_complete {
        starts = vec![BigUint::zero()];
    }
    let mut left_out = 0;
    for start in starts.iter().filter_map(|outcome| kind.start(outcome)) {
        match search.number(start) {
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
        let (mut is_open, mut is_last) = (false, true);
        let has_all = successors(kind, &state, |_, taken| {
            is_last = false;
            let label = std::iter::once(taken.event).chain(taken.shows).collect::<Vec<_>>().join(" / ");
            match search.number(taken.to) {
                Some(to) => labels.add(next, to, Line::Solid, label),
                None => (is_open, left_out) = (true, left_out + 1),
            }
            true
        });
        if is_last && has_all && !kind.may_end(&state) {
            search.nodes[next].mark(Mark::Bad);
        }
        if is_open || !has_all {
            search.nodes[next].mark(Mark::Open);
        }
        is_complete &= has_all;
        next += 1;
    }
    let (edges, hidden) = labels.edges(search.nodes.len());
    let shown = plural(search.nodes.len() as u64, "state");
    let mut graph = Graph {
        title: if left_out == 0 && is_complete { format!("All {shown}") } else { format!("The first {shown}") },
        about: "The states that are reached first, with the steps between them.".to_owned(),
        groups: vec![Group { nodes: search.nodes, edges, ..Group::default() }],
        notes: vec![K::NOTE.to_owned()],
    };
    if left_out > 0 {
        graph.notes.push(format!("Left out: {} to further states.", plural(left_out, "step")));
    }
    if !is_complete {
        graph.notes.push(format!("Also left out: choices beyond {MOST_OUTCOMES} for one step or for the start."));
    }
    graph.leave_out(hidden, "edge");
    graph.explain_marks();
    Some(graph)
}

/// The states found so far.
struct Search<'k, K: Choices> {
    kind: &'k K,
    numbers: HashMap<K::State, usize>,
    states: Vec<K::State>,
    nodes: Vec<Node>,
    most: usize,
}

impl<K: Choices> Search<'_, K> {
    /// Returns the number of a state; `None` if there is no room for it.
    fn number(&mut self, state: K::State) -> Option<usize> {
        if let Some(number) = self.numbers.get(&state) {
            return Some(*number);
        }
        let number = self.states.len();
        if number == self.most {
            return None;
        }
        let first = self.states.first().unwrap_or(&state);
        let mut node = Node { lines: self.kind.lines(first, &state), ..Node::named(number.to_string()) };
        if self.kind.is_bad(&state) {
            node.mark(Mark::Bad);
        }
        self.numbers.insert(state.clone(), number);
        self.states.push(state);
        self.nodes.push(node);
        Some(number)
    }
}
