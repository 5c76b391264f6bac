//! The formats of pictures.

pub mod dot;
pub mod html;
pub mod mermaid;
pub mod sequence;
pub mod svg;

use crate::draw::graph::Graph;
use crate::draw::sequence::{Drawing, of_drawing};

/// A picture, before it is written in a format.
pub enum Picture {
    /// A graph.
    Graph(Graph),
    /// A sequence diagram.
    Sequence(Box<Drawing>),
}

/// Returns a picture as SVG.
pub fn svg(picture: &Picture) -> String {
    match picture {
        Picture::Graph(graph) => svg::svg(graph),
        Picture::Sequence(drawing) => of_drawing(drawing),
    }
}

/// Returns a picture for Graphviz.
pub fn dot(picture: &Picture) -> String {
    match picture {
        Picture::Graph(graph) => dot::dot_text(graph),
        Picture::Sequence(drawing) => sequence::dot_text(drawing),
    }
}

/// Returns a picture for Mermaid.
pub fn mermaid(picture: &Picture) -> String {
    match picture {
        Picture::Graph(graph) => mermaid::mermaid_text(graph),
        Picture::Sequence(drawing) => sequence::mermaid_text(drawing),
    }
}

#[cfg(test)]
mod tests;
