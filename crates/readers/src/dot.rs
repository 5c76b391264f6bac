//! Writer for Graphviz. A behavioral program has one cluster for each thread, and one edge for each pair of
//! states that events connect. The label of the edge has these events.

mod net;
mod threads;

use formats::error::WriteError;
use formats::format::Format;
use model::{EventId, EventSet, LocalId, LocalState, Problem, Program, SystemModel, Thread, ThreadId};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The largest number of events that one label names. Further events are only counted.
const NAMED: usize = 8;

/// Graphviz, for drawings.
pub(crate) const FORMAT: Format = Format {
    name: "dot",
    extensions: &["dot", "gv"],
    family: model::Family::Programs,
    doc: "Threads, nets and thread-transition systems as graphs, for Graphviz (output only).",
    read: None,
    write: Some(write),
    says_goals: false,
};

fn write(problem: &Problem, out: &mut dyn Write) -> Result<(), WriteError> {
    match problem.system() {
        SystemModel::Rwb(program) => write_program(program, out)?,
        SystemModel::Net(net) => net::write(net, out)?,
        SystemModel::Threads(system) => threads::write(system, out)?,
        other => {
            return Err(WriteError::feature("dot", other.noun()));
        }
    }
    Ok(())
}

fn write_program(program: &Program, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "digraph program {{\n  node [shape=box, style=rounded];")?;
    for (t, thread) in program.threads().iter().enumerate() {
        writeln!(out, "  subgraph cluster_{t} {{\n    label={};", quoted(&thread.name))?;
        for (s, state) in thread.states.iter().enumerate() {
            write_state(program, thread, t, s, state, out)?;
        }
        writeln!(out, "  }}")?;
    }
    writeln!(out, "}}")
}

fn write_state(
    program: &Program,
    thread: &Thread,
    t: usize,
    s: usize,
    state: &LocalState,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut label = state.name.clone();
    if !state.bad {
        for (word, set) in [("request", &state.request), ("block", &state.block)] {
            if !set.is_empty() {
                label.push_str(&format!("\n{word} {}", events(program, set)));
            }
        }
        match program.priority(ThreadId::new(t), LocalId::new(s)) {
            0 => {}
            priority => label.push_str(&format!("\npriority {priority}")),
        }
    }
    let initial = if thread.initial.contains(&LocalId::new(s)) { ", penwidth=2" } else { "" };
    let bad = if state.bad { ", style=filled, fillcolor=salmon" } else { "" };
    let ends = if program.is_final(ThreadId::new(t), LocalId::new(s)) { ", peripheries=2" } else { "" };
    let hot = if program.is_hot(ThreadId::new(t), LocalId::new(s)) { ", color=red" } else { "" };
    writeln!(out, "    s{t}_{s} [label={}{initial}{bad}{ends}{hot}];", quoted(&label))?;
    let mut edges: BTreeMap<LocalId, Vec<EventId>> = BTreeMap::new();
    for (event, targets) in &state.on {
        for target in targets {
            edges.entry(*target).or_default().push(*event);
        }
    }
    for (target, list) in edges {
        let set = EventSet::from_events(program.events().len(), list);
        writeln!(out, "    s{t}_{s} -> s{t}_{} [label={}];", target.index(), quoted(&events(program, &set)))?;
    }
    Ok(())
}

fn events(program: &Program, set: &EventSet) -> String {
    if set.is_full() && set.len() > 1 {
        return "*".to_owned();
    }
    let mut names: Vec<&str> = set.iter().take(NAMED).map(|e| program.event_name(e)).collect();
    let more = format!("and {} more", set.len().saturating_sub(NAMED));
    if set.len() > NAMED {
        names.push(&more);
    }
    names.join(", ")
}

/// Returns a text as a quoted string of the DOT language.
fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{escaped}\"")
}
