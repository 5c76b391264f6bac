//! What is placed, and where: nodes and links with the room that they take, and their positions.

/// A position in pixels, to the right and down.
pub type Point = (f64, f64);

/// The room that a node takes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extent {
    /// The room from the middle of the outline to the left, right, top and bottom, with texts and loops.
    pub left: f64,
    /// The room on the right of the point.
    pub right: f64,
    /// The room above it.
    pub up: f64,
    /// The room below it.
    pub down: f64,
    /// Half of the width and the height of the outline, at which edges end.
    pub half: Point,
    /// True if the outline is a circle.
    pub is_round: bool,
}

/// An edge to be placed.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// The node where it starts.
    pub from: usize,
    /// The node where it ends.
    pub to: usize,
    /// The size of the label; zero if there is none.
    pub label: Point,
}

/// The positions of a graph.
#[derive(Clone, Debug, Default)]
pub struct Placed {
    /// The width of the picture.
    pub width: f64,
    /// The height of the picture.
    pub height: f64,
    /// The middle of each node's outline.
    pub nodes: Vec<Point>,
    /// The route of each link.
    pub routes: Vec<Route>,
}

/// The way of an edge.
#[derive(Clone, Debug, Default)]
pub struct Route {
    /// The points between which the edge bends, from the outline of the source to that of the target.
    pub points: Vec<Point>,
    /// The middle of the left side of the label.
    pub label: Point,
}
