//! Brute force on net tasks, within their bound.

use super::{Marking, is_goal_of, successors};
use crate::{choices, reach};
use model::{Bound, Goal, NetTask};
use num_bigint::BigUint;
use std::collections::BTreeMap;

/// Returns the number of tokens on counted places.
#[must_use]
pub fn total(bound: &Bound, m: &Marking) -> BigUint {
    m.iter().zip(&bound.counted).filter(|(_, counted)| **counted).map(|(n, _)| n).sum()
}

/// True if the marking is within the task's bound.
#[must_use]
pub fn is_within(task: &NetTask, m: &Marking) -> bool {
    task.bound.as_ref().is_none_or(|bound| total(bound, m) <= BigUint::from(bound.most))
}

/// All reachable markings, and the counts of their exploration.
#[derive(Debug, Default)]
pub struct Reach {
    /// For each marking: the length of a shortest run to it.
    pub depths: BTreeMap<Marking, u64>,
    /// Number of pairs of a marking and a transition that is enabled there and leads to a marking within the
    /// bound.
    pub transitions: u64,
    /// True if the bound, or the limit on initial markings, left out a marking.
    pub cut: bool,
    /// For each reachable goal: the least depth of its markings.
    pub goals: BTreeMap<Goal, u64>,
}

/// Returns the initial markings with at most `open` tokens more than the least number on places without upper
/// end. The boolean is true if there are places without upper end, or if the bound left out some of these
/// markings.
#[must_use]
pub fn initial(task: &NetTask, open: u32) -> (Vec<Marking>, bool) {
    let places = task.net.places();
    let counts = places.iter().map(|place| {
        let least = &place.initial.at_least;
        let most = place.initial.at_most.clone().unwrap_or_else(|| least + open);
        let upward = std::iter::successors(Some(least.clone()), |n| Some(n + 1u8));
        upward.take_while(|n| *n <= most).collect()
    });
    let mut all = choices(counts);
    let before = all.len();
    all.retain(|m| is_within(task, m));
    let cut = places.iter().any(|p| p.initial.at_most.is_none()) || all.len() < before;
    (all, cut)
}

/// Explores the task breadth first within its bound. Returns `None` if there are more than `most` markings.
#[must_use]
pub fn explore(task: &NetTask, most: usize) -> Option<Reach> {
    let open = task.bound.as_ref().map_or(0, |b| b.most as u32 + 1);
    let (start, mut cut) = initial(task, open);
    let mut transitions = 0;
    let reached = reach(start, most, |m| {
        let (within, beyond): (Vec<_>, Vec<_>) = successors(&task.net, m).partition(|s| is_within(task, s));
        cut |= !beyond.is_empty();
        transitions += within.len() as u64;
        within
    })?;
    let depth = |goal: &Goal| Some((*goal, reached.nearest(|m| is_goal_of(task, *goal, m))?));
    let goals = task.goals.iter().filter_map(depth).collect();
    Some(Reach { depths: reached.depths, transitions, cut, goals })
}
