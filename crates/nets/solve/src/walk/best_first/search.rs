//! One search for one goal.

use super::seen::{Hashes, Id, Seen};
use crate::reduce::shorten::FiringRun;
use crate::rules::Rules;
use crate::walk::goals::Goals;
use crate::walk::state::{TooMany, WalkState};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Limit on the bytes of stored tokens.
const MOST_BYTES: usize = 16 << 20;
/// Additional tokens on each open place in the initial markings that the search begins with.
const EXTRA: [u32; 4] = [0, 1, 3, 20];

/// The data that all searches share. The state is at any marking when a search goes on.
pub(super) struct On<'a> {
    pub(super) net: &'a Rules,
    pub(super) hashes: &'a Hashes,
    pub(super) state: &'a mut WalkState,
    pub(super) goals: &'a mut Goals,
}

/// The result of a step of the search.
pub(super) enum Progress {
    More,
    Found(FiringRun),
    /// No markings are left.
    Over,
    /// The search has reached its limits.
    Limit,
}

pub(super) struct BestFirstSearch {
    seen: Seen,
    /// Markings to expand, by what they lack and their age.
    queue: BinaryHeap<(Reverse<u64>, Id)>,
    /// The expanded marking at which the state is, if it is at one.
    at: Option<Id>,
    /// Largest number of markings.
    limit: usize,
    /// True if the goal is a formula, false if it is a deadlock.
    is_formula: bool,
    /// Initial markings: the additional tokens of the open places.
    starts: Vec<Vec<u32>>,
    /// Buffers.
    enabled: Vec<u32>,
    undo: Vec<(u32, u64)>,
    lacks: Vec<u64>,
}

impl BestFirstSearch {
    pub(super) fn new(net: &Rules, hashes: &Hashes, limit: usize, is_formula: bool) -> Self {
        let mut seen = Seen::default();
        let mut queue = BinaryHeap::new();
        let start = |extra: &u32| net.open.iter().map(|(_, most)| *extra.min(most)).collect::<Vec<u32>>();
        let starts: Vec<Vec<u32>> = EXTRA.iter().map(start).collect();
        for (number, extra) in (0u32..).zip(&starts) {
            if let Some(id) = seen.add(None, number, hashes.of(&initial(net, extra))) {
                queue.push((Reverse(0), id));
            }
        }
        Self {
            seen,
            queue,
            at: None,
            limit,
            is_formula,
            starts,
            enabled: Vec::new(),
            undo: Vec::new(),
            lacks: Vec::new(),
        }
    }

    /// Expands the next marking. Returns the number of firings as well.
    pub(super) fn expand(&mut self, on: &mut On<'_>) -> (Progress, u64) {
        let Some((_, id)) = self.queue.pop() else { return (Progress::Over, 0) };
        if self.seen.nodes.len() >= self.limit || self.seen.size() >= MOST_BYTES {
            return (Progress::Limit, 0);
        }
        self.go(on, id);
        if self.is_goal(on) {
            return (Progress::Found(self.run_to(id)), 0);
        }
        let lack = self.lack(on);
        self.seen.store(id, on.state.marked());
        self.at = Some(id);
        self.enabled.clone_from(&on.state.enabled);
        self.enabled.sort_unstable();
        let hash = self.seen.nodes[id as usize].hash;
        let mut firings = 0;
        for i in 0..self.enabled.len() {
            let t = self.enabled[i];
            on.state.effort += 1;
            let Some(next) = on.hashes.after(on.net, t, &on.state.tokens, hash) else { continue };
            if self.seen.contains(next) {
                continue;
            }
            on.goals.is_changed = false;
            if let Err(TooMany) = on.state.try_fire(on.net, on.goals, t, &mut self.undo) {
                continue;
            }
            firings += 1;
            let child = self.seen.add(Some(id), t, next).expect("it was not found before");
            if self.is_goal(on) {
                self.at = None;
                return (Progress::Found(self.run_to(child)), firings);
            }
            let key = if self.is_formula && !on.goals.is_changed { lack } else { self.lack(on) };
            self.queue.push((Reverse(key), child));
            on.state.take_back(on.net, on.goals, &self.undo);
        }
        (Progress::More, firings)
    }

    /// Moves the state to a marking.
    fn go(&mut self, on: &mut On<'_>, id: Id) {
        let node = self.seen.nodes[id as usize];
        if node.parent == id {
            let tokens = initial(on.net, &self.starts[node.via as usize]);
            let marked = (0u32..).zip(tokens).filter(|(_, n)| *n > 0);
            on.state.jump(on.net, on.goals, &mut marked.into_iter());
            return;
        }
        if self.at != Some(node.parent) {
            on.state.jump(on.net, on.goals, &mut self.seen.stored(node.parent));
        }
        let fired = on.state.try_fire(on.net, on.goals, node.via, &mut self.undo);
        debug_assert!(fired.is_ok(), "it was fired before");
    }

    fn is_goal(&self, on: &On<'_>) -> bool {
        if self.is_formula { on.goals.holds(0) } else { on.state.enabled.is_empty() }
    }

    fn lack(&mut self, on: &mut On<'_>) -> u64 {
        if self.is_formula {
            on.state.effort += on.goals.nodes() as u64;
            on.goals.lack(&mut self.lacks)
        } else {
            on.state.enabled.len() as u64
        }
    }

    fn run_to(&self, id: Id) -> FiringRun {
        let mut steps = Vec::new();
        let mut node = self.seen.nodes[id as usize];
        let mut at = id;
        while node.parent != at {
            steps.push(node.via);
            at = node.parent;
            node = self.seen.nodes[at as usize];
        }
        steps.reverse();
        FiringRun { extra: self.starts[node.via as usize].clone(), steps }
    }
}

fn initial(net: &Rules, extra: &[u32]) -> Vec<u64> {
    let mut tokens = net.initial.clone();
    net.open.iter().zip(extra).for_each(|((p, _), n)| tokens[*p as usize] += u64::from(*n));
    tokens
}
