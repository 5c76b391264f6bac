//! Explores nets by brute force, with a run to each marking.

use model::{Formula, Net, PlaceId, Trace};
use num_bigint::BigUint;
use num_traits::Zero;
use std::collections::BTreeMap;
pub(crate) use testkit::net::Marking;
use testkit::net::{fire, is_goal, start};

/// Returns the initial markings with at most `extra` tokens more than the least count on each open place, and
/// their starts.
pub(crate) fn initial(net: &Net, extra: u32) -> Vec<(Box<[u32]>, Marking)> {
    let starts = testkit::choices(net.open_places().iter().map(|_| (0..=extra).collect::<Vec<u32>>()));
    starts.into_iter().filter_map(|s| Some((s.clone().into_boxed_slice(), start(net, &s)?))).collect()
}

/// The index of the predecessor and the transition, or the start.
type How = Result<(usize, usize), Box<[u32]>>;

/// The reached markings, each with the way it was reached.
pub(crate) struct Reached {
    pub(crate) markings: Vec<Marking>,
    pub(crate) how: Vec<How>,
    pub(crate) depth: Vec<usize>,
    /// True if these are all reachable markings.
    pub(crate) complete: bool,
}

pub(crate) fn explore(net: &Net, extra: u32, depth: usize, most: usize) -> Reached {
    let mut known: BTreeMap<Marking, ()> = BTreeMap::new();
    let mut reached = Reached { markings: Vec::new(), how: Vec::new(), depth: Vec::new(), complete: true };
    for (start, marking) in initial(net, extra) {
        if known.insert(marking.clone(), ()).is_none() {
            reached.markings.push(marking);
            reached.how.push(Err(start));
            reached.depth.push(0);
        }
    }
    let mut next = 0;
    while next < reached.markings.len() {
        if reached.depth[next] == depth || reached.markings.len() >= most {
            reached.complete = false;
            break;
        }
        for t in 0..net.transitions().len() {
            let Some(marking) = fire(&net.transitions()[t], &reached.markings[next]) else { continue };
            if known.insert(marking.clone(), ()).is_none() {
                reached.markings.push(marking);
                reached.how.push(Ok((next, t)));
                reached.depth.push(reached.depth[next] + 1);
            }
        }
        next += 1;
    }
    // If the exploration is incomplete, only whole levels count.
    if !reached.complete && reached.depth[next] < depth {
        let level = reached.depth[next];
        let end = reached.depth.iter().position(|d| *d > level).unwrap_or(reached.depth.len());
        reached.markings.truncate(end);
        reached.how.truncate(end);
        reached.depth.truncate(end);
    }
    reached
}

impl Reached {
    pub(crate) fn first(&self, net: &Net, formula: Option<&Formula>) -> Option<usize> {
        (0..self.markings.len()).find(|&i| is_goal(net, formula, &self.markings[i]))
    }

    pub(crate) fn trace(&self, mut i: usize) -> Trace {
        let mut events = Vec::new();
        loop {
            match &self.how[i] {
                Ok((from, t)) => {
                    events.push(*t);
                    i = *from;
                }
                Err(start) => {
                    let mut trace = Trace::new(start.clone());
                    events.iter().rev().for_each(|t| trace.push(model::EventId::new(*t), None));
                    return trace;
                }
            }
        }
    }
}

pub(crate) fn is_empty_outside(marking: &[BigUint], potentially_marked: &[bool]) -> bool {
    (0..marking.len()).all(|p| potentially_marked[PlaceId::new(p).index()] || marking[p].is_zero())
}
