//! Writes graphs for Mermaid, which many renderers of Markdown know.

use crate::draw::graph::{Graph, Head, Line, Mark, Node, Shape};
use crate::draw::text::mermaid;
use std::fmt::{self, Write as _};

/// Returns the text of the graph for Mermaid.
pub fn mermaid_text(graph: &Graph) -> String {
    let mut out = String::new();
    // Writing into a string cannot fail.
    let _ = document(&mut out, graph);
    out
}

fn document(out: &mut String, graph: &Graph) -> fmt::Result {
    let one = |text: &String| mermaid(std::slice::from_ref(text));
    writeln!(out, "flowchart TD")?;
    // Mermaid takes the next line for an empty title.
    for (word, text) in [("accTitle", &graph.title), ("accDescr", &graph.about)] {
        if !one(text).trim().is_empty() {
            writeln!(out, "  {word}: {}", one(text))?;
        }
    }
    for (g, group) in graph.groups.iter().enumerate() {
        writeln!(out, "  subgraph g{g}[\"{}\"]", one(if group.name.is_empty() { &graph.title } else { &group.name }))?;
        for (n, node) in group.nodes.iter().enumerate() {
            let (open, close) = if node.shape == Shape::Circle { ("((", "))") } else { ("[", "]") };
            let class = if node.mark == Mark::Plain { String::new() } else { format!(":::{}", class(node.mark)) };
            writeln!(out, "    g{g}n{n}{open}\"{}\"{close}{class}", mermaid(&lines(node)))?;
            if node.initial && node.shape == Shape::Box {
                writeln!(out, "    g{g}i{n}(( )) --> g{g}n{n}")?;
            }
        }
        for edge in &group.edges {
            let label = match &edge.label[..] {
                [] => String::new(),
                _ => format!("|\"{}\"|", mermaid(&edge.shown())),
            };
            let arrow = match (edge.line, edge.head) {
                (Line::Solid, Head::Arrow) => "-->",
                (Line::Solid, Head::Circle) => "--o",
                (Line::Solid, Head::None) => "---",
                (Line::Bold, Head::Arrow) => "==>",
                (Line::Bold, Head::Circle) => "==o",
                (Line::Bold, Head::None) => "===",
                (Line::Dashed | Line::Dotted, Head::Arrow) => "-.->",
                (Line::Dashed | Line::Dotted, Head::Circle) => "-.-o",
                (Line::Dashed | Line::Dotted, Head::None) => "-.-",
            };
            writeln!(out, "    g{g}n{} {arrow}{label} g{g}n{}", edge.from, edge.to)?;
        }
        writeln!(out, "  end")?;
    }
    for (n, note) in graph.notes.iter().enumerate() {
        writeln!(out, "  note{n}[\"{}\"]:::note", one(note))?;
    }
    for (mark, style) in [
        (Mark::Open, "stroke-dasharray:4 3"),
        (Mark::Final, "stroke-width:4px"),
        (Mark::Hot, "stroke:#c98a00"),
        (Mark::Bad, "stroke:#d0342c"),
        (Mark::Now, "stroke:#2a7de1,stroke-width:4px"),
    ] {
        if graph.groups.iter().flat_map(|group| &group.nodes).any(|node| node.mark == mark) {
            writeln!(out, "  classDef {} {style}", class(mark))?;
        }
    }
    if graph.notes.is_empty() { Ok(()) } else { writeln!(out, "  classDef note fill:none,stroke:none") }
}

/// The name of a mark. `open` and the like mean something in Mermaid.
fn class(mark: Mark) -> String {
    format!("mark_{}", mark.class())
}

/// Returns the lines of a node. Mermaid refuses nodes without a text.
fn lines(node: &Node) -> Vec<String> {
    let lines = node.shown();
    if lines.iter().all(|line| line.trim().is_empty()) { vec!["(no name)".to_owned()] } else { lines }
}
