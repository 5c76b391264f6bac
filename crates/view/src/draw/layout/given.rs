//! Positions that the file of a net has. They are spread until no nodes overlap.

use super::parts::{Extent, Link, Placed, Point, Route};
use std::collections::BTreeMap;

/// The greatest factor by which positions are spread.
const SPREAD: f64 = 6.0;
/// The least distance between two nodes.
const APART: f64 = 8.0;

/// Places a graph at these positions. Returns `None` if nodes would overlap however far they are spread.
pub fn given(rooms: &[Extent], links: &[Link], spots: &[Point]) -> Option<Placed> {
    let mut factor: f64 = 1.0;
    for (i, (a, at)) in rooms.iter().zip(spots).enumerate() {
        for (b, other) in rooms[i + 1..].iter().zip(&spots[i + 1..]) {
            factor = factor.max(needed(a, *at, b, *other));
        }
    }
    if !factor.is_finite() || factor > SPREAD {
        return None;
    }
    let least = |side: &dyn Fn(&Extent, &Point) -> f64| {
        rooms.iter().zip(spots).map(|(room, spot)| side(room, spot)).fold(f64::INFINITY, f64::min)
    };
    let left = least(&|room, spot| spot.0 * factor - room.left);
    let top = least(&|room, spot| spot.1 * factor - room.up);
    let nodes: Vec<Point> = spots.iter().map(|(x, y)| (x * factor - left, y * factor - top)).collect();
    let width = rooms.iter().zip(&nodes).map(|(room, at)| at.0 + room.right).fold(0.0, f64::max);
    let height = rooms.iter().zip(&nodes).map(|(room, at)| at.1 + room.down).fold(0.0, f64::max);
    let mut drawn: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    links.iter().for_each(|link| *drawn.entry((link.from, link.to)).or_default() += 1);
    let is_alone = |link: &Link| drawn[&(link.from, link.to)] == 1 && !drawn.contains_key(&(link.to, link.from));
    let mut earlier: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let route = |link: &Link| {
        let number = earlier.entry((link.from, link.to)).or_default();
        *number += 1;
        straight(rooms, link, if is_alone(link) { 0 } else { *number }, &nodes)
    };
    let routes = links.iter().map(route).collect();
    Some(Placed { width, height, nodes, routes })
}

/// Returns the factor at which two nodes do not overlap: they need enough distance in one direction.
fn needed(a: &Extent, at: Point, b: &Extent, other: Point) -> f64 {
    let across = if at.0 <= other.0 { a.right + b.left } else { a.left + b.right };
    let down = if at.1 <= other.1 { a.down + b.up } else { a.up + b.down };
    let needed = |room: f64, distance: f64| (room + APART) / distance.abs().max(1e-9);
    needed(across, other.0 - at.0).min(needed(down, other.1 - at.1))
}

/// Returns the route of an edge: straight if `bends` is 0, and bent more for greater numbers, because other edges
/// connect the same nodes.
fn straight(rooms: &[Extent], link: &Link, bends: usize, nodes: &[Point]) -> Route {
    let Link { from, to, .. } = *link;
    let (start, end) = (nodes[from], nodes[to]);
    let (dx, dy) = (end.0 - start.0, end.1 - start.1);
    let length = dx.hypot(dy).max(1.0);
    let bend = if bends == 0 { 0.0 } else { 2.0 + 14.0 * bends as f64 };
    let middle = ((start.0 + end.0) / 2.0 - dy / length * bend, (start.1 + end.1) / 2.0 + dx / length * bend);
    let points = vec![border(&rooms[from], start, middle), middle, border(&rooms[to], end, middle)];
    Route { points, label: (middle.0 + 5.0, middle.1 - 7.0) }
}

/// Returns the point of the outline of a node in the direction of `towards`.
fn border(room: &Extent, at: Point, towards: Point) -> Point {
    let (dx, dy) = (towards.0 - at.0, towards.1 - at.1);
    let length = dx.hypot(dy);
    if length == 0.0 {
        return at;
    }
    let by = match room.is_round {
        true => room.half.0 / length,
        false => (room.half.0 / dx.abs().max(1e-9)).min(room.half.1 / dy.abs().max(1e-9)),
    };
    (at.0 + dx * by, at.1 + dy * by)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_spread_until_nodes_have_room() {
        let room = Extent { left: 10.0, right: 10.0, up: 5.0, down: 5.0, half: (10.0, 5.0), is_round: false };
        let link = Link { from: 0, to: 1, label: (0.0, 0.0) };
        let placed = given(&[room; 2], &[link], &[(0.0, 0.0), (14.0, 0.0)]).expect("they can be spread");
        assert_eq!(placed.nodes, [(10.0, 5.0), (38.0, 5.0)]);
        assert_eq!((placed.routes[0].points[0], placed.routes[0].points[2]), ((20.0, 5.0), (28.0, 5.0)));
        assert!(given(&[room; 2], &[link], &[(3.0, 3.0), (3.0, 3.0)]).is_none());
    }
}
