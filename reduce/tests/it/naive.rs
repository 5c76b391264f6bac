//! Slow and plain: markings are vectors of big numbers, all transitions are tried.

use model::{Formula, Goal, Net, Node, PlaceId, Trace};
use num_bigint::{BigInt, BigUint};
use num_traits::{Signed, Zero};
use std::collections::BTreeMap;

pub(crate) type Marking = Vec<BigUint>;

pub(crate) fn holds(formula: &Formula, marking: &[BigUint]) -> bool {
    let mut values: Vec<bool> = Vec::new();
    for node in formula.nodes() {
        let value = match node {
            Node::All(parts) => parts.iter().all(|p| values[p.index()]),
            Node::Any(parts) => parts.iter().any(|p| values[p.index()]),
            Node::AtLeast(sum) => {
                let total: BigInt = sum.terms.iter().map(|(p, c)| c * BigInt::from(marking[p.index()].clone())).sum();
                total >= sum.at_least
            }
        };
        values.push(value);
    }
    *values.last().unwrap()
}

pub(crate) fn fire(net: &Net, t: usize, marking: &[BigUint]) -> Option<Marking> {
    let transition = &net.transitions()[t];
    let enabled = transition.guards.iter().all(|g| g.range.contains(&marking[g.place.index()]));
    enabled.then(|| {
        let mut next = marking.to_vec();
        for e in &transition.effects {
            let sum: BigInt =
                e.sources.iter().map(|s| BigInt::from(marking[s.index()].clone())).sum::<BigInt>() + &e.add;
            assert!(!sum.is_negative(), "guards make sure of that");
            next[e.place.index()] = sum.to_biguint().unwrap();
        }
        next
    })
}

pub(crate) fn is_goal(net: &Net, goal: Goal, formula: Option<&Formula>, marking: &[BigUint]) -> bool {
    match formula {
        Some(formula) => holds(formula, marking),
        None => {
            assert_eq!(goal, Goal::Deadlock);
            (0..net.transitions().len()).all(|t| fire(net, t, marking).is_none())
        }
    }
}

/// The initial markings with at most `extra` more tokens than the least ones on each open place, with their starts.
pub(crate) fn initial(net: &Net, extra: u32) -> Vec<(Box<[u32]>, Marking)> {
    let least: Marking = net.places().iter().map(|p| p.initial.at_least.clone()).collect();
    let mut all = vec![(Vec::new(), least)];
    for p in net.open_places() {
        let mut next = Vec::new();
        for (start, marking) in all {
            for n in 0..=extra {
                let mut marking = marking.clone();
                marking[p.index()] += n;
                if net.place(p).initial.contains(&marking[p.index()]) {
                    let start: Vec<u32> = start.iter().copied().chain([n]).collect();
                    next.push((start, marking));
                }
            }
        }
        all = next;
    }
    all.into_iter().map(|(s, m)| (s.into_boxed_slice(), m)).collect()
}

/// The number of a predecessor and the transition, or the start.
type How = Result<(usize, usize), Box<[u32]>>;

/// Markings reached, each with how.
pub(crate) struct Reached {
    pub(crate) markings: Vec<Marking>,
    pub(crate) how: Vec<How>,
    pub(crate) depth: Vec<usize>,
    /// Is that all there is?
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
            let Some(marking) = fire(net, t, &reached.markings[next]) else { continue };
            if known.insert(marking.clone(), ()).is_none() {
                reached.markings.push(marking);
                reached.how.push(Ok((next, t)));
                reached.depth.push(reached.depth[next] + 1);
            }
        }
        next += 1;
    }
    // Only whole levels count.
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
    pub(crate) fn first(&self, net: &Net, goal: Goal, formula: Option<&Formula>) -> Option<usize> {
        (0..self.markings.len()).find(|&i| is_goal(net, goal, formula, &self.markings[i]))
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

pub(crate) fn events(trace: &Trace) -> Vec<model::Move> {
    let repeated = trace.runs().iter().flat_map(|r| (0..r.times).flat_map(|_| r.word.iter().copied()));
    repeated.collect()
}

/// Where a trace of a net leads.
pub(crate) fn replay(net: &Net, trace: &Trace) -> Option<Marking> {
    let open = net.open_places();
    assert_eq!(open.len(), trace.start.len());
    let mut marking: Marking = net.places().iter().map(|p| p.initial.at_least.clone()).collect();
    for (p, extra) in open.iter().zip(&trace.start) {
        marking[p.index()] += *extra;
        if !net.place(*p).initial.contains(&marking[p.index()]) {
            return None;
        }
    }
    for step in events(trace) {
        assert_eq!(step.choice, None);
        marking = fire(net, step.event.index(), &marking)?;
    }
    Some(marking)
}

pub(crate) fn is_empty_outside(marking: &[BigUint], markable: &[bool]) -> bool {
    (0..marking.len()).all(|p| markable[PlaceId::new(p).index()] || marking[p].is_zero())
}
