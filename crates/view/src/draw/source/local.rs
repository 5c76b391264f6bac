//! Thread-transition systems: a graph of the local states, and a graph of the shared states.

use super::{CurrentState, Labels, finish, nearest};
use crate::draw::graph::{Graph, Group, Line, Mark, Node};
use crate::steps::Value;
use model::{Act, LocalId, SharedId, ThreadTransitionSystem};
use num_bigint::BigUint;

/// Returns the graphs of the system, with at most `most` nodes together.
pub fn graph(threads: &ThreadTransitionSystem, now: Option<&CurrentState>, most: usize) -> Graph {
    let mut graph = Graph {
        title: "Local and shared states of a thread-transition system".to_owned(),
        about: "Edges between local states are labelled with the shared states before and after.".to_owned(),
        notes: vec![
            "Local states: solid edges move a thread, dashed edges start one, bold edges move all threads, dotted edges"
                .to_owned(),
            "move the other threads. Labels are the shared states before and after.".to_owned(),
        ],
        ..Graph::default()
    };
    let shared_most = (most / 3).max(most.saturating_sub(threads.locals() as usize));
    let (shared, more_shared) = shared(threads, now, shared_most);
    let (local, more_local) = local(threads, now, most - shared.nodes.len());
    let states = [(&shared, threads.shared()), (&local, threads.locals())];
    let left_out = states.iter().map(|(group, all)| *all as usize - group.nodes.len()).sum();
    graph.groups = vec![local, shared];
    graph.leave_out(left_out, "state");
    graph.leave_out(more_shared + more_local, "edge");
    finish(&mut graph, now);
    graph
}

fn local(threads: &ThreadTransitionSystem, now: Option<&CurrentState>, most: usize) -> (Group, usize) {
    let mut leaving: Vec<Vec<(usize, Line, String)>> = vec![Vec::new(); threads.locals() as usize];
    for t in threads.transitions() {
        let label = format!("{} -> {}", t.from.0.0, t.to.0.0);
        let line = match t.act {
            Act::Move => Line::Solid,
            Act::Spawn => Line::Dashed,
            Act::Transfer => Line::Bold,
        };
        leaving[t.from.1.index()].push((t.to.1.index(), line, label.clone()));
        for (from, to) in t.passive.iter().flat_map(|(from, all)| all.iter().map(move |to| (from, to))) {
            leaving[from.index()].push((to.index(), Line::Dotted, label.clone()));
        }
    }
    let initial = threads.initial();
    let is_initial = |l: usize| {
        let l = LocalId::new(l);
        initial.threads.contains_key(&l) || initial.any.contains(&l)
    };
    let roots: Vec<usize> = (0..leaving.len()).filter(|l| is_initial(*l)).take(most).collect();
    let chosen = nearest(leaving.len(), most, &roots, |l| leaving[l].iter().map(|(to, ..)| *to).collect());
    let mut labels = Labels::default();
    let mut nodes = Vec::with_capacity(chosen.len());
    for (from, &l) in chosen.iter().enumerate() {
        let mut node = Node { initial: is_initial(l), ..Node::named(format!("local {l}")) };
        match now {
            Some(now) => {
                let tokens = now.value(threads.local_place(LocalId::new(l)).index());
                if let Some(Value::Tokens(count)) = tokens.filter(|t| **t != Value::Tokens(BigUint::ZERO)) {
                    node.lines.push(format!("threads: {count}"));
                    node.mark(Mark::Now);
                }
            }
            None => node.lines.extend(start(threads, LocalId::new(l))),
        }
        for (to, line, label) in &leaving[l] {
            match chosen.binary_search(to) {
                Ok(to) => labels.add(from, to, *line, label.clone()),
                Err(_) => node.mark(Mark::Open),
            }
        }
        nodes.push(node);
    }
    let (edges, hidden) = labels.edges(nodes.len());
    (Group { name: "local states".to_owned(), nodes, edges }, hidden)
}

/// Returns how many threads start in a local state.
fn start(threads: &ThreadTransitionSystem, local: LocalId) -> Option<String> {
    let initial = threads.initial();
    match (initial.threads.get(&local), initial.any.contains(&local)) {
        (Some(count), true) => Some(format!("at least {count} threads")),
        (Some(count), false) => Some(format!("threads: {count}")),
        (None, true) => Some("any number of threads".to_owned()),
        (None, false) => None,
    }
}

fn shared(threads: &ThreadTransitionSystem, now: Option<&CurrentState>, most: usize) -> (Group, usize) {
    let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); threads.shared() as usize];
    let changes = threads.transitions().iter().filter(|t| t.from.0 != t.to.0);
    changes.for_each(|t| leaving[t.from.0.index()].push(t.to.0.index()));
    let first = threads.initial().shared.index();
    let chosen = nearest(leaving.len(), most, &[first], |s| leaving[s].clone());
    let mut labels = Labels::default();
    let mut nodes = Vec::with_capacity(chosen.len());
    for (from, &s) in chosen.iter().enumerate() {
        let mut node = Node { initial: s == first, ..Node::named(format!("shared {s}")) };
        let tokens = now.and_then(|now| now.value(threads.shared_place(SharedId::new(s)).index()));
        if tokens.is_some_and(|tokens| *tokens != Value::Tokens(BigUint::ZERO)) {
            node.mark(Mark::Now);
        }
        for to in &leaving[s] {
            match chosen.binary_search(to) {
                Ok(to) => labels.add(from, to, Line::Solid, String::new()),
                Err(_) => node.mark(Mark::Open),
            }
        }
        nodes.push(node);
    }
    let (mut edges, hidden) = labels.edges(nodes.len());
    edges.iter_mut().for_each(|edge| edge.label.clear());
    (Group { name: "shared states".to_owned(), nodes, edges }, hidden)
}
