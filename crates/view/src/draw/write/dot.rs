//! Writes graphs for Graphviz, which makes its own layout. Positions of the file are kept for its program `neato -n`.

use crate::draw::graph::{Graph, Head, Line, Mark, Node, Shape};
use crate::draw::text::dot;
use std::fmt::{self, Write as _};

/// Returns the text of the graph for Graphviz.
pub fn dot_text(graph: &Graph) -> String {
    let mut out = String::new();
    // Writing into a string cannot fail.
    let _ = document(&mut out, graph);
    out
}

fn document(out: &mut String, graph: &Graph) -> fmt::Result {
    let head: Vec<String> = std::iter::once(&graph.title).chain(&graph.notes).cloned().collect();
    writeln!(out, "digraph impasse {{\n  label={};\n  node [shape=box, style=rounded];", dot(&head))?;
    for (g, group) in graph.groups.iter().enumerate() {
        if !group.name.is_empty() {
            writeln!(out, "  subgraph cluster_{g} {{\n  label={};", dot(std::slice::from_ref(&group.name)))?;
        }
        for (n, node) in group.nodes.iter().enumerate() {
            writeln!(out, "  g{g}n{n} [{}];", attributes(node))?;
            if node.initial && node.shape == Shape::Box {
                writeln!(out, "  g{g}i{n} [shape=point]; g{g}i{n} -> g{g}n{n};")?;
            }
        }
        for edge in &group.edges {
            write!(out, "  g{g}n{} -> g{g}n{}", edge.from, edge.to)?;
            let mut all = Vec::new();
            if !edge.label.is_empty() {
                all.push(format!("label={}", dot(&edge.shown())));
            }
            match edge.line {
                Line::Solid => {}
                Line::Dashed => all.push("style=dashed".to_owned()),
                Line::Dotted => all.push("style=dotted".to_owned()),
                Line::Bold => all.push("style=bold".to_owned()),
            }
            match edge.head {
                Head::Arrow => {}
                Head::Circle => all.push("arrowhead=odot".to_owned()),
                Head::None => all.push("arrowhead=none".to_owned()),
            }
            writeln!(out, "{};", if all.is_empty() { String::new() } else { format!(" [{}]", all.join(", ")) })?;
        }
        if !group.name.is_empty() {
            writeln!(out, "  }}")?;
        }
    }
    writeln!(out, "}}")
}

fn attributes(node: &Node) -> String {
    let mut all = vec![format!("label={}", dot(&node.shown()))];
    match node.shape {
        Shape::Box => {}
        Shape::Circle => {
            // The tokens are in the circle, and the name is beside it.
            let tokens = node.lines.first().cloned().unwrap_or_default();
            let name = Node { lines: node.lines.iter().skip(1).cloned().collect(), ..node.clone() };
            all = vec![format!("shape=circle, label={}, xlabel={}", dot(&[tokens]), dot(&name.shown()))];
        }
        Shape::Bar => all.push("style=solid".to_owned()),
    }
    match node.mark {
        Mark::Plain => {}
        Mark::Open => all.push("style=dashed".to_owned()),
        Mark::Final => all.push("peripheries=2".to_owned()),
        Mark::Hot => all.push("color=orange".to_owned()),
        Mark::Bad => all.push("color=red".to_owned()),
        Mark::Now => all.push("color=blue, penwidth=3".to_owned()),
    }
    if let Some((x, y)) = node.spot {
        // Graphviz counts upwards.
        all.push(format!("pos=\"{x:.1},{:.1}\"", -y));
    }
    all.join(", ")
}
