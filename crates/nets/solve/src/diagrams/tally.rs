//! Counts of a set of markings: how many there are, in how many of them transitions are enabled, and their tokens.
//!
//! The markings of a set are the paths of its diagram. For each node, the paths from the root and the paths to the end
//! are counted. The markings in which a transition is enabled are counted on the levels between the highest and the
//! lowest one that it tests.

use crate::diagrams::local::{Enabling, Local};
use crate::diagrams::nodes::{EMPTY, Edge, Id, Nodes};
use model::{Counts, Reason, Stop};
use num_bigint::BigUint;
use num_traits::{One, Zero};
use std::ops::Mul;

/// A number type for counts of paths.
trait Number: Clone + Zero + One + Into<BigUint> {
    fn include(&mut self, other: &Self);
    fn times(&self, other: &Self) -> Self;
}

impl Number for u128 {
    fn include(&mut self, other: &Self) {
        *self += *other;
    }

    fn times(&self, other: &Self) -> Self {
        *self * *other
    }
}

impl Number for BigUint {
    fn include(&mut self, other: &Self) {
        *self += other;
    }

    fn times(&self, other: &Self) -> Self {
        self.mul(other)
    }
}

/// The nodes of a set, by level from the bottom. The child of an edge is the index of a node of the level below.
struct Layers(Vec<Vec<Vec<Edge>>>);

impl Layers {
    fn new(nodes: &Nodes, root: Id, levels: usize) -> Self {
        let mut layers = vec![Vec::new(); levels];
        let mut index = vec![u32::MAX; nodes.len()];
        let mut wanted = vec![root];
        for level in (0..levels).rev() {
            let mut below = Vec::new();
            for node in wanted {
                let mut edges = nodes.edges(node).to_vec();
                for edge in &mut edges {
                    let at = &mut index[edge.child as usize];
                    if *at == u32::MAX {
                        *at = below.len() as u32;
                        below.push(edge.child);
                    }
                    edge.child = *at;
                }
                layers[level].push(edges);
            }
            wanted = below;
        }
        Self(layers)
    }

    /// For each node of each level: a value made from the edges of the node and the values of their children.
    fn fold<T: Clone>(&self, unit: T, value: impl Fn(usize, &[Edge], &[T]) -> T) -> Vec<Vec<T>> {
        let mut values: Vec<Vec<T>> = vec![vec![unit]];
        for (level, nodes) in self.0.iter().enumerate() {
            let next = nodes.iter().map(|edges| value(level, edges, &values[level])).collect();
            values.push(next);
        }
        values
    }
}

/// Returns the counts of the set `root`.
pub(crate) fn tally(local: &Local, nodes: &Nodes, root: Id, stop: &Stop) -> Result<Counts, Reason> {
    debug_assert_ne!(root, EMPTY);
    let layers = Layers::new(nodes, root, local.levels.len());
    let last = |mut values: Vec<Vec<BigUint>>| values.pop().and_then(|mut v| v.pop()).expect("there is a root");
    let markings =
        last(layers.fold(BigUint::one(), |_, edges, below| edges.iter().map(|e| &below[e.child as usize]).sum()));
    let arcs = if markings.bits() < u128::BITS.into() {
        arcs::<u128>(local, &layers, stop)?
    } else {
        arcs::<BigUint>(local, &layers, stop)?
    };
    let tokens = |level: usize, state: u32| local.levels[level].states[state as usize].iter();
    let sum = |level, state| tokens(level, state).map(|n| u128::from(*n)).sum::<u128>();
    let most = layers.fold(0u128, |level, edges, below| {
        edges.iter().map(|e| sum(level, e.state) + below[e.child as usize]).max().unwrap_or(0)
    });
    let marking = most.last().and_then(|root| root.first()).copied().unwrap_or(0);
    let edges = layers.0.iter().enumerate().flat_map(|(level, nodes)| nodes.iter().flatten().map(move |e| (level, e)));
    let place = edges.filter_map(|(level, e)| tokens(level, e.state).max()).max().copied().unwrap_or(0);
    Ok(Counts { markings, arcs, place: place.into(), marking: marking.into() })
}

/// Returns the number of pairs of a marking and a transition that is enabled there.
fn arcs<N: Number>(local: &Local, layers: &Layers, stop: &Stop) -> Result<BigUint, Reason> {
    let below = layers.fold(N::one(), |_, edges, below| {
        let mut sum = N::zero();
        edges.iter().for_each(|e| sum.include(&below[e.child as usize]));
        sum
    });
    let mut above: Vec<Vec<N>> = below.iter().map(|level| vec![N::zero(); level.len()]).collect();
    above[layers.0.len()][0] = N::one();
    for (level, nodes) in layers.0.iter().enumerate().rev() {
        let (lower, upper) = above.split_at_mut(level + 1);
        for (edges, paths) in nodes.iter().zip(&upper[0]) {
            edges.iter().for_each(|e| lower[level][e.child as usize].include(paths));
        }
    }
    let mut arcs = BigUint::ZERO;
    for enabling in &local.enabling {
        stop.raised().map_or(Ok(()), Err)?;
        let enabled: BigUint = enabled(local, layers, enabling, &above, &below).into();
        arcs += enabled * enabling.transitions;
    }
    Ok(arcs)
}

/// Returns the number of markings in which these transitions are enabled.
fn enabled<N: Number>(local: &Local, layers: &Layers, of: &Enabling, above: &[Vec<N>], below: &[Vec<N>]) -> N {
    let Some(first) = of.conditions.first() else { return below[layers.0.len()][0].clone() };
    let mut level = local.level_of(*first) + 1;
    let mut paths = above[level].clone();
    let mut conditions = of.conditions.iter().peekable();
    while conditions.peek().is_some() {
        level -= 1;
        let condition = conditions.next_if(|rule| local.level_of(**rule) == level);
        let holds: Vec<bool> = match condition {
            Some(rule) => (0..local.levels[level].states.len()).map(|s| local.holds(*rule, s as u32)).collect(),
            None => vec![true; local.levels[level].states.len()],
        };
        let mut next = vec![N::zero(); below[level].len()];
        for (edges, paths) in layers.0[level].iter().zip(&paths) {
            if !paths.is_zero() {
                let edges = edges.iter().filter(|e| holds[e.state as usize]);
                edges.for_each(|e| next[e.child as usize].include(paths));
            }
        }
        paths = next;
    }
    let mut sum = N::zero();
    paths.iter().zip(&below[level]).for_each(|(a, b)| sum.include(&a.times(b)));
    sum
}
