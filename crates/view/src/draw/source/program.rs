//! Behavioral programs: a graph for each thread. Solid edges are requests, dashed edges are events that the thread only
//! waits for.

use super::{CurrentState, Labels, finish, nearest};
use crate::draw::graph::{Graph, Group, Line, Mark, Node};
use crate::positions;
use crate::steps::Value;
use crate::text::names;
use model::{LocalId, Program, ThreadId};

/// Maximum number of events that a state names.
const NAMED: usize = 3;

/// Returns the graphs of the threads, with at most `most` nodes together.
pub fn graph(program: &Program, now: Option<&CurrentState>, most: usize) -> Graph {
    let mut graph = Graph {
        title: format!("{} as graphs", crate::text::plural(program.threads().len() as u64, "thread")),
        about: "Each thread is a graph of its states. Solid edges are requested events, dashed edges are events that \
                the thread waits for."
            .to_owned(),
        notes: vec!["Solid edges: requested events; dashed edges: events that the thread waits for.".to_owned()],
        ..Graph::default()
    };
    let (mut left, mut threads, mut states, mut edges) = (most, 0, 0, 0);
    for (t, thread) in program.threads().iter().enumerate() {
        if left == 0 {
            threads += 1;
            continue;
        }
        let (group, hidden) = group(program, ThreadId::new(t), now.and_then(|now| now.value(t)), left);
        left -= group.nodes.len();
        states += thread.states.len() - group.nodes.len();
        edges += hidden;
        graph.groups.push(group);
    }
    graph.leave_out(threads, "thread");
    graph.leave_out(states, "state");
    graph.leave_out(edges, "edge");
    finish(&mut graph, now);
    graph
}

/// Returns the graph of a thread with at most `most` states, and the number of edges that are left out.
fn group(program: &Program, t: ThreadId, now: Option<&Value>, most: usize) -> (Group, usize) {
    let thread = program.thread(t);
    let roots: Vec<usize> = thread.initial.iter().map(|s| s.index()).collect();
    let is_now = |s: usize| now == Some(&Value::State(thread.states[s].name.clone()));
    let current = (0..thread.states.len()).find(|s| is_now(*s));
    let roots: Vec<usize> = current.into_iter().chain(roots).collect();
    let next = |s: usize| thread.states[s].on.values().flatten().map(|to| to.index()).collect();
    let chosen = nearest(thread.states.len(), most, &roots, next);
    let number = |s: usize| chosen.binary_search(&s).ok();
    let mut labels = Labels::default();
    let mut nodes = Vec::with_capacity(chosen.len());
    for (from, &s) in chosen.iter().enumerate() {
        let state = thread.state(LocalId::new(s));
        nodes.push(node(program, t, LocalId::new(s), is_now(s)));
        for (event, targets) in &state.on {
            let line = if state.request.contains(*event) { Line::Solid } else { Line::Dashed };
            for to in targets {
                match number(to.index()) {
                    Some(to) => labels.add(from, to, line, program.event_name(*event).to_owned()),
                    None => nodes[from].mark(Mark::Open),
                }
            }
        }
        // A request without a move leaves the thread where it is.
        for event in state.request.iter().filter(|event| !state.on.contains_key(event)) {
            labels.add(from, from, Line::Solid, program.event_name(event).to_owned());
        }
    }
    let (edges, hidden) = labels.edges(nodes.len());
    (Group { name: thread.name.clone(), nodes, edges }, hidden)
}

fn node(program: &Program, t: ThreadId, s: LocalId, is_now: bool) -> Node {
    let state = program.thread(t).state(s);
    let mut node = Node::named(positions::act(program, t, s));
    if !state.bad && !state.block.is_empty() {
        let blocked = match state.block.is_full() {
            true => "everything".to_owned(),
            false => {
                let all: Vec<&str> = state.block.iter().map(|event| program.event_name(event)).collect();
                names(all, NAMED)
            }
        };
        node.lines.push(format!("blocks {blocked}"));
    }
    if program.priority(t, s) != 0 {
        node.lines.push(format!("priority {}", program.priority(t, s)));
    }
    node.initial = program.thread(t).initial.contains(&s);
    let marks = [
        (state.bad, Mark::Bad),
        (program.is_final(t, s), Mark::Final),
        (program.is_hot(t, s), Mark::Hot),
        (is_now, Mark::Now),
    ];
    marks.into_iter().filter(|(holds, _)| *holds).for_each(|(_, mark)| node.mark(mark));
    node
}
