//! The states that are stepped together, and the work that steps and tests cost.

use crate::exploration::SMALL_FAN_OUT;
use crate::step::{Stepper, Successors};
use model::ExpansionKind;

/// The largest number of states, and about the number of successors, that are stepped before the table is read
/// (as in [`crate::Breadth`]).
const BATCH: usize = 16;
pub(super) const BATCH_SUCCESSORS: usize = 64;

/// Successors, words of a successor, and parts of tests that cost one unit of work, as in a search in memory.
const SUCCESSORS_PER_UNIT: u64 = 16;
const WORDS_PER_SUCCESSOR: usize = 8;
const TESTS_PER_UNIT: u64 = 256;

/// States that are stepped together, and the work done.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) stepped: Vec<Stepped>,
    pub(super) expanded: u64,
    pub(super) successors: u64,
    pub(super) tests: u64,
    /// The cost of a successor, relative to one of a few words, and of an expansion.
    each: u64,
    looking: u64,
}

#[derive(Debug)]
pub(super) struct Stepped {
    pub(super) kind: ExpansionKind,
    pub(super) successors: Successors,
    pub(super) hashes: Vec<u64>,
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
