//! Programs with unbounded data: a graph of locations for each thread. Tests and values are not drawn, so an edge says
//! that a step is possible for some values.

use super::{CurrentState, Labels, finish, nearest};
use crate::draw::graph::{Graph, Group, Line, Mark, Node};
use crate::steps::{self, Value};
use model::DecisionId;
use model::data::{DataProgram, DataThread, Decision, LocationKind};

/// Returns the graphs of the threads, with at most `most` nodes together.
pub fn graph(program: &DataProgram, now: Option<&CurrentState>, most: usize) -> Graph {
    let mut graph = Graph {
        title: format!("{} with data as graphs", crate::text::plural(program.threads().len() as u64, "thread")),
        about: "Each thread is a graph of its locations. An edge is possible for some values of the data.".to_owned(),
        notes: vec![
            "An edge is possible for some values; * stands for a value. Dashed edges: the thread waits.".to_owned(),
        ],
        ..Graph::default()
    };
    let (mut left, mut threads, mut locations, mut edges) = (most, 0, 0, 0);
    for (t, thread) in program.threads().iter().enumerate() {
        if left == 0 {
            threads += 1;
            continue;
        }
        let (group, hidden) = group(program, thread, now.and_then(|now| now.value(t)), left);
        left -= group.nodes.len();
        locations += thread.locations.len() - group.nodes.len();
        edges += hidden;
        graph.groups.push(group);
    }
    graph.leave_out(threads, "thread");
    graph.leave_out(locations, "location");
    graph.leave_out(edges, "edge");
    finish(&mut graph, now);
    graph
}

fn group(program: &DataProgram, thread: &DataThread, now: Option<&Value>, most: usize) -> (Group, usize) {
    let starts: Vec<usize> = ends(thread, thread.initial).into_iter().filter_map(|(to, _)| to).collect();
    let moves = |from: usize| {
        let all = thread.locations[from].on.iter();
        all.flat_map(move |(event, decision)| {
            let ends = ends(thread, *decision).into_iter();
            ends.map(move |(to, requests)| (*event, to, requests))
        })
    };
    let chosen =
        nearest(thread.locations.len(), most, &starts, |from| moves(from).filter_map(|(_, to, _)| to).collect());
    let mut labels = Labels::default();
    let mut nodes = Vec::with_capacity(chosen.len());
    for (from, &l) in chosen.iter().enumerate() {
        let location = &thread.locations[l];
        let text = steps::location(location);
        let mut node = Node { initial: starts.contains(&l), ..Node::named(text.clone()) };
        match location.kind {
            LocationKind::Plain => {}
            LocationKind::Final => node.mark(Mark::Final),
            LocationKind::Bad => node.mark(Mark::Bad),
        }
        if now == Some(&Value::State(text)) {
            node.mark(Mark::Now);
        }
        for (event, to, requests) in moves(l) {
            let line = if requests { Line::Solid } else { Line::Dashed };
            // A thread that ignores an event for some values needs no edge.
            if to.is_none() && !requests {
                continue;
            }
            match chosen.binary_search(&to.unwrap_or(l)) {
                Ok(to) => labels.add(from, to, line, program.events()[event.index()].family()),
                Err(_) => node.mark(Mark::Open),
            }
        }
        nodes.push(node);
    }
    let (edges, hidden) = labels.edges(nodes.len());
    (Group { name: thread.name.clone(), nodes, edges }, hidden)
}

/// Returns the ends of a decision that do not block: where the thread goes (`None`: it stays), and whether it requests.
fn ends(thread: &DataThread, decision: DecisionId) -> Vec<(Option<usize>, bool)> {
    let mut found = Vec::new();
    let mut is_seen = vec![false; thread.decisions.len()];
    let mut open = vec![decision];
    while let Some(at) = open.pop() {
        if std::mem::replace(&mut is_seen[at.index()], true) {
            continue;
        }
        match &thread.decisions[at.index()] {
            Decision::End(outcome) if outcome.blocks => {}
            Decision::End(outcome) => {
                let end = (outcome.go.as_ref().map(|(to, _)| to.index()), outcome.requests);
                if !found.contains(&end) {
                    found.push(end);
                }
            }
            decision => open.extend(decision.parts()),
        }
    }
    found
}
