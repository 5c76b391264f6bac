//! Circuits: inputs, gates, latches, and outputs. A circle at the end of an edge negates.

use super::{CurrentState, finish, limited, nearest};
use crate::draw::graph::{Edge, Graph, Group, Head, Line, Mark, Node};
use crate::steps::{Value, frames};
use crate::text::plural;
use model::{Circuit, Gate, LatchId, Reset, Signal};

/// Returns the graph of a circuit with at most `most` nodes: those nearest to the outputs.
pub fn graph(circuit: &Circuit, now: Option<&CurrentState>, most: usize) -> Graph {
    let gates = circuit.gates();
    let sinks: Vec<(String, Signal)> = sinks(circuit);
    let all = gates.len() + sinks.len();
    let mut edges = Vec::new();
    for (number, gate) in gates.iter().enumerate() {
        match gate {
            Gate::And(a, b) => edges.extend([*a, *b].map(|signal| edge(signal, number, Line::Solid))),
            Gate::Latch(id) => {
                let next = circuit.latches()[id.index()].next;
                edges.extend(next.map(|next| edge(next, number, Line::Dashed)));
            }
            Gate::False | Gate::Input(_) => {}
        }
    }
    edges.extend((gates.len()..).zip(&sinks).map(|(number, (_, signal))| edge(*signal, number, Line::Solid)));
    let mut feeds: Vec<Vec<usize>> = vec![Vec::new(); all];
    edges.iter().for_each(|edge| feeds[edge.to].push(edge.from));
    // The constant is drawn only if it is used.
    let is_idle = !edges.iter().any(|edge| edge.from == 0);
    let roots: Vec<usize> = (gates.len()..all).collect();
    let mut chosen = nearest(all, most, &roots, |node| feeds[node].clone());
    chosen.retain(|node| *node != 0 || !is_idle);
    let left_out = all - usize::from(is_idle) - chosen.len();
    let node = |&number: &usize| match gates.get(number) {
        Some(gate) => self::node(circuit, *gate, number, now),
        None => Node::named(sinks[number - gates.len()].0.clone()),
    };
    let mut nodes: Vec<Node> = chosen.iter().map(node).collect();
    let mut kept = Vec::with_capacity(edges.len());
    for edge in edges {
        match (chosen.binary_search(&edge.from), chosen.binary_search(&edge.to)) {
            (Ok(from), Ok(to)) => kept.push(Edge { from, to, ..edge }),
            (Ok(node), Err(_)) | (Err(_), Ok(node)) => nodes[node].mark(Mark::Open),
            (Err(_), Err(_)) => {}
        }
    }
    let (edges, more) = limited(kept, nodes.len());
    let mut graph = Graph {
        title: format!(
            "A circuit: {}, {}, {}",
            plural(circuit.inputs().len() as u64, "input"),
            if circuit.latches().len() == 1 {
                "1 latch".to_owned()
            } else {
                format!("{} latches", circuit.latches().len())
            },
            plural(circuit.ands() as u64, "gate")
        ),
        about:
            "Solid edges are values of the same frame, dashed edges are the next values of latches. A circle at the \
                end of an edge negates."
                .to_owned(),
        groups: vec![Group { nodes, edges, ..Group::default() }],
        notes: vec!["Dashed: the next value of a latch. A circle at the end of an edge negates.".to_owned()],
    };
    graph.leave_out(left_out, "node");
    graph.leave_out(more, "edge");
    finish(&mut graph, now);
    graph
}

fn edge(from: Signal, to: usize, line: Line) -> Edge {
    let head = if from.is_negated() { Head::Circle } else { Head::Arrow };
    Edge { from: from.node(), to, label: Vec::new(), line, head }
}

/// Returns the outputs and constraints.
fn sinks(circuit: &Circuit) -> Vec<(String, Signal)> {
    let outputs = circuit.outputs().iter().enumerate().map(|(i, output)| {
        let name = output.name.as_ref().map_or_else(String::new, |name| format!(" {name}"));
        (format!("output b{i}{name}"), output.signal)
    });
    let constraints = circuit.constraints().iter().enumerate();
    let constraints = constraints.map(|(i, signal)| (format!("constraint c{i}"), *signal));
    let justice = circuit.justices().iter().enumerate().flat_map(|(i, justice)| {
        let name = justice.name.as_ref().map_or_else(String::new, |name| format!(" {name}"));
        justice.signals.iter().map(move |signal| (format!("justice j{i}{name}"), *signal))
    });
    let fairness = circuit.fairness().iter().enumerate();
    let fairness = fairness.map(|(i, signal)| (format!("fairness f{i}"), *signal));
    outputs.chain(constraints).chain(justice).chain(fairness).collect()
}

fn node(circuit: &Circuit, gate: Gate, number: usize, now: Option<&CurrentState>) -> Node {
    match gate {
        Gate::False => Node::named("false"),
        Gate::Input(input) => Node::named(format!("input {}", frames::input_name(circuit, input as usize))),
        Gate::And(..) => Node::named(format!("and {}", Signal::new(number, false).code())),
        Gate::Latch(id) => latch(circuit, id, now),
    }
}

fn latch(circuit: &Circuit, id: LatchId, now: Option<&CurrentState>) -> Node {
    let mut node = Node::named(format!("latch {}", frames::latch_name(circuit, id)));
    match now.and_then(|now| now.value(id.index())) {
        Some(value) => {
            node.lines.push(format!("now {value}"));
            if *value == Value::Bit(true) {
                node.mark(Mark::Now);
            }
        }
        None => node.lines.push(match circuit.latches()[id.index()].reset {
            Reset::Zero => "starts as 0".to_owned(),
            Reset::One => "starts as 1".to_owned(),
            Reset::Open => "starts as 0 or 1".to_owned(),
        }),
    }
    node
}
