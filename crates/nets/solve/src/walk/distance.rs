//! The distance of transitions to a goal, by a breadth-first search backwards over places. It is computed once
//! for each goal.
//!
//! This is the delete relaxation of planning with its least cost, the minimum over preconditions (h_min; Bonet
//! and Geffner 2001). Places of the goal have distance 0. If a transition gives to a place, the places on which
//! its guards require tokens are at most one step further than that place. The distance ignores that several
//! tokens must come together; this suffices for random walks.

use crate::rules::{Change, Rules};
use model::{Formula, Node};
use num_traits::Signed;
use search::Rows;

/// The effect of a transition on the distance.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Direction {
    /// The least distance of a place that the transition gives to.
    pub(crate) gives: u32,
    /// The least distance of a place that the transition takes from.
    pub(crate) takes: u32,
}

/// The distance of places without a way to the goal.
pub(crate) const FAR: u32 = u32::MAX / 4;

/// Computes the direction of each transition. If the goal is a deadlock (`None`), all directions are equal.
pub(crate) fn directions(net: &Rules, goal: Option<&Formula>) -> Vec<Direction> {
    let Some(goal) = goal else { return vec![Direction::default(); net.transitions()] };
    let mut givers: Vec<(u32, u32)> = Vec::new();
    for t in 0u32.. {
        if t as usize == net.transitions() {
            break;
        }
        givers.extend(net.changes.row(t as usize).iter().filter(|c| gives(c)).map(|c| (c.place, t)));
    }
    let givers = Rows::sorted(net.places(), givers);
    let mut distance = vec![FAR; net.places()];
    let mut done = vec![false; net.transitions()];
    let mut queue: Vec<u32> = Vec::new();
    for node in goal.nodes() {
        let Node::AtLeast(sum) = node else { continue };
        for (p, _) in sum.terms.iter().filter(|(_, c)| c.is_positive()) {
            if std::mem::replace(&mut distance[p.index()], 0) != 0 {
                queue.push(p.0);
            }
        }
    }
    let mut next = 0;
    while let Some(&place) = queue.get(next) {
        next += 1;
        let further = distance[place as usize] + 1;
        for &t in givers.row(place as usize) {
            if std::mem::replace(&mut done[t as usize], true) {
                continue;
            }
            for from in net.guards.row(t as usize).iter().filter(|g| g.least > 0) {
                if distance[from.place as usize] == FAR {
                    distance[from.place as usize] = further;
                    queue.push(from.place);
                }
            }
        }
    }
    let nearest = |t: usize, wanted: fn(&Change) -> bool| {
        let places = net.changes.row(t).iter().filter(|c| wanted(c)).map(|c| distance[c.place as usize]);
        places.min().unwrap_or(FAR)
    };
    let direction = |t| Direction { gives: nearest(t, gives), takes: nearest(t, takes) };
    (0..net.transitions()).map(direction).collect()
}

fn gives(change: &Change) -> bool {
    change.add > 0 || change.sources.is_some_and(|(from, to)| from < to)
}

fn takes(change: &Change) -> bool {
    if change.sources.is_some() { !gives(change) } else { change.add < 0 }
}
