//! The steps between listed markings, and the operators of computation tree logic on sets of them.

use crate::closed::{Change, Set};
use crate::net::Listing;
use crate::table::BATCH;
use crate::work::Work;
use crate::{Check, Refusal, reject};
use model::StateSet;
use std::ops::ControlFlow;

/// The listed markings are numbered in the order of the list, in which markings near to each other often have near
/// numbers, so that lists indexed by these numbers are read faster.
pub(super) struct Order {
    /// For each marking: its place in the table.
    pub(super) places: Vec<u32>,
    /// For each place of the table: the number of the marking there.
    pub(super) numbers: Vec<u32>,
}

impl Order {
    pub(super) fn new(set: &Set, states: &dyn StateSet, work: &mut Work<'_>) -> Check<Self> {
        let size = set.table.taken().last().map_or(0, |last| last + 1);
        u32::try_from(size).map_err(|_| Refusal::ResourceLimit)?;
        work.grow(size.saturating_mul(8))?;
        let mut order = Self { places: Vec::with_capacity(set.table.len()), numbers: vec![0; size] };
        let (mut key, mut result) = (Vec::new(), Ok(()));
        let _ = states.for_each(&mut |state| {
            key.clear();
            set.layout.pack(state, |word| key.push(word));
            result = work.spend(1).and_then(|()| set.table.find(&key, work)).map(|place| {
                let place = place.expect("the set has all listed states");
                order.numbers[place] = order.places.len() as u32;
                order.places.push(place as u32);
            });
            if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        result.map(|()| order)
    }
}

/// The steps between listed markings.
pub(super) struct Graph {
    /// For each marking: where the previous markings begin in `before`.
    begin: Vec<u32>,
    before: Vec<u32>,
    /// For each marking: the number of listed next markings, and true if another one is not listed.
    listed: Vec<u32>,
    leaves: Vec<bool>,
    /// True if all next markings are listed.
    pub(super) is_closed: bool,
}

impl Graph {
    /// The number of markings, and the number of steps between them.
    pub(super) fn size(&self) -> [usize; 2] {
        [self.listed.len(), self.before.len()]
    }

    pub(super) fn new(listing: &mut Listing<'_>, (set, order): (&Set, &Order), work: &mut Work<'_>) -> Check<Self> {
        let (count, words) = (order.places.len(), set.layout.words());
        work.grow(count.saturating_mul(16))?;
        let (mut after, mut listed, mut leaves) = (Vec::new(), vec![0u32; count], vec![false; count]);
        let (mut state, mut keys, mut next) = (Vec::new(), Vec::new(), Vec::new());
        let mut fired = |_, is_certain| match is_certain {
            true => Ok(()),
            false => reject("a transition tests places that are not listed"),
        };
        for (number, &place) in order.places.iter().enumerate() {
            let key = set.table.key(place as usize);
            set.layout.unpack(key, &mut state);
            work.spend(1 + state.len() as u64 / 8)?;
            keys.clear();
            next.clear();
            let mut step = |changes: &[Change], work: &mut Work<'_>| {
                work.spend(1 + words as u64 / 8)?;
                let at = keys.len();
                keys.extend_from_slice(key);
                // A marking with a slot value out of range is not listed.
                if !changes.iter().all(|change| set.layout.change(&mut keys[at..], change)) {
                    keys.truncate(at);
                    leaves[number] = true;
                }
                Ok(())
            };
            listing.fire_all(&state, &mut step, &mut fired, work)?;
            for batch in keys.chunks(BATCH * words) {
                set.table.find_all(batch, work, |place| match place {
                    Some(place) => next.push(order.numbers[place]),
                    None => leaves[number] = true,
                })?;
            }
            next.sort_unstable();
            next.dedup();
            listed[number] = next.len() as u32;
            if after.len() + next.len() > after.capacity() {
                work.grow(after.len().saturating_mul(3 * size_of::<u32>()))?;
            }
            after.extend_from_slice(&next);
        }
        u32::try_from(after.len()).map_err(|_| Refusal::ResourceLimit)?;
        // Counting sort by next markings.
        let mut begin = vec![0u32; count + 2];
        after.iter().for_each(|to| begin[*to as usize + 2] += 1);
        (2..count + 2).for_each(|at| begin[at] += begin[at - 1]);
        let (mut before, mut rest) = (vec![0u32; after.len()], after.iter());
        for (from, next) in (0u32..).zip(&listed) {
            for to in rest.by_ref().take(*next as usize) {
                let at = &mut begin[*to as usize + 1];
                before[*at as usize] = from;
                *at += 1;
            }
        }
        let is_closed = !leaves.contains(&true);
        Ok(Self { begin, before, listed, leaves, is_closed })
    }

    /// Returns the previous markings.
    pub(super) fn before(&self, marking: u32) -> &[u32] {
        &self.before[self.begin[marking as usize] as usize..self.begin[marking as usize + 1] as usize]
    }

    /// Returns the markings with a next marking in the set, where next markings that are not listed are in the set iff
    /// `others` is true.
    pub(super) fn exists_next(&self, a: &[bool], others: bool) -> Vec<bool> {
        let mut set: Vec<bool> = self.leaves.iter().map(|leaves| *leaves && others).collect();
        for marking in (0u32..).zip(a).filter_map(|(marking, is_in)| is_in.then_some(marking)) {
            self.before(marking).iter().for_each(|from| set[*from as usize] = true);
        }
        set
    }

    /// Returns the least set that contains `b`, and each marking of `a` that has a next marking, some next marking (or
    /// all of them, if `all`) in the set. Next markings that are not listed are in the set iff `others` is true.
    pub(super) fn until(&self, a: &[bool], b: &[bool], all: bool, others: bool) -> Vec<bool> {
        // For each marking: the number of next markings that must still get into the set.
        let missing = |marking: usize| match (all, self.leaves[marking]) {
            (true, leaves) => self.listed[marking] + u32::from(leaves && !others),
            (false, leaves) => u32::from(!(leaves && others)),
        };
        let mut missing: Vec<u32> = (0..a.len()).map(missing).collect();
        let has_next = |marking: usize| self.listed[marking] > 0 || self.leaves[marking];
        let is_first = |marking: usize| b[marking] || (a[marking] && has_next(marking) && missing[marking] == 0);
        let mut set: Vec<bool> = (0..a.len()).map(is_first).collect();
        let mut open: Vec<u32> = (0u32..).zip(&set).filter_map(|(marking, is_in)| is_in.then_some(marking)).collect();
        while let Some(marking) = open.pop() {
            for &from in self.before(marking) {
                let at = from as usize;
                missing[at] = missing[at].saturating_sub(1);
                if !set[at] && a[at] && missing[at] == 0 {
                    set[at] = true;
                    open.push(from);
                }
            }
        }
        set
    }
}
