//! Groups of places that become levels.
//!
//! Any partition gives correct results. Good groups have few local states and many dependences inside: places of which
//! at most one holds a token, and at most one token, so that a group is the position of a token. The concurrency
//! relation of [`crate::invariants`] says which places these are, and transitions say which belong together. Places
//! with equal or opposite changes always determine each other, so they are also a group.

use crate::invariants::Invariants;
use model::{Budget, ConcurrencyRelation, Net, NetTask, Stop};
use num_bigint::BigInt;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Work units for the concurrency relation.
const WORK: u64 = 1 << 24;

/// Pairs of an input and an output place that are looked at for each transition.
const PAIRS: usize = 256;

/// Returns groups that contain each place once.
pub(crate) fn groups(net: &Arc<Net>, stop: &Arc<Stop>) -> Vec<Vec<u32>> {
    let mut union = Union::new(net.places().len());
    for transition in net.transitions() {
        for effect in transition.effects.iter().filter(|effect| effect.delta().is_none()) {
            effect.sources.iter().for_each(|p| union.join(p.index(), effect.place.index()));
        }
    }
    let is_free = union.singles();
    let task = NetTask::plain(Arc::clone(net), Vec::new(), Vec::new());
    let mut budget = Budget::new(WORK, Arc::clone(stop));
    let invariants = Invariants::new(&task);
    if let Some(pairs) = invariants.as_ref().and_then(|known| known.pairs(&mut budget)) {
        Exclusive::new(net, pairs, is_free).join(&mut union);
    }
    let is_free = union.singles();
    join_twins(net, &is_free, &mut union);
    union.groups()
}

/// A partition of places.
struct Union(Vec<usize>);

impl Union {
    fn new(places: usize) -> Self {
        Self((0..places).collect())
    }

    fn root(&mut self, mut p: usize) -> usize {
        while self.0[p] != p {
            self.0[p] = self.0[self.0[p]];
            p = self.0[p];
        }
        p
    }

    fn join(&mut self, p: usize, q: usize) {
        let (p, q) = (self.root(p), self.root(q));
        self.0[p.max(q)] = p.min(q);
    }

    fn groups(&mut self) -> Vec<Vec<u32>> {
        let mut groups: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        for p in 0..self.0.len() {
            groups.entry(self.root(p)).or_default().push(p as u32);
        }
        groups.into_values().collect()
    }

    /// For each place: true if it is alone in its group.
    fn singles(&mut self) -> Vec<bool> {
        let mut is_single = vec![false; self.0.len()];
        self.groups().into_iter().filter(|g| g.len() == 1).for_each(|g| is_single[g[0] as usize] = true);
        is_single
    }
}

/// The search for groups of places that are never marked together.
struct Exclusive<'a> {
    net: &'a Net,
    pairs: &'a ConcurrencyRelation,
    is_free: Vec<bool>,
    /// For each place: the places that transitions move a token to or from, and how many do.
    near: Vec<BTreeMap<usize, usize>>,
}

impl<'a> Exclusive<'a> {
    fn new(net: &'a Net, pairs: &'a ConcurrencyRelation, mut is_free: Vec<bool>) -> Self {
        let mut near = vec![BTreeMap::new(); net.places().len()];
        (0..is_free.len()).filter(|p| pairs.allows(*p, *p)).for_each(|p| is_free[p] = false);
        for transition in net.transitions() {
            let moved = |is_more: bool| {
                let effects = transition.effects.iter();
                effects
                    .filter(move |e| e.delta().is_some_and(|n| (*n > BigInt::ZERO) == is_more))
                    .map(|e| e.place.index())
            };
            let moves = moved(false).flat_map(|p| moved(true).map(move |q| (p, q))).take(PAIRS);
            for (p, q) in moves.filter(|(p, q)| is_free[*p] && is_free[*q] && !pairs.allows(*p, *q)) {
                *near[p].entry(q).or_insert(0) += 1;
                *near[q].entry(p).or_insert(0) += 1;
            }
        }
        Self { net, pairs, is_free, near }
    }

    fn join(mut self, union: &mut Union) {
        let is_marked = |p: &usize| self.net.places()[*p].initial.at_least > 0u8.into();
        let (marked, others): (Vec<usize>, Vec<usize>) = (0..self.is_free.len()).partition(is_marked);
        for start in marked.into_iter().chain(others) {
            if self.is_free[start] {
                self.grow(start, union);
            }
        }
    }

    /// Joins places to the group of `start`, those with the most moves first.
    fn grow(&mut self, start: usize, union: &mut Union) {
        let mut members: Vec<usize> = Vec::new();
        let mut candidates: BTreeMap<usize, usize> = BTreeMap::from([(start, 0)]);
        while let Some((&p, _)) = candidates.iter().max_by_key(|(p, moves)| (**moves, std::cmp::Reverse(**p))) {
            candidates.remove(&p);
            self.is_free[p] = false;
            members.push(p);
            union.join(start, p);
            candidates.retain(|q, _| !self.pairs.allows(p, *q));
            for (&q, &moves) in &self.near[p] {
                if self.is_free[q] && members.iter().all(|m| !self.pairs.allows(*m, q)) {
                    *candidates.entry(q).or_insert(0) += moves;
                }
            }
        }
    }
}

/// The changes of a place: transitions, with the tokens that they add.
type Changes = Vec<(usize, BigInt)>;

/// Joins places with equal or opposite changes.
fn join_twins(net: &Net, is_free: &[bool], union: &mut Union) {
    let mut changes: Vec<Changes> = vec![Vec::new(); is_free.len()];
    let mut is_plain = is_free.to_vec();
    for (t, transition) in net.transitions().iter().enumerate() {
        for effect in &transition.effects {
            match effect.delta() {
                Some(delta) => changes[effect.place.index()].push((t, delta.clone())),
                None => is_plain[effect.place.index()] = false,
            }
        }
    }
    let mut first: HashMap<Changes, usize> = HashMap::new();
    for (p, mut changes) in changes.into_iter().enumerate() {
        if !is_plain[p] || changes.is_empty() {
            continue;
        }
        if changes[0].1 < BigInt::ZERO {
            changes.iter_mut().for_each(|change| change.1 = -&change.1);
        }
        union.join(*first.entry(changes).or_insert(p), p);
    }
}
