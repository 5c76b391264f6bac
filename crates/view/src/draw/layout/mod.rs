//! Positions for the nodes, edges and labels of a graph.
//!
//! A graph is drawn in layers, after Sugiyama, Tagawa and Toda (1981): edges that close cycles are turned, nodes get
//! layers ([`layers`]), each layer is ordered so that few edges cross ([`order`]), and then its nodes get coordinates
//! ([`place`]). A label is a node of its own between two layers, so labels do not overlap, and a long edge has a point
//! in each layer that it crosses, so it does not run through nodes. If the file has positions, they are used
//! ([`mod@given`]).
//!
//! Everything depends only on the order of nodes and edges. No function is recursive.

mod given;
mod layers;
mod order;
mod parts;
mod place;

pub use given::given;
pub use parts::{Extent, Link, Placed, Point, Route};

use layers::Layers;

/// The room beside a node for an edge from the node to itself, without its label.
const LOOP: f64 = 26.0;
/// The height of such an edge.
const LOOP_HEIGHT: f64 = 16.0;

/// Places a graph in layers, from top to bottom. Nodes in `first` are preferred as beginnings.
pub fn layered(rooms: &[Extent], links: &[Link], first: &[usize]) -> Placed {
    let rooms = with_loops(rooms, links);
    let mut layers = Layers::new(&rooms, links, first);
    order::order(&mut layers);
    let mut placed = place::place(&layers, &rooms, links);
    loops(&rooms, links, &mut placed);
    placed
}

/// Returns the rooms of the nodes with the room for their loops.
fn with_loops(rooms: &[Extent], links: &[Link]) -> Vec<Extent> {
    let mut all = rooms.to_vec();
    let mut heights = vec![0.0; rooms.len()];
    for link in links.iter().filter(|link| link.from == link.to) {
        let room = &mut all[link.from];
        room.right = room.right.max(rooms[link.from].right + LOOP + link.label.0);
        heights[link.from] += link.label.1.max(LOOP_HEIGHT) + 4.0;
    }
    for (room, height) in all.iter_mut().zip(heights) {
        room.up = room.up.max(height / 2.0);
        room.down = room.down.max(height / 2.0);
    }
    all
}

/// Adds the routes of edges from a node to itself: to the right of the node, one below the other.
fn loops(rooms: &[Extent], links: &[Link], placed: &mut Placed) {
    let mut below = vec![None; rooms.len()];
    for (i, link) in links.iter().enumerate().filter(|(_, link)| link.from == link.to) {
        let (node, (x, y)) = (link.from, placed.nodes[link.from]);
        let total: f64 = match below[node] {
            None => links.iter().filter(|l| l.from == node && l.to == node).map(height_of).sum(),
            Some(_) => 0.0,
        };
        let top = below[node].unwrap_or(y - total / 2.0);
        below[node] = Some(top + height_of(link));
        let (middle, half) = (top + height_of(link) / 2.0, LOOP_HEIGHT / 2.0);
        let side = x + rooms[node].half.0;
        // The ends stay on the outline, however many loops there are.
        let most = (rooms[node].half.1 - 2.0).max(1.0);
        let end = |at: f64| (side, y + (at - y).clamp(-most, most));
        let far = side + LOOP - 6.0;
        placed.routes[i] = Route {
            points: vec![
                end(middle - half / 2.0),
                (far, middle - half),
                (far, middle + half),
                end(middle + half / 2.0),
            ],
            label: (far + 5.0, middle),
        };
    }
}

fn height_of(link: &Link) -> f64 {
    link.label.1.max(LOOP_HEIGHT) + 4.0
}
