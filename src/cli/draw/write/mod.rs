//! The formats of pictures.

pub(crate) mod dot;
pub(crate) mod html;
pub(crate) mod mermaid;
pub(crate) mod sequence;
pub(crate) mod svg;

use super::Picture;
use crate::cli::picture;

/// Returns a picture as SVG.
pub(crate) fn svg(picture: &Picture) -> String {
    match picture {
        Picture::Graph(graph) => svg::svg(graph),
        Picture::Sequence(drawing) => picture::of_drawing(drawing),
    }
}

/// Returns a picture for Graphviz.
pub(crate) fn dot(picture: &Picture) -> String {
    match picture {
        Picture::Graph(graph) => dot::dot_text(graph),
        Picture::Sequence(drawing) => sequence::dot_text(drawing),
    }
}

/// Returns a picture for Mermaid.
pub(crate) fn mermaid(picture: &Picture) -> String {
    match picture {
        Picture::Graph(graph) => mermaid::mermaid_text(graph),
        Picture::Sequence(drawing) => sequence::mermaid_text(drawing),
    }
}

#[cfg(test)]
mod tests;
