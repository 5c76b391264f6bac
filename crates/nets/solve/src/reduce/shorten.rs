//! Shortens runs of nets: leaves out cycles, then firings that produce nothing that is needed later, then
//! chunks, as long as the goal is still reached.

use crate::rules::{Change, LIMIT, Rules};
use model::{Formula, Node};
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};
use std::collections::HashMap;

/// A run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FiringRun {
    /// For each open place: the tokens beyond its least initial count.
    pub extra: Vec<u32>,
    /// The transitions in order.
    pub steps: Vec<u32>,
}

/// Shortens runs to a goal.
pub struct Shortener<'a> {
    /// The net.
    pub net: &'a Rules,
    /// The formula of the goal; `None` means a deadlock.
    pub goal: Option<&'a Formula>,
    /// Number of firings that are left.
    pub work: u64,
}

impl Shortener<'_> {
    /// Returns a run to the goal that is no longer than `found`, which must be one.
    #[must_use]
    pub fn shorten(&mut self, found: FiringRun) -> FiringRun {
        let mut best = found;
        self.adopt(&mut best, Self::without_cycles);
        if self.net.monotone && self.goal.is_some_and(Formula::is_upward_closed) {
            self.adopt(&mut best, Self::needed);
        }
        self.fewer_tokens(&mut best);
        self.chunks(&mut best);
        self.fewer_tokens(&mut best);
        best
    }

    fn adopt(&mut self, best: &mut FiringRun, change: fn(&mut Self, &FiringRun) -> FiringRun) {
        let proposed = change(self, best);
        if let Some(run) = self.run(&proposed.extra, &proposed.steps) {
            *best = run;
        }
    }

    fn start(&self, extra: &[u32]) -> Vec<u64> {
        let mut tokens = self.net.initial.clone();
        self.net.open.iter().zip(extra).for_each(|((p, _), n)| tokens[*p as usize] += u64::from(*n));
        tokens
    }

    /// Fires `steps` in order, and skips each step that is not enabled. Returns the resulting run, or `None` if
    /// it does not end in the goal or the work is used up.
    pub fn run(&mut self, extra: &[u32], steps: &[u32]) -> Option<FiringRun> {
        let mut tokens = self.start(extra);
        let mut fired = Vec::with_capacity(steps.len());
        for &t in steps {
            if self.net.is_enabled(t, &tokens) && self.net.fire(t, &mut tokens) {
                fired.push(t);
            }
        }
        let looked = if self.goal.is_none() { self.net.transitions() } else { 0 };
        let cost = steps.len() + self.net.places() / 16 + looked + 1;
        self.work = self.work.saturating_sub(cost as u64);
        let reached = self.work > 0 && self.is_goal(&tokens);
        reached.then(|| FiringRun { extra: extra.to_vec(), steps: fired })
    }

    fn is_goal(&self, tokens: &[u64]) -> bool {
        match self.goal {
            Some(goal) => *truth(goal, tokens).last().expect("a formula has a root"),
            None => (0u32..).take(self.net.transitions()).all(|t| !self.net.is_enabled(t, tokens)),
        }
    }

    /// Jumps from each marking to its last occurrence. Markings are compared by a hash only.
    fn without_cycles(&mut self, found: &FiringRun) -> FiringRun {
        let mut tokens = self.start(&found.extra);
        let key = |p: usize, n: u64| mix((p as u64) << 32 ^ n.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut hash = 0u64;
        let mut hashes = vec![hash];
        for &t in &found.steps {
            let before: Vec<(usize, u64)> =
                self.net.changes.row(t as usize).iter().map(|c| (c.place as usize, tokens[c.place as usize])).collect();
            if self.net.fire(t, &mut tokens) {
                before.iter().for_each(|(p, n)| hash ^= key(*p, *n) ^ key(*p, tokens[*p]));
            }
            hashes.push(hash);
        }
        self.work = self.work.saturating_sub(found.steps.len() as u64);
        let last: HashMap<u64, usize> = hashes.iter().enumerate().map(|(i, h)| (*h, i)).collect();
        let (mut steps, mut at) = (Vec::new(), 0);
        loop {
            at = last[&hashes[at]];
            match found.steps.get(at) {
                Some(t) => steps.push(*t),
                None => return FiringRun { extra: found.extra.clone(), steps },
            }
            at += 1;
        }
    }

    /// Traverses a monotone run backwards with the tokens that the rest of the run needs. Leaves out a firing
    /// if the marking before it already has these tokens.
    fn needed(&mut self, found: &FiringRun) -> FiringRun {
        let mut tokens = self.start(&found.extra);
        // The values that each firing overwrites, in order.
        let mut undo: Vec<(u32, u64)> = Vec::new();
        for &t in &found.steps {
            undo.extend(self.net.changes.row(t as usize).iter().map(|c| (c.place, tokens[c.place as usize])));
            if !self.net.fire(t, &mut tokens) {
                return found.clone();
            }
        }
        self.work = self.work.saturating_sub(2 * found.steps.len() as u64);
        let mut need = self.goal.map_or_else(|| tokens.clone(), |goal| wanted(goal, &tokens));
        let mut steps = Vec::new();
        for &t in found.steps.iter().rev() {
            let before = undo.split_off(undo.len() - self.net.changes.row(t as usize).len());
            before.iter().for_each(|(p, n)| tokens[*p as usize] = *n);
            if before.iter().any(|(p, _)| tokens[*p as usize] < need[*p as usize]) {
                steps.push(t);
                self.need_before(t, &tokens, &mut need);
            }
        }
        steps.reverse();
        let extra = self.net.open.iter().zip(&found.extra).map(|((p, _), extra)| {
            let more = need[*p as usize].saturating_sub(self.net.initial[*p as usize]);
            (*extra).min(u32::try_from(more).unwrap_or(u32::MAX))
        });
        FiringRun { extra: extra.collect(), steps }
    }

    /// Computes the tokens needed before `t` from those needed after it, where `tokens` is the marking before
    /// it.
    fn need_before(&self, t: u32, tokens: &[u64], need: &mut [u64]) {
        let changes = self.net.changes.row(t as usize);
        let after: Vec<(Change, u64)> =
            changes.iter().map(|c| (*c, std::mem::take(&mut need[c.place as usize]))).collect();
        for (change, wanted) in after {
            let mut missing = u64::try_from(i128::from(wanted) - i128::from(change.add)).unwrap_or(0);
            let own = [change.place];
            let sources = match change.sources {
                None => &own[..],
                Some((from, to)) => &self.net.sources[from as usize..to as usize],
            };
            for &s in sources {
                let take = missing.min(tokens[s as usize]);
                need[s as usize] = need[s as usize].max(take);
                missing -= take;
            }
        }
        for guard in self.net.guards.row(t as usize) {
            need[guard.place as usize] = need[guard.place as usize].max(guard.least);
        }
    }

    /// Lowers the extra tokens of each open place by binary search.
    fn fewer_tokens(&mut self, best: &mut FiringRun) {
        for i in 0..best.extra.len() {
            let (mut low, mut high) = (0, best.extra[i]);
            while low < high && self.work > 0 {
                let middle = low + (high - low) / 2;
                let mut extra = best.extra.clone();
                extra[i] = middle;
                match self.run(&extra, &best.steps) {
                    Some(run) => {
                        *best = run;
                        high = middle;
                    }
                    None => low = middle + 1,
                }
            }
        }
    }

    /// Leaves out chunks, large ones first, starting from the end.
    fn chunks(&mut self, best: &mut FiringRun) {
        let mut size = best.steps.len().div_ceil(2);
        while size > 0 && self.work > 0 {
            let mut end = best.steps.len();
            let mut shorter = false;
            while end > 0 && self.work > 0 {
                let start = end.saturating_sub(size);
                let rest: Vec<u32> = best.steps[..start].iter().chain(&best.steps[end..]).copied().collect();
                if let Some(run) = self.run(&best.extra, &rest) {
                    *best = run;
                    shorter = true;
                }
                end = start.min(best.steps.len());
            }
            if size == 1 && !shorter {
                break;
            }
            size = if size == 1 { 1 } else { size / 2 };
        }
    }
}

/// Mixes the bits of `z` (the last part of SplitMix64).
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

fn truth(goal: &Formula, tokens: &[u64]) -> Vec<bool> {
    let mut values: Vec<bool> = Vec::with_capacity(goal.nodes().len());
    for node in goal.nodes() {
        let value = match node {
            Node::All(parts) => parts.iter().all(|p| values[p.index()]),
            Node::Any(parts) => parts.iter().any(|p| values[p.index()]),
            Node::AtLeast(sum) => {
                let total: BigInt = sum.terms.iter().map(|(p, c)| c * BigInt::from(tokens[p.index()])).sum();
                total >= sum.at_least
            }
        };
        values.push(value);
    }
    values
}

/// Returns some tokens of a marking in an upward-closed goal that suffice for the goal.
fn wanted(goal: &Formula, tokens: &[u64]) -> Vec<u64> {
    let holds = truth(goal, tokens);
    let mut need = vec![0u64; tokens.len()];
    let mut wanted = vec![false; holds.len()];
    *wanted.last_mut().expect("a formula has a root") = true;
    for (i, node) in goal.nodes().iter().enumerate().rev().filter(|(i, _)| holds[*i]) {
        if !wanted[i] {
            continue;
        }
        match node {
            Node::All(parts) => parts.iter().for_each(|p| wanted[p.index()] = true),
            Node::Any(parts) => {
                if let Some(p) = parts.iter().find(|p| holds[p.index()]) {
                    wanted[p.index()] = true;
                }
            }
            Node::AtLeast(sum) => {
                let mut missing = sum.at_least.clone();
                for (p, weight) in sum.terms.iter().filter(|(_, c)| c.is_positive()) {
                    if !missing.is_positive() {
                        break;
                    }
                    let there = tokens[p.index()].min(LIMIT);
                    let enough = (&missing + weight - 1u8) / weight;
                    let take = enough.to_u64().map_or(there, |n| n.min(there));
                    need[p.index()] = need[p.index()].max(take);
                    missing -= weight * BigInt::from(take);
                }
                debug_assert!(missing <= BigInt::zero(), "the inequality holds");
            }
        }
    }
    need
}
