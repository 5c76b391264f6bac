//! Layers: each node has one, and each edge leads from a layer to the next one. Edges that close a cycle are turned.
//! Longer edges are split by *points*, one in each layer between their ends.

use super::parts::{Extent, Link};
use std::collections::VecDeque;

/// Maximum number of points that split edges. Later edges are drawn as straight lines.
const POINTS: usize = 20_000;
/// The number of layers from which on edges may be turned in another way, if it needs far fewer layers.
const DEEP: usize = 8;
/// The room that an edge takes in a layer, to either side.
const BESIDE: f64 = 7.0;

/// Nodes and points in layers.
pub(super) struct Layers {
    /// The nodes and points of each layer, in their order.
    pub(super) rows: Vec<Vec<usize>>,
    /// The room of nodes and points to the left, right, top and bottom.
    pub(super) rooms: Vec<Extent>,
    /// The neighbours of nodes and points in the layer above, and in the layer below.
    pub(super) above: Vec<Vec<usize>>,
    pub(super) below: Vec<Vec<usize>>,
    /// For each edge its nodes and points from the upper end to the lower end. Empty for loops, and two nodes for
    /// an edge that is not split.
    pub(super) chains: Vec<Chain>,
    /// The number of nodes. Points have numbers from there on.
    pub(super) nodes: usize,
}

/// The way of an edge through the layers.
#[derive(Clone, Default)]
pub(super) struct Chain {
    pub(super) parts: Vec<usize>,
    /// True if the edge points upwards.
    pub(super) is_turned: bool,
    /// The point that holds the label.
    pub(super) label: Option<usize>,
}

impl Layers {
    pub(super) fn new(rooms: &[Extent], links: &[Link], first: &[usize]) -> Self {
        // A label has a layer of its own between two layers of nodes.
        let unit = if links.iter().any(|link| link.label.0 > 0.0) { 2 } else { 1 };
        let count = |layers: &[usize]| layers.iter().max().map_or(0, |most| most + 1);
        let mut turned = turned(rooms.len(), links, first);
        let mut layers = assigned(rooms.len(), links, &turned, unit);
        if count(&layers) > DEEP * unit {
            let others = by_distance(rooms.len(), links, first);
            let flat = assigned(rooms.len(), links, &others, unit);
            if 3 * count(&flat) <= 2 * count(&layers) {
                (turned, layers) = (others, flat);
            }
        }
        let count = count(&layers);
        let mut this = Self {
            rows: vec![Vec::new(); count],
            rooms: rooms.to_vec(),
            above: vec![Vec::new(); rooms.len()],
            below: vec![Vec::new(); rooms.len()],
            chains: Vec::with_capacity(links.len()),
            nodes: rooms.len(),
        };
        for (node, layer) in layers.iter().enumerate() {
            this.rows[*layer].push(node);
        }
        for (link, is_turned) in links.iter().zip(turned) {
            let chain = this.chain(link, is_turned, &layers);
            this.chains.push(chain);
        }
        this
    }

    /// Splits an edge.
    fn chain(&mut self, link: &Link, is_turned: bool, layers: &[usize]) -> Chain {
        if link.from == link.to {
            return Chain::default();
        }
        let (top, bottom) = if is_turned { (link.to, link.from) } else { (link.from, link.to) };
        let between = layers[top] + 1..layers[bottom];
        if self.rooms.len() - self.nodes + between.len() > POINTS {
            return Chain { parts: vec![top, bottom], is_turned, label: None };
        }
        // The label is near the source.
        let labelled = if is_turned { layers[bottom] - 1 } else { layers[top] + 1 };
        let mut chain = Chain { parts: vec![top], is_turned, label: None };
        for layer in between {
            let has_label = link.label.0 > 0.0 && layer == labelled;
            let point = self.point(layer, if has_label { link.label } else { (0.0, 0.0) });
            if has_label {
                chain.label = Some(point);
            }
            chain.parts.push(point);
        }
        chain.parts.push(bottom);
        for pair in chain.parts.windows(2) {
            self.below[pair[0]].push(pair[1]);
            self.above[pair[1]].push(pair[0]);
        }
        chain
    }

    /// Adds a point with a label of this size.
    fn point(&mut self, layer: usize, (width, height): (f64, f64)) -> usize {
        let point = self.rooms.len();
        let right = if width > 0.0 { width + 2.0 * BESIDE } else { BESIDE };
        let (up, down) = (height / 2.0, height / 2.0);
        self.rooms.push(Extent { left: BESIDE, right, up, down, ..Extent::default() });
        self.above.push(Vec::new());
        self.below.push(Vec::new());
        self.rows[layer].push(point);
        point
    }
}

/// Returns for each edge whether it must be turned, so that no cycle is left: whether it leads back to a node on the
/// path of a depth-first search.
fn turned(nodes: usize, links: &[Link], first: &[usize]) -> Vec<bool> {
    let mut leaving = vec![Vec::new(); nodes];
    let mut arrives = vec![false; nodes];
    for (i, link) in links.iter().enumerate().filter(|(_, link)| link.from != link.to) {
        leaving[link.from].push(i);
        arrives[link.to] = true;
    }
    let mut turned = vec![false; links.len()];
    let mut is_seen = vec![false; nodes];
    let mut is_open = vec![false; nodes];
    let sources = (0..nodes).filter(|node| !arrives[*node]);
    let roots: Vec<usize> = first.iter().copied().chain(sources).chain(0..nodes).collect();
    for root in roots {
        if std::mem::replace(&mut is_seen[root], true) {
            continue;
        }
        is_open[root] = true;
        let mut path = vec![(root, 0)];
        while let Some((node, next)) = path.last_mut() {
            let Some(&link) = leaving[*node].get(*next) else {
                is_open[*node] = false;
                path.pop();
                continue;
            };
            *next += 1;
            let to = links[link].to;
            turned[link] = is_open[to];
            if !std::mem::replace(&mut is_seen[to], true) {
                is_open[to] = true;
                path.push((to, 0));
            }
        }
    }
    turned
}

/// Returns for each edge whether it leads to a node that a breadth-first search reaches before the source of the edge.
/// This is the better choice if all nodes are near to the start, and a depth-first search finds long paths.
fn by_distance(nodes: usize, links: &[Link], first: &[usize]) -> Vec<bool> {
    let mut leaving = vec![Vec::new(); nodes];
    links.iter().for_each(|link| leaving[link.from].push(link.to));
    let mut number = vec![None; nodes];
    let mut queue = VecDeque::new();
    let mut next = 0;
    for root in first.iter().copied().chain(0..nodes) {
        queue.push_back(root);
        while let Some(node) = queue.pop_front() {
            if number[node].is_none() {
                number[node] = Some(next);
                next += 1;
                queue.extend(&leaving[node]);
            }
        }
    }
    links.iter().map(|link| number[link.from] > number[link.to]).collect()
}

/// Returns the layers of the nodes: the longest way from a node without edges above it. Nodes with more edges below
/// than above are moved down as far as possible.
fn assigned(nodes: usize, links: &[Link], turned: &[bool], unit: usize) -> Vec<usize> {
    let mut below = vec![Vec::new(); nodes];
    let mut open = vec![0usize; nodes];
    for (link, is_turned) in links.iter().zip(turned).filter(|(link, _)| link.from != link.to) {
        let (top, bottom) = if *is_turned { (link.to, link.from) } else { (link.from, link.to) };
        below[top].push(bottom);
        open[bottom] += 1;
    }
    let above = open.clone();
    let mut layers = vec![0; nodes];
    let mut sorted: Vec<usize> = (0..nodes).filter(|node| open[*node] == 0).collect();
    let mut next = 0;
    while let Some(&node) = sorted.get(next) {
        next += 1;
        for &to in &below[node] {
            layers[to] = layers[to].max(layers[node] + unit);
            open[to] -= 1;
            if open[to] == 0 {
                sorted.push(to);
            }
        }
    }
    for &node in sorted.iter().rev().filter(|node| below[**node].len() > above[**node]) {
        if let Some(least) = below[node].iter().map(|to| layers[*to]).min() {
            layers[node] = least - unit;
        }
    }
    layers
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(pairs: &[(usize, usize)]) -> Vec<Link> {
        pairs.iter().map(|&(from, to)| Link { from, to, label: (10.0, 10.0) }).collect()
    }

    #[test]
    fn edges_lead_from_a_layer_to_the_next() {
        let links = links(&[(0, 1), (1, 2), (2, 0), (0, 2), (1, 1)]);
        let layers = Layers::new(&[Extent::default(); 3], &links, &[0]);
        assert_eq!(layers.rows.len(), 5);
        let row = |part: usize| layers.rows.iter().position(|row| row.contains(&part)).expect("it has a layer");
        for chain in &layers.chains {
            assert!(chain.parts.windows(2).all(|pair| row(pair[0]) + 1 == row(pair[1])));
        }
        let turned: Vec<bool> = layers.chains.iter().map(|chain| chain.is_turned).collect();
        assert_eq!(turned, [false, false, true, false, false]);
        assert!(layers.chains[..4].iter().all(|chain| chain.label.is_some()) && layers.chains[4].parts.is_empty());
    }
}
