//! Thread-transition systems as graphs: a node for each local state, and an edge for each pair of local states
//! with a transition between them. The label has the shared states before and after. Dashed edges start a
//! thread, bold edges move all threads, dotted edges move the other threads of a broadcast.

use super::NAMED;
use model::{Act, LocalId, ThreadTransitionSystem};
use num_traits::Zero;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The style of an edge.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Style {
    Solid,
    Dashed,
    Bold,
    Dotted,
}

impl Style {
    fn name(self) -> &'static str {
        match self {
            Style::Solid => "solid",
            Style::Dashed => "dashed",
            Style::Bold => "bold",
            Style::Dotted => "dotted",
        }
    }
}

pub(super) fn write(system: &ThreadTransitionSystem, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "digraph threads {{\n  label=\"shared state {} of {}\";",
        system.initial().shared.0,
        system.shared()
    )?;
    for local in (0..system.locals()).map(LocalId) {
        let least = system.initial().threads.get(&local).filter(|n| !n.is_zero()).map(ToString::to_string);
        let start = match (least, system.initial().any.contains(&local)) {
            (Some(least), true) => format!("\\n>= {least}"),
            (Some(least), false) => format!("\\n{least}"),
            (None, true) => "\\nany".to_owned(),
            (None, false) => String::new(),
        };
        let width = if start.is_empty() { "" } else { ", penwidth=2" };
        writeln!(out, "  l{} [shape=circle, label=\"{}{start}\"{width}];", local.0, local.0)?;
    }
    let mut edges: BTreeMap<(LocalId, LocalId, Style), Vec<String>> = BTreeMap::new();
    for t in system.transitions() {
        let label = format!("{} -> {}", t.from.0.0, t.to.0.0);
        let style = match t.act {
            Act::Move => Style::Solid,
            Act::Spawn => Style::Dashed,
            Act::Transfer => Style::Bold,
        };
        edges.entry((t.from.1, t.to.1, style)).or_default().push(label.clone());
        for (source, targets) in &t.passive {
            for target in targets {
                edges.entry((*source, *target, Style::Dotted)).or_default().push(label.clone());
            }
        }
    }
    for ((from, to, style), mut labels) in edges {
        labels.dedup();
        let more = labels.len().saturating_sub(NAMED);
        labels.truncate(NAMED);
        if more > 0 {
            labels.push(format!("and {more} more"));
        }
        let label = labels.join("\\n");
        writeln!(out, "  l{} -> l{} [style={}, label=\"{label}\"];", from.0, to.0, style.name())?;
    }
    writeln!(out, "}}")
}
