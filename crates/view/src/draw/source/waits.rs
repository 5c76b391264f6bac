//! The wait-for graph of a behavioral program in the state at the end of a run ([`crate::waits`]).

use super::{CurrentState, Labels, finish};
use crate::draw::graph::{Graph, Group, Line, Mark, Node};
use crate::positions;
use crate::steps::Value;
use crate::waits::Waits;
use model::{LocalId, Program, ThreadId};
use std::collections::BTreeSet;

/// Returns the graph with at most `most` threads.
pub fn graph(program: &Program, now: &CurrentState, most: usize) -> Graph {
    let at = local(program, now);
    let waits = Waits::of(program, &at);
    let cycle: BTreeSet<usize> = waits.cycle.iter().copied().collect();
    let in_cycle: BTreeSet<ThreadId> = cycle.iter().map(|edge| waits.edges[*edge].from).collect();
    let named: BTreeSet<ThreadId> = waits.edges.iter().flat_map(|wait| [wait.from, wait.to]).collect();
    let mut threads: Vec<ThreadId> = in_cycle.iter().copied().collect();
    threads.extend(named.into_iter().filter(|thread| !in_cycle.contains(thread)));
    let hidden = threads.len().saturating_sub(most);
    threads.truncate(most);
    threads.sort_unstable();
    let node = |t: &ThreadId| {
        let mut node = Node::named(program.thread(*t).name.clone());
        node.lines.push(positions::whereabouts(program, *t, LocalId(at[t.index()])));
        if in_cycle.contains(t) {
            node.mark(Mark::Bad);
        }
        node
    };
    let nodes: Vec<Node> = threads.iter().map(node).collect();
    let number = |t: ThreadId| threads.binary_search(&t).ok();
    let mut labels = Labels::default();
    for (edge, wait) in waits.edges.iter().enumerate() {
        let (Some(from), Some(to)) = (number(wait.from), number(wait.to)) else { continue };
        let line = match (cycle.contains(&edge), wait.is_blocked) {
            (true, _) => Line::Bold,
            (false, true) => Line::Solid,
            (false, false) => Line::Dashed,
        };
        labels.add(from, to, line, program.event_name(wait.event).to_owned());
    }
    let (edges, more) = labels.edges(nodes.len());
    let mut graph = Graph {
        title: "Who waits for whom".to_owned(),
        about: "An edge leads from a thread to one that it waits for, with the event that does not happen.".to_owned(),
        groups: vec![Group { name: String::new(), nodes, edges }],
        notes: vec![match waits.cycle.is_empty() {
            true => "Solid edges: blocked requests; dashed edges: awaited events. There is no cycle.".to_owned(),
            false => "Bold edges: the cycle in which threads wait for each other.".to_owned(),
        }],
    };
    graph.leave_out(hidden, "thread");
    graph.leave_out(more, "edge");
    finish(&mut graph, Some(now));
    graph
}

/// Returns the numbers of the local states. Their names are different in each thread.
fn local(program: &Program, now: &CurrentState) -> Vec<u32> {
    let of = |(thread, value): (&model::Thread, Option<&Value>)| {
        let is_it = |state: &model::LocalState| value == Some(&Value::State(state.name.clone()));
        thread.states.iter().position(is_it).unwrap_or(0) as u32
    };
    program.threads().iter().enumerate().map(|(t, thread)| of((thread, now.value(t)))).collect()
}
