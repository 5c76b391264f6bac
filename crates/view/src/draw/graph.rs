//! A small model of graphs, between the kinds of systems and the formats of pictures. A kind provides nodes and edges,
//! and each format writes them.

use crate::text::plural;
use std::fmt::Display;

/// Maximum number of characters of a name on a picture.
const SHOWN: usize = 32;
/// Maximum number of characters of the text that appears when the mouse points at a node.
const TITLE: usize = 500;
/// Maximum number of lines of a node or a label.
const LINES: usize = 6;

/// A picture of a system: one graph, or several beside each other.
#[derive(Debug, Default)]
pub struct Graph {
    /// The title.
    pub title: String,
    /// One sentence for people that do not see the picture.
    pub about: String,
    /// The groups of nodes.
    pub groups: Vec<Group>,
    /// What the picture says below the graphs: what was left out, how to read marks.
    pub notes: Vec<String>,
}

/// A graph of its own, such as a thread.
#[derive(Debug, Default)]
pub struct Group {
    /// The name above the graph. Empty if the graph is the only one.
    pub name: String,
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The edges.
    pub edges: Vec<Edge>,
}

/// A node.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// The name, in full.
    pub name: String,
    /// Further lines, in full.
    pub lines: Vec<String>,
    /// Its shape.
    pub shape: Shape,
    /// How it is marked.
    pub mark: Mark,
    /// True if runs begin here.
    pub initial: bool,
    /// Where the file draws the node.
    pub spot: Option<(f64, f64)>,
}

/// The outline of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Shape {
    /// A box around the text.
    #[default]
    Box,
    /// A place of a net: a circle. The first line is in the circle, and the name is beside it.
    Circle,
    /// A transition of a net: a bar. The text is beside it.
    Bar,
}

/// What is special about a node. A picture shows one mark of a node, the greatest one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Mark {
    /// Not marked.
    #[default]
    Plain,
    /// Not all that follows is shown.
    Open,
    /// The thread may end here.
    Final,
    /// The thread must not stay here.
    Hot,
    /// Bad, or without a step.
    Bad,
    /// The current state, or the step that led to it.
    Now,
}

impl Mark {
    /// Every mark that pictures explain, with its meaning.
    pub const EXPLAINED: [(Self, &'static str); 5] = [
        (Self::Open, "more follows here"),
        (Self::Final, "proper end"),
        (Self::Hot, "hot"),
        (Self::Bad, "bad, or no step"),
        (Self::Now, "now"),
    ];

    /// The name in style sheets.
    pub fn class(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Open => "open",
            Self::Final => "final",
            Self::Hot => "hot",
            Self::Bad => "bad",
            Self::Now => "now",
        }
    }
}

/// An edge.
#[derive(Clone, Debug, Default)]
pub struct Edge {
    /// The node where it starts.
    pub from: usize,
    /// The node where it ends.
    pub to: usize,
    /// The lines of its label, in full.
    pub label: Vec<String>,
    /// How its line is drawn.
    pub line: Line,
    /// What is at its end.
    pub head: Head,
}

/// How a line is drawn.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Line {
    /// A solid line.
    #[default]
    Solid,
    /// A dashed line.
    Dashed,
    /// A dotted line.
    Dotted,
    /// A bold line.
    Bold,
}

/// The end of an edge.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Head {
    /// An arrow.
    #[default]
    Arrow,
    /// A circle: an inhibitor arc, or a negation.
    Circle,
    /// Nothing: a test.
    None,
}

impl Node {
    /// Returns a node with the shape of a box.
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Raises the mark.
    pub fn mark(&mut self, mark: Mark) {
        self.mark = self.mark.max(mark);
    }

    /// Returns the name and the lines that are not empty.
    fn texts(&self) -> Vec<&str> {
        let all = std::iter::once(&self.name).chain(&self.lines);
        all.map(String::as_str).filter(|line| !line.is_empty()).collect()
    }

    /// Returns the text of the node as lines, each of them short.
    pub fn shown(&self) -> Vec<String> {
        few(&self.texts())
    }

    /// Returns the text of the node in one line, in full unless it is very long.
    pub fn in_full(&self) -> String {
        cut(&self.texts().join("; "), TITLE)
    }
}

impl Edge {
    /// Returns the lines of the label, each of them short.
    pub fn shown(&self) -> Vec<String> {
        few(&self.label.iter().map(String::as_str).collect::<Vec<_>>())
    }
}

impl Graph {
    /// Adds a note if something was left out.
    pub fn leave_out(&mut self, count: usize, what: &str) {
        if count > 0 {
            self.notes.push(format!("Left out: {}.", plural(count as u64, what)));
        }
    }

    /// Adds a note that explains the marks that occur.
    pub fn explain_marks(&mut self) {
        let nodes = || self.groups.iter().flat_map(|group| &group.nodes);
        let used = Mark::EXPLAINED.iter().filter(|(mark, _)| nodes().any(|node| node.mark == *mark));
        let texts: Vec<String> = used.map(|(mark, text)| format!("{}: {text}", mark.sign())).collect();
        if !texts.is_empty() {
            self.notes.push(texts.join("; "));
        }
    }
}

impl Mark {
    /// What the outline of a node with this mark looks like, in words, so that a picture can be read without colours.
    fn sign(self) -> &'static str {
        match self {
            Self::Plain => "thin line",
            Self::Open => "dashed line",
            Self::Final => "double line",
            Self::Hot => "yellow",
            Self::Bad => "red",
            Self::Now => "thick blue line",
        }
    }
}

/// Returns the text, cut to the length of a name on a picture.
pub fn short(text: &impl Display) -> String {
    cut(&text.to_string(), SHOWN)
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}..", &text[..end]),
        None => text.to_owned(),
    }
}

/// Returns the first lines, each of them short, and a line that says how many there are besides.
fn few(lines: &[&str]) -> Vec<String> {
    let most = if lines.len() > LINES { LINES - 1 } else { LINES };
    let mut shown: Vec<String> = lines.iter().take(most).map(short).collect();
    if lines.len() > most {
        shown.push(format!("and {} more", lines.len() - most));
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut() {
        let long = Node { lines: (0..10).map(|i| i.to_string()).collect(), ..Node::named("\u{e4}".repeat(50)) };
        let shown = long.shown();
        assert_eq!(shown.len(), LINES);
        assert_eq!(shown[0], format!("{}..", "\u{e4}".repeat(SHOWN)));
        assert_eq!(shown[LINES - 1], "and 6 more");
        assert_eq!(long.in_full().matches("; ").count(), 10);
    }
}
