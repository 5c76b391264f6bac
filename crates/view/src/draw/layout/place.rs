//! Coordinates. Each layer is a row. In a row, nodes and points are as near as possible to the mean of their
//! neighbours, at the least distances that their rooms need: sweeps solve this least-squares problem for one row at a
//! time, by pooling adjacent violators (Ayer and others 1955).

use super::layers::Layers;
use super::parts::{Extent, Link, Placed, Point, Route};

/// The least distance between the rooms of two nodes in a row.
const BESIDE: f64 = 16.0;
/// The distance of two rows.
const BETWEEN: f64 = 20.0;
/// The number of sweeps.
const SWEEPS: usize = 16;

pub(super) fn place(layers: &Layers, rooms: &[Extent], links: &[Link]) -> Placed {
    let x = columns(layers);
    let (y, extents) = rows(layers, &x);
    let nodes: Vec<Point> = (0..layers.nodes).map(|node| (x[node], y[node])).collect();
    let ports = ports(layers, rooms, &x, &y);
    let width = (0..x.len()).map(|part| x[part] + layers.rooms[part].right).fold(0.0, f64::max);
    let height = extents.iter().map(|(_, bottom)| *bottom).fold(0.0, f64::max);
    let routes = (0..links.len()).map(|link| route(layers, link, &x, &y, &extents, &ports[link])).collect();
    Placed { width, height, nodes, routes }
}

/// Returns the horizontal position of each node and point.
fn columns(layers: &Layers) -> Vec<f64> {
    let mut x = vec![0.0; layers.rooms.len()];
    for row in &layers.rows {
        let mut at = 0.0;
        for &part in row {
            x[part] = at + layers.rooms[part].left;
            at = x[part] + layers.rooms[part].right + BESIDE;
        }
    }
    for sweep in 0..SWEEPS {
        let count = layers.rows.len();
        for step in 0..count {
            let row = &layers.rows[if sweep % 2 == 0 { step } else { count - 1 - step }];
            // The last sweeps look at both sides.
            let both = sweep + 4 >= SWEEPS;
            let sides = (both || sweep % 2 == 0, both || sweep % 2 == 1);
            settle(layers, row, sides, &mut x);
        }
    }
    let least = (0..x.len()).map(|part| x[part] - layers.rooms[part].left).fold(f64::INFINITY, f64::min);
    x.iter_mut().for_each(|x| *x -= least);
    x
}

/// Moves the nodes and points of a row. `sides` says whether neighbours above and below count.
fn settle(layers: &Layers, row: &[usize], sides: (bool, bool), x: &mut [f64]) {
    let is_point = |part: usize| part >= layers.nodes;
    let mut offset = 0.0;
    let mut pools: Vec<(f64, f64, usize)> = Vec::with_capacity(row.len());
    let mut offsets = Vec::with_capacity(row.len());
    for (i, &part) in row.iter().enumerate() {
        if i > 0 {
            let gap = if is_point(part) && is_point(row[i - 1]) { 2.0 } else { BESIDE };
            offset += layers.rooms[row[i - 1]].right + layers.rooms[part].left + gap;
        }
        offsets.push(offset);
        let above = layers.above[part].iter().filter(|_| sides.0);
        let below = layers.below[part].iter().filter(|_| sides.1);
        let (mut sum, mut weight) = (0.0, 0.0);
        for &other in above.chain(below) {
            // Long edges should be straight.
            let by = match (is_point(part), is_point(other)) {
                (true, true) => 8.0,
                (false, false) => 1.0,
                _ => 2.0,
            };
            sum += by * x[other];
            weight += by;
        }
        if weight == 0.0 {
            (sum, weight) = (0.05 * x[part], 0.05);
        }
        // A pool has the mean of its members as long as it is greater than that of the pool before.
        pools.push((sum / weight - offset, weight, 1));
        while let [.., before, last] = &pools[..]
            && before.0 > last.0
        {
            let weight = before.1 + last.1;
            let mean = (before.0 * before.1 + last.0 * last.1) / weight;
            let members = before.2 + last.2;
            pools.truncate(pools.len() - 2);
            pools.push((mean, weight, members));
        }
    }
    let means = pools.iter().flat_map(|(mean, _, members)| std::iter::repeat_n(*mean, *members));
    for ((&part, mean), offset) in row.iter().zip(means).zip(offsets) {
        x[part] = mean + offset;
    }
}

/// Returns the vertical position of each node and point, and the top and bottom of each row.
fn rows(layers: &Layers, x: &[f64]) -> (Vec<f64>, Vec<Point>) {
    let mut y = vec![0.0; layers.rooms.len()];
    let mut extents = Vec::with_capacity(layers.rows.len());
    let mut top = 0.0;
    for row in &layers.rows {
        let most = |side: &dyn Fn(&Extent) -> f64| row.iter().map(|p| side(&layers.rooms[*p])).fold(0.0, f64::max);
        let (up, down) = (most(&|room| room.up), most(&|room| room.down));
        row.iter().for_each(|part| y[*part] = top + up);
        extents.push((top, top + up + down));
        // Edges that go far to the side get more room, so that they are not flat.
        let far = row.iter().flat_map(|p| layers.below[*p].iter().map(|to| (x[*to] - x[*p]).abs()));
        top += up + down + BETWEEN + (far.fold(0.0, f64::max) * 0.08).min(50.0);
    }
    (y, extents)
}

/// The ends of an edge at its upper and its lower node.
type Ports = (Point, Point);

/// Spreads the ends of edges at a node, in the order in which they leave.
fn ports(layers: &Layers, rooms: &[Extent], x: &[f64], y: &[f64]) -> Vec<Ports> {
    let mut ports = vec![((0.0, 0.0), (0.0, 0.0)); layers.chains.len()];
    // For each node and side: the edges, with the position where they go.
    let mut ends: Vec<[Vec<(f64, usize)>; 2]> = vec![Default::default(); layers.nodes];
    for (i, chain) in layers.chains.iter().enumerate().filter(|(_, chain)| !chain.parts.is_empty()) {
        let last = chain.parts.len() - 1;
        ends[chain.parts[0]][1].push((x[chain.parts[1]], i));
        ends[chain.parts[last]][0].push((x[chain.parts[last - 1]], i));
    }
    for (node, sides) in ends.iter_mut().enumerate() {
        let room = &rooms[node];
        for (side, all) in sides.iter_mut().enumerate() {
            all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let share = if room.is_round { 1.1 } else { 1.6 };
            let width = (room.half.0 * share).min(18.0 * (all.len() as f64 - 1.0));
            for (k, (_, link)) in all.iter().enumerate() {
                let along = if all.len() > 1 { k as f64 / (all.len() as f64 - 1.0) - 0.5 } else { 0.0 };
                let dx = along * width;
                let dy = if room.is_round { (room.half.1.powi(2) - dx.powi(2)).max(0.0).sqrt() } else { room.half.1 };
                let end = (x[node] + dx, if side == 1 { y[node] + dy } else { y[node] - dy });
                if side == 1 { ports[*link].0 = end } else { ports[*link].1 = end }
            }
        }
    }
    ports
}

fn route(layers: &Layers, link: usize, x: &[f64], y: &[f64], extents: &[Point], ports: &Ports) -> Route {
    let chain = &layers.chains[link];
    if chain.parts.is_empty() {
        return Route::default();
    }
    let mut points = vec![ports.0];
    for &part in &chain.parts[1..chain.parts.len() - 1] {
        // Through a row, an edge goes straight down, so that it keeps its distance from the nodes beside it.
        let row = extents.partition_point(|(top, _)| *top <= y[part]).saturating_sub(1);
        let (top, bottom) = extents[row];
        points.push((x[part], top));
        if bottom - top > 1.0 {
            points.push((x[part], bottom));
        }
    }
    points.push(ports.1);
    if chain.is_turned {
        points.reverse();
    }
    let label = chain.label.map_or((0.0, 0.0), |point| (x[point] + 5.0, y[point]));
    Route { points, label }
}
