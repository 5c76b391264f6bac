//! Paths through the listed markings of evidence, and the steps that take them.

use crate::steps::marking::{Marking, Stepper};
use certify::Truths;
use model::{Slot, TransitionId};
use num_bigint::BigUint;
use num_traits::ToPrimitive;
use std::collections::VecDeque;

/// The listed markings with the steps between them.
pub(super) struct Paths<'e> {
    pub(super) truths: Truths,
    slots: &'e [Slot],
    /// For each marking: where its next markings begin in `after`.
    begin: Vec<u32>,
    after: Vec<u32>,
}

impl<'e> Paths<'e> {
    pub(super) fn new(truths: Truths, slots: &'e [Slot]) -> Self {
        let count = truths.count();
        let mut begin = vec![0u32; count as usize + 1];
        for to in 0..count {
            truths.before(to).iter().for_each(|from| begin[*from as usize + 1] += 1);
        }
        for at in 1..begin.len() {
            begin[at] += begin[at - 1];
        }
        let mut next = begin.clone();
        let mut after = vec![0u32; begin.last().map_or(0, |last| *last as usize)];
        for to in 0..count {
            for from in truths.before(to) {
                let at = &mut next[*from as usize];
                after[*at as usize] = to;
                *at += 1;
            }
        }
        Self { truths, slots, begin, after }
    }

    /// The listed next markings.
    pub(super) fn after(&self, marking: u32) -> &[u32] {
        &self.after[self.begin[marking as usize] as usize..self.begin[marking as usize + 1] as usize]
    }

    /// Returns a shortest path from a marking to one with `is_end`, through markings with `is_inside`: the markings
    /// after the first.
    pub(super) fn shortest(
        &self,
        from: u32,
        is_inside: impl Fn(u32) -> bool,
        is_end: impl Fn(u32) -> bool,
    ) -> Option<Vec<u32>> {
        if is_end(from) {
            return Some(Vec::new());
        }
        let mut before = vec![u32::MAX; self.truths.count() as usize];
        before[from as usize] = from;
        let mut open = VecDeque::from([from]);
        while let Some(at) = open.pop_front() {
            if !is_inside(at) {
                continue;
            }
            for &to in self.after(at) {
                if before[to as usize] != u32::MAX {
                    continue;
                }
                before[to as usize] = at;
                if is_end(to) {
                    let mut path = vec![to];
                    while let Some(&first) = path.last().filter(|first| before[**first as usize] != from) {
                        path.push(before[first as usize]);
                    }
                    path.reverse();
                    return Some(path);
                }
                open.push_back(to);
            }
        }
        None
    }

    /// Returns a path within markings with `is_inside` that ends where it was before: the markings after the first, and
    /// the number of steps before the cycle.
    pub(super) fn cycle(&self, from: u32, is_inside: impl Fn(u32) -> bool) -> Option<(Vec<u32>, usize)> {
        let mut seen = vec![usize::MAX; self.truths.count() as usize];
        let (mut at, mut path) = (from, Vec::new());
        loop {
            seen[at as usize] = path.len();
            let next = *self.after(at).iter().find(|to| is_inside(**to))?;
            path.push(next);
            match seen[next as usize] {
                usize::MAX => at = next,
                begin => return Some((path, begin)),
            }
        }
    }

    /// Returns a step from a marking to a listed one, with the transition that takes it. `None` if the step has several
    /// outcomes.
    pub(super) fn step(&self, stepper: Stepper<'_>, at: &Marking, to: u32) -> Option<(TransitionId, Marking)> {
        let row = self.truths.row(to);
        stepper.transitions().filter(|t| stepper.is_enabled(at, *t)).find_map(|transition| {
            let next = fired(stepper, at, transition)?;
            self.is_at(&next, row).then_some((transition, next))
        })
    }

    /// Returns true if a marking is one of those that this row stands for.
    fn is_at(&self, at: &Marking, row: &[u32]) -> bool {
        self.slots.iter().zip(row).all(|(slot, value)| match slot {
            Slot::Tokens(place) => at[place.index()].to_u32() == Some(*value),
            Slot::OneOf(places) => {
                let marked = places.iter().position(|place| at[place.index()] != BigUint::ZERO);
                marked.map_or(0, |marked| marked + 1) == *value as usize
            }
        })
    }

    /// Returns the tokens beyond the least possible ones in an initial marking, for each place that has a choice.
    pub(super) fn extra(&self, stepper: Stepper<'_>, row: &[u32]) -> Box<[u32]> {
        let tokens = |place: model::PlaceId| {
            let kept = self.slots.iter().zip(row).find_map(|(slot, value)| match slot {
                Slot::Tokens(kept) => (*kept == place).then_some(*value),
                Slot::OneOf(places) => {
                    let number = places.iter().position(|kept| *kept == place)?;
                    Some(u32::from(*value as usize == number + 1))
                }
            });
            kept.unwrap_or(0)
        };
        let extra = |(place, range): (model::PlaceId, model::Range)| {
            tokens(place).saturating_sub(range.at_least.to_u32().unwrap_or(0))
        };
        stepper.open_places().into_iter().map(extra).collect()
    }
}

/// Returns the marking after an enabled transition; `None` if there are several.
pub(super) fn fired(stepper: Stepper<'_>, at: &Marking, transition: TransitionId) -> Option<Marking> {
    let mut is_open = false;
    let changes = stepper.fire(at, transition, &mut |_, tokens, targets| {
        is_open = true;
        (0..targets.len()).map(|i| if i == 0 { tokens.clone() } else { BigUint::ZERO }).collect()
    });
    let mut next = at.clone();
    changes.into_iter().for_each(|(place, tokens)| next[place.index()] = tokens);
    (!is_open).then_some(next)
}
