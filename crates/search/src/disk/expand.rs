//! Expansion of the states of a level.

use super::large::Place;
use super::levels::Levels;
use super::reason;
use crate::exploration::SMALL_FAN_OUT;
use crate::may_grow;
use crate::step::{Stepper, Successors};
use crate::table;
use model::{ExpansionKind, Goal, Reason, Stop};
use std::collections::VecDeque;

/// The largest number of states, and about the number of successors, that are stepped before the table is read
/// (as in [`crate::Breadth`]).
const BATCH: usize = 16;
const BATCH_SUCCESSORS: usize = 64;

/// Successors, words of a successor, and parts of tests that cost one unit of work, as in a search in memory.
const SUCCESSORS_PER_UNIT: u64 = 16;
const WORDS_PER_SUCCESSOR: usize = 8;
const TESTS_PER_UNIT: u64 = 256;

/// States that are stepped together, and the work done.
#[derive(Debug)]
pub(super) struct Batch {
    stepped: Vec<Stepped>,
    expanded: u64,
    successors: u64,
    tests: u64,
    /// The cost of a successor, relative to one of a few words, and of an expansion.
    each: u64,
    looking: u64,
}

#[derive(Debug)]
struct Stepped {
    kind: ExpansionKind,
    successors: Successors,
    hashes: Vec<u64>,
}

impl Batch {
    pub(super) fn new(stepper: &impl Stepper) -> Self {
        let mut this = Self { stepped: Vec::new(), expanded: 0, successors: 0, tests: 0, each: 1, looking: 0 };
        this.resize(stepper);
        this
    }

    /// Prepares for the states of a stepper with another layout.
    pub(super) fn resize(&mut self, stepper: &impl Stepper) {
        let words = stepper.words();
        let size = if stepper.max_fan_out() <= SMALL_FAN_OUT { BATCH } else { 1 };
        let empty = || Stepped { kind: ExpansionKind::Inner, successors: Successors::new(words), hashes: Vec::new() };
        self.stepped = (0..size).map(|_| empty()).collect();
        self.each = 1 + (words / WORDS_PER_SUCCESSOR) as u64;
        self.looking = stepper.looking();
    }

    /// Counts an expansion.
    pub(super) fn note(&mut self, successors: usize) {
        self.expanded += 1;
        self.successors += successors as u64;
    }

    /// Returns the work of expansions and tests so far.
    pub(super) fn work(&self) -> u64 {
        let looked = self.expanded.saturating_mul(1 + self.looking);
        let found = self.successors.saturating_mul(self.each) / SUCCESSORS_PER_UNIT;
        looked.max(found) + self.tests / TESTS_PER_UNIT
    }
}

impl<S: Stepper + Clone> Levels<S> {
    /// Tests and expands the next states of the frontier. Returns false if there are none.
    pub(super) fn expand(&mut self, open: &[Goal], stop: &Stop) -> Result<bool, Reason> {
        let words = self.stepper.words();
        let waiting = self.frontier.window().map_err(reason)?.len() / words;
        if waiting == 0 {
            return Ok(false);
        }
        if self.crew.is_some() && self.expand_together(open, stop)? > 0 {
            return Ok(true);
        }
        let most = waiting.min(self.batch.stepped.len());
        self.may_step(most, stop)?;
        let (count, successors) = self.step_batch(most, open);
        if count == 0 {
            // The hits of the state that overflows are reported before its layout changes.
            return if self.hits.is_empty() { self.overflow(stop).map(|()| true) } else { Ok(true) };
        }
        self.next.reserve(successors, &self.disk, stop)?;
        self.record(count);
        self.frontier.skip(count);
        Ok(true)
    }

    /// Requests memory for the successors of states that may have very many.
    fn may_step(&self, most: usize, stop: &Stop) -> Result<(), Reason> {
        let words = self.stepper.words();
        if most > 1 || self.stepper.max_fan_out() <= SMALL_FAN_OUT {
            return Ok(());
        }
        let fan_out = self.stepper.fan_out(&self.frontier.rest()[..words]);
        // State, label and hash of a successor, in vectors that may be doubling their capacity.
        let bytes = usize::try_from(fan_out).unwrap_or(usize::MAX).saturating_mul(2 * (words * 8 + 4 + 8));
        if fan_out <= SMALL_FAN_OUT || may_grow(bytes, stop) { Ok(()) } else { Err(Reason::Memory) }
    }

    /// Tests and steps at most `most` states of the frontier, up to one that overflows. Returns the number of states
    /// stepped, and the number of their successors.
    fn step_batch(&mut self, most: usize, open: &[Goal]) -> (usize, usize) {
        let Self { stepper, batch, frontier, hits, levels, .. } = self;
        let level = levels.len() - 1;
        let has_tests = stepper.has_tests();
        let (mut count, mut successors) = (0, 0);
        for state in frontier.rest().chunks_exact(stepper.words()).take(most) {
            let mut hit = |goal| note(hits, goal, level, state, open);
            if has_tests {
                batch.tests += stepper.test_cost();
                stepper.test(state, &mut hit);
            }
            let stepped = &mut batch.stepped[count];
            stepped.kind = stepper.expand(state, &mut stepped.successors);
            match stepped.kind {
                ExpansionKind::Overflow => break,
                ExpansionKind::Goal(goal) => hit(goal),
                ExpansionKind::Inner | ExpansionKind::Cut => {}
            }
            stepped.hashes.clear();
            stepped.hashes.extend(stepped.successors.iter().map(|(_, state)| table::hash(state)));
            count += 1;
            successors += stepped.successors.len();
            if successors >= BATCH_SUCCESSORS {
                break;
            }
        }
        (count, successors)
    }

    /// Collects the successors of the first `count` states of the batch.
    fn record(&mut self, count: usize) {
        let Self { next, batch, cut, transitions, .. } = self;
        let stepped = &batch.stepped[..count];
        stepped.iter().for_each(|stepped| next.warm(&stepped.hashes));
        for Stepped { kind, successors, hashes } in stepped {
            next.add(successors, hashes);
            *cut |= *kind == ExpansionKind::Cut;
            *transitions += successors.len() as u64;
            batch.successors += successors.len() as u64;
        }
        batch.expanded += count as u64;
    }

    /// Tests a state of the frontier.
    pub(super) fn test(&mut self, state: &[u64], open: &[Goal]) {
        let Self { stepper, batch, hits, levels, .. } = self;
        batch.tests += stepper.test_cost();
        stepper.test(state, &mut |goal| note(hits, goal, levels.len() - 1, state, open));
    }

    /// Notes that a state of the frontier is one of a goal.
    pub(super) fn hit(&mut self, goal: Goal, state: &[u64], open: &[Goal]) {
        note(&mut self.hits, goal, self.levels.len() - 1, state, open);
    }

    /// Handles the overflow of the next state of the frontier: changes the layout of all states, or leaves out what
    /// does not fit.
    fn overflow(&mut self, stop: &Stop) -> Result<(), Reason> {
        if let Some(stepper) = self.stepper.widened(true) {
            return self.widen(stepper, stop);
        }
        (self.overflow, self.cut) = (true, true);
        let stepped = &mut self.batch.stepped[0];
        stepped.hashes.clear();
        stepped.hashes.extend(stepped.successors.iter().map(|(_, state)| table::hash(state)));
        let successors = stepped.successors.len();
        self.next.reserve(successors, &self.disk, stop)?;
        self.record(1);
        self.frontier.skip(1);
        Ok(())
    }
}

/// Notes that a state of a level is one of an open goal, unless another one is noted.
fn note(hits: &mut VecDeque<(Goal, Place)>, goal: Goal, level: usize, state: &[u64], open: &[Goal]) {
    if open.contains(&goal) && !hits.iter().any(|(other, _)| *other == goal) {
        hits.push_back((goal, Place::OnDisk(level, state.into())));
    }
}
