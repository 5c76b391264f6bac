//! The set of listed markings as a table, and the loop that checks it for successors and goals.

use super::Marked;
use super::compiled::{Changed, Compiled};
use super::cover::{Cover, Fits};
use super::goals::Goals;
use super::shape::Shape;
use super::spread::Spread;
use super::table::Table;
use crate::key_set::BATCH;
use crate::keys::Layout;
use crate::work::Work;
use crate::{Check, reject};

/// The listed markings, and what they stand for.
pub(crate) struct Members<'a> {
    pub(crate) system: Marked<'a>,
    pub(crate) shape: &'a Shape<'a>,
    pub(crate) layout: Layout,
    pub(crate) fits: Fits,
    pub(crate) table: Table,
    /// By slot the greatest listed value.
    pub(crate) greatest: Vec<u32>,
    /// Made when first asked for.
    cover: Option<Cover>,
}

impl<'a> Members<'a> {
    pub(crate) fn new(
        system: Marked<'a>,
        shape: &'a Shape<'a>,
        layout: Layout,
        fits: Fits,
        table: Table,
        greatest: Vec<u32>,
    ) -> Self {
        Self { system, shape, layout, fits, table, greatest, cover: None }
    }

    /// Does a listed marking stand for this one?
    pub(crate) fn has(&mut self, state: &[u32], work: &mut Work<'_>) -> Check<bool> {
        let mut key = vec![0; self.layout.words()];
        if !self.layout.pack_into(state, &mut key) {
            // Some slot holds more than any listed marking has there.
            return Ok(false);
        }
        let mut missing = Vec::new();
        self.missing(&key, &mut missing, work)?;
        Ok(missing.is_empty())
    }

    /// Writes the indices of those keys of `batch` that no listed marking stands for into `missing`.
    fn missing(&mut self, batch: &[u64], missing: &mut Vec<usize>, work: &mut Work<'_>) -> Check<()> {
        self.table.look_up(batch, missing, work)?;
        if missing.is_empty() || self.fits.only_equal() {
            return Ok(());
        }
        if self.cover.is_none() {
            self.cover = Some(Cover::new(&self.table, &self.layout, &self.fits, &self.greatest, work)?);
        }
        let Some(cover) = &self.cover else { return Ok(()) };
        let words = self.layout.words();
        let mut state = Vec::new();
        let mut kept = 0;
        for at in 0..missing.len() {
            let index = missing[at];
            self.layout.unpack_words(&batch[index * words..][..words], &mut state);
            if !cover.has(&state, &self.table, &self.layout, &self.fits, work)? {
                missing[kept] = index;
                kept += 1;
            }
        }
        missing.truncate(kept);
        Ok(())
    }

    fn named(&self, key: &[u64]) -> String {
        let mut state = Vec::new();
        self.layout.unpack_words(key, &mut state);
        self.shape.describe(self.system, &state)
    }
}

/// Checks that every successor of a listed marking is in the set, and no goal may hold.
pub(crate) fn check(
    members: &mut Members<'_>,
    compiled: &Compiled,
    goals: &mut Goals,
    deadlock: bool,
    work: &mut Work<'_>,
) -> Check<()> {
    let (spread, waiting) = (Spread::default(), Waiting::default());
    let mut closing = Closing { members, compiled, spread, changes: Vec::new(), waiting };
    let mut state = Vec::new();
    let mut next = closing.members.table.next(0);
    while let Some(place) = next {
        closing.members.layout.unpack_words(closing.members.table.key(place), &mut state);
        work.spend(1 + state.len() as u64 / 8)?;
        if goals.may_hold(&state, work)? {
            let state = closing.described(&state);
            return reject(format!("the set contains a marking that may satisfy a goal: {state}"));
        }
        let alive = closing.expand(place, &state, work)?;
        if deadlock && !alive {
            let state = closing.described(&state);
            return reject(format!("the set contains a marking that may be a deadlock: {state}"));
        }
        next = closing.members.table.next(place + 1);
    }
    closing.look_up(work)
}

/// Successors that wait to be looked up.
#[derive(Default)]
struct Waiting {
    from: Vec<usize>,
    rules: Vec<u32>,
    keys: Vec<u64>,
    missing: Vec<usize>,
}

struct Closing<'m, 'a> {
    members: &'m mut Members<'a>,
    compiled: &'m Compiled,
    spread: Spread,
    changes: Vec<Changed>,
    waiting: Waiting,
}

impl Closing<'_, '_> {
    /// Fires all that the listed marking `state` at `place` enables. Is something enabled for certain?
    fn expand(&mut self, place: usize, state: &[u32], work: &mut Work<'_>) -> Check<bool> {
        let compiled = self.compiled;
        let mut alive = false;
        for &rule in compiled.always() {
            alive |= self.fire(rule, place, state, work)?;
        }
        for (slot, &value) in state.iter().enumerate().filter(|(_, value)| **value != 0) {
            for &rule in compiled.watching(self.members.shape.marked(slot, value)) {
                alive |= self.fire(rule, place, state, work)?;
            }
        }
        Ok(alive)
    }

    /// Fires a rule in all ways if it is enabled. Is it enabled for certain?
    fn fire(&mut self, rule: u32, place: usize, state: &[u32], work: &mut Work<'_>) -> Check<bool> {
        work.spend(1)?;
        if !self.compiled.is_enabled(rule, state) {
            return Ok(false);
        }
        self.compiled.spread(rule, state, &mut self.spread);
        loop {
            self.reach(rule, place, state, work)?;
            if !self.spread.advance() {
                return Ok(self.compiled.is_certain(rule));
            }
            work.spend(1 + self.spread.bins().len() as u64)?;
        }
    }

    /// Fires a rule in one way and puts what it leads to on the waiting list, unless the same listed marking stands for that
    /// as well.
    fn reach(&mut self, rule: u32, place: usize, state: &[u32], work: &mut Work<'_>) -> Check<()> {
        let members = &*self.members;
        let possible = self.compiled.fire(rule, state, self.spread.bins(), &mut self.changes);
        if !possible || self.changes.iter().any(|c| !members.layout.fits(c.slot, c.to)) {
            let (from, number) = (self.described(state), self.compiled.transition(rule) + 1);
            return reject(format!(
                "the set is not closed: transition number {number} leads from {from} to what no listed marking has"
            ));
        }
        if self.changes.iter().all(|c| members.fits.covers(c.slot, c.to, c.from)) {
            return Ok(());
        }
        let at = self.waiting.keys.len();
        self.waiting.keys.extend_from_slice(members.table.key(place));
        for c in &self.changes {
            members.layout.change_words(&mut self.waiting.keys[at..], c.slot, c.from, c.to);
        }
        self.waiting.from.push(place);
        self.waiting.rules.push(rule);
        if self.waiting.from.len() == BATCH {
            self.look_up(work)?;
        }
        Ok(())
    }

    /// All that wait are in the set.
    fn look_up(&mut self, work: &mut Work<'_>) -> Check<()> {
        let Self { members, compiled, waiting, .. } = self;
        members.missing(&waiting.keys, &mut waiting.missing, work)?;
        if let Some(&at) = waiting.missing.first() {
            let words = members.layout.words();
            let from = members.named(members.table.key(waiting.from[at]));
            let to = members.named(&waiting.keys[at * words..][..words]);
            let number = compiled.transition(waiting.rules[at]) + 1;
            return reject(format!("the set is not closed: transition number {number} leads from {from} to {to}"));
        }
        waiting.from.clear();
        waiting.rules.clear();
        waiting.keys.clear();
        Ok(())
    }

    fn described(&self, state: &[u32]) -> String {
        self.members.shape.describe(self.members.system, state)
    }
}
