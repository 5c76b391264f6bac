//! Writes sequence diagrams for Mermaid, which has such diagrams, and for Graphviz, where they are ladders: a column of
//! nodes for each lane, and a row for each step.

use crate::draw::sequence::{Drawing, short};
use crate::draw::text::{dot, mermaid};
use std::fmt::{self, Write as _};

/// Returns the diagram for Mermaid.
pub fn mermaid_text(drawing: &Drawing) -> String {
    let mut out = String::new();
    // Writing into a string cannot fail.
    let _ = diagram(&mut out, drawing);
    out
}

fn diagram(out: &mut String, drawing: &Drawing) -> fmt::Result {
    let one = |text: String| mermaid(&[text]);
    writeln!(out, "sequenceDiagram\n  accTitle: {}\n  accDescr: {}", one(drawing.title()), one(drawing.end.clone()))?;
    // A diagram needs a lane for its notes.
    let lanes = if drawing.lanes.is_empty() { vec!["(nothing changes)".to_owned()] } else { drawing.lanes.clone() };
    for (i, lane) in lanes.iter().enumerate() {
        writeln!(out, "  participant l{i} as {}", one(named(short(lane))))?;
    }
    for (i, first) in drawing.first.iter().enumerate().filter(|(_, first)| !first.is_empty()) {
        writeln!(out, "  Note over l{i}: {}", one(first.clone()))?;
    }
    let lane = |name: &String| drawing.lanes.iter().position(|lane| lane == name);
    let all = if lanes.len() > 1 { format!("l0,l{}", lanes.len() - 1) } else { "l0".to_owned() };
    for step in &drawing.steps {
        let event = one(named(format!("{}. {}", step.number, short(&step.event))));
        let from = step.requested_by.iter().find_map(lane);
        let to: Vec<usize> = step.changes.iter().filter_map(|change| lane(&change.name)).collect();
        match (from, to.iter().find(|to| Some(**to) != from).or(to.first())) {
            (Some(from), Some(to)) => writeln!(out, "  l{from}->>l{to}: {event}")?,
            _ => writeln!(out, "  Note over {all}: {event}")?,
        }
        for change in &step.changes {
            let Some(at) = lane(&change.name) else { continue };
            writeln!(out, "  Note over l{at}: {}", one(named(short(&change.to))))?;
        }
    }
    for note in drawing.notes() {
        writeln!(out, "  Note over {all}: {}", one(note))?;
    }
    Ok(())
}

/// Returns the text, or a word for an empty one, which Mermaid refuses.
fn named(text: String) -> String {
    if text.trim().is_empty() { "(empty)".to_owned() } else { text }
}

/// Returns the diagram for Graphviz.
pub fn dot_text(drawing: &Drawing) -> String {
    let mut out = String::new();
    // Writing into a string cannot fail.
    let _ = ladder(&mut out, drawing);
    out
}

fn ladder(out: &mut String, drawing: &Drawing) -> fmt::Result {
    let head: Vec<String> = std::iter::once(drawing.title()).chain(drawing.notes()).collect();
    writeln!(out, "digraph impasse {{\n  label={};\n  node [shape=box, style=rounded];", dot(&head))?;
    writeln!(out, "  e0 [shape=plaintext, label=\"\"];")?;
    for (i, (lane, first)) in drawing.lanes.iter().zip(&drawing.first).enumerate() {
        writeln!(out, "  l{i}r0 [shape=plaintext, label={}];", dot(&[short(lane), first.clone()]))?;
    }
    let ranked: Vec<String> = (0..drawing.lanes.len()).map(|i| format!("l{i}r0;")).collect();
    writeln!(out, "  {{ rank=same; e0; {} }}", ranked.join(" "))?;
    let mut last = vec![0; drawing.lanes.len()];
    for (row, step) in (1..).zip(&drawing.steps) {
        let event = format!("{}. {}", step.number, short(&step.event));
        writeln!(out, "  e{row} [shape=plaintext, label={}];", dot(&[event]))?;
        writeln!(out, "  e{} -> e{row} [style=invis];", row - 1)?;
        let mut same = format!("e{row};");
        let mut before = format!("e{row}");
        for change in &step.changes {
            let Some(lane) = drawing.lanes.iter().position(|lane| *lane == change.name) else { continue };
            writeln!(out, "  l{lane}r{row} [label={}];", dot(&[short(&change.to)]))?;
            writeln!(out, "  l{lane}r{} -> l{lane}r{row};", last[lane])?;
            writeln!(out, "  {before} -> l{lane}r{row} [dir=none, style=dashed, constraint=false];")?;
            let _ = write!(same, " l{lane}r{row};");
            (last[lane], before) = (row, format!("l{lane}r{row}"));
        }
        writeln!(out, "  {{ rank=same; {same} }}")?;
    }
    writeln!(out, "}}")
}
