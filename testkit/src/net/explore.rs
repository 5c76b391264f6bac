//! Brute force on tasks, within their bound.

use super::{Marking, is_goal_of, successors};
use crate::{choices, reach};
use model::{Bound, Goal, NetTask};
use num_bigint::BigUint;
use std::collections::BTreeMap;

/// Tokens on counted places.
#[must_use]
pub fn total(bound: &Bound, m: &Marking) -> BigUint {
    m.iter().zip(&bound.counted).filter(|(_, counted)| **counted).map(|(n, _)| n).sum()
}

/// Does the task's bound let the marking in?
#[must_use]
pub fn is_within(task: &NetTask, m: &Marking) -> bool {
    task.bound.as_ref().is_none_or(|bound| total(bound, m) <= BigUint::from(bound.most))
}

/// All markings within reach, and what was met on the way.
#[derive(Debug, Default)]
pub struct Reach {
    /// The length of a shortest run to each marking.
    pub depths: BTreeMap<Marking, u64>,
    /// Pairs of a marking and a transition that leads to another one within the bound.
    pub transitions: u64,
    /// Was anything left out?
    pub cut: bool,
    /// The least depth of a marking of each goal.
    pub goals: BTreeMap<Goal, u64>,
}

/// Initial markings with at most `open` tokens on places without upper end; true if that, or the bound, left some out.
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

/// Breadth first within the bound; `None` if there are more than `most` markings.
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
