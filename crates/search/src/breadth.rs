//! Breadth-first order, in batches.
//!
//! States are numbered as they are found, so the queue of a breadth-first search is the numbering itself. Most
//! time is spent in the hash table of states, where each look-up waits for memory. So a batch of states is
//! stepped first. Then the table's slots for all their successors are read at once, and these waits overlap.
//! Finally the successors are interned in the order of plain breadth-first search, so numbers, parents and
//! counts are the same.
//!
//! If fewer states wait than a batch holds (in a program that runs in one long loop, only one state waits at a
//! time), successors of the batch are stepped speculatively, on the assumption that they are new. If the
//! assumption is wrong, only these steps are wasted.

use crate::exploration::{Exploration, SMALL_FAN_OUT};
use crate::order::{Order, Position};
use crate::step::{Stepper, Successors};
use crate::table::{self, StateId};
use model::ExpansionKind;
use std::ops::ControlFlow;

/// The largest number of states that are stepped before the table is read. A core keeps about this many reads
/// in flight.
const BATCH: usize = 16;

/// A batch with at least this many successors is full, because a core does not keep more reads in flight.
const BATCH_SUCCESSORS: usize = 64;

/// Number of successors, of a few words each, that together cost one unit of work. An expansion by itself costs
/// one unit, too.
const SUCCESSORS_PER_UNIT: u64 = 16;

/// Number of additional words of a successor that cost as much as the successor itself.
const WORDS_PER_SUCCESSOR: usize = 8;

/// A state that has been stepped but not recorded.
#[derive(Debug)]
struct Stepped {
    /// Its number. For a speculative state: the number that it gets if all speculative states up to it are new.
    number: usize,
    source: Vec<u64>,
    pub(super) kind: ExpansionKind,
    pub(super) successors: Successors,
    pub(super) hashes: Vec<u64>,
}

/// The position of a breadth-first search in the numbering.
#[derive(Debug)]
pub struct Breadth {
    /// The next state to expand, unless it is covered.
    pub(super) next: usize,
    pub(super) expanded: usize,
    batch: Vec<Stepped>,
    /// For each state: true if it is covered. Empty if the stepper has no index of covering states.
    covered: Vec<bool>,
    /// Cost of a successor, relative to one of a few words.
    each: u64,
    /// Extra work of an expansion ([`Stepper::looking`]), and the greatest work of an expansion.
    looking: u64,
    dearest: u64,
    /// The state for which a fan-out (a bound on its number of successors) was computed last, and the fan-out.
    fan_out: Option<(usize, u64)>,
    /// Number of states to step speculatively. It doubles when all speculative states of a batch proved new.
    bets: usize,
}

impl Breadth {
    /// Returns the order for the states of `stepper`.
    pub fn of(stepper: &impl Stepper) -> Self {
        let words = stepper.words();
        let size = if stepper.max_fan_out() <= SMALL_FAN_OUT { BATCH } else { 1 };
        let each = 1 + (words / WORDS_PER_SUCCESSOR) as u64;
        let looking = stepper.looking();
        Self {
            next: 0,
            expanded: 0,
            batch: (0..size).map(|_| Stepped::empty(words)).collect(),
            covered: Vec::new(),
            each,
            looking,
            dearest: looking.saturating_add(stepper.max_fan_out().saturating_mul(each) / SUCCESSORS_PER_UNIT),
            fan_out: None,
            bets: 1,
        }
    }

    /// Returns true if states have so few successors that several are stepped at once.
    pub(super) fn has_batches(&self) -> bool {
        self.batch.len() > 1
    }

    /// Returns an upper bound on the successors of the next state. Computing it may take as long as an
    /// expansion.
    fn fan_out<S: Stepper>(&mut self, space: &Exploration<S>) -> u64 {
        match self.fan_out {
            Some((state, fan_out)) if state == self.next => fan_out,
            _ => {
                let fan_out = space.fan_out(StateId::new(self.next));
                self.fan_out = Some((self.next, fan_out));
                fan_out
            }
        }
    }

    /// Returns the work of finding `successors` successors.
    #[inline]
    fn work_for(&self, successors: u64) -> u64 {
        successors.saturating_mul(self.each) / SUCCESSORS_PER_UNIT
    }

    /// Returns the first state from `from` on that is not covered.
    #[inline]
    pub(super) fn uncovered(&self, mut from: usize) -> usize {
        while self.covered.get(from) == Some(&true) {
            from += 1;
        }
        from
    }

    /// Steps the next states, at most `most`. If these are all states that wait, also steps some of their
    /// successors speculatively. Returns how many waiting states were stepped, and how many states in all.
    fn step_ahead<S: Stepper>(&mut self, space: &mut Exploration<S>, most: usize) -> (usize, usize) {
        let goal = self.batch.len().min(most);
        let (mut known, mut next) = (0, self.next);
        let mut successors = 0;
        while known < goal && next < space.len() && successors < BATCH_SUCCESSORS {
            let ahead = &mut self.batch[known];
            ahead.number = next;
            ahead.source.clear();
            ahead.source.extend_from_slice(space.packed(StateId::new(next)));
            ahead.step(space.stepper_mut());
            successors += ahead.successors.len();
            known += 1;
            next = self.uncovered(next + 1);
        }
        let is_betting = next == space.len() && self.covered.is_empty();
        let stepped = if is_betting { self.bet(space, known, goal.min(known + self.bets)) } else { known };
        (known, stepped)
    }

    /// Steps successors of the states in the batch as if they were new, until the batch has `goal` states.
    /// Returns the number of states in the batch.
    fn bet<S: Stepper>(&mut self, space: &mut Exploration<S>, known: usize, goal: usize) -> usize {
        let (mut stepped, mut parent, mut child) = (known, 0, 0);
        while stepped < goal && parent < stepped {
            let (done, open) = self.batch.split_at_mut(stepped);
            if child == done[parent].successors.len() {
                (parent, child) = (parent + 1, 0);
                continue;
            }
            let state = done[parent].successors.state(child);
            child += 1;
            if !table::equal(state, &done[parent].source) {
                open[0].number = self.next + stepped;
                open[0].source.clear();
                open[0].source.extend_from_slice(state);
                open[0].step(space.stepper_mut());
                stepped += 1;
            }
        }
        stepped
    }
}

impl<S: Stepper> Order<S> for Breadth {
    const LISTS: bool = false;

    fn found(&mut self, space: &mut Exploration<S>, id: StateId, is_covered: bool) {
        debug_assert!(id.index() < space.len() && id.index() == self.covered.len(), "states are told in order");
        self.covered.push(is_covered);
    }

    #[inline]
    fn is_exhausted(&mut self, space: &Exploration<S>) -> bool {
        self.next = self.uncovered(self.next);
        self.next == space.len()
    }

    /// Only expansions with very many successors can cost more than `most`.
    #[inline]
    fn is_beyond(&mut self, space: &Exploration<S>, most: u64) -> bool {
        self.dearest > most && self.batch.len() == 1 && {
            let fan_out = self.fan_out(space);
            self.looking.max(self.work_for(fan_out)) > most
        }
    }

    #[inline]
    fn growth_bytes(&mut self, space: &Exploration<S>) -> usize {
        match self.batch.len() {
            1 => {
                let fan_out = self.fan_out(space);
                space.growth_bytes_beyond(fan_out)
            }
            size => space.growth_bytes_for_many(size),
        }
    }

    fn expand(
        &mut self,
        space: &mut Exploration<S>,
        most: usize,
        mut visit: impl FnMut(StateId, ExpansionKind) -> ControlFlow<()>,
    ) {
        let first = self.expanded;
        let (known, stepped) = self.step_ahead(space, most);
        for ahead in &self.batch[..stepped] {
            space.table().warm(&ahead.hashes);
        }
        for (index, ahead) in self.batch[..stepped].iter().enumerate() {
            if index >= known && !space.is_state(ahead.number, &ahead.source) {
                self.bets = 1;
                break;
            }
            let id = StateId::new(ahead.number);
            if ahead.kind == ExpansionKind::Overflow {
                self.next = ahead.number;
                let _ = visit(id, ExpansionKind::Overflow);
                return;
            }
            space.record(id, &ahead.successors, &ahead.hashes);
            self.next = ahead.number + 1;
            self.expanded += 1;
            if visit(id, ahead.kind).is_break() {
                break;
            }
        }
        if stepped > known && self.expanded == first + stepped {
            self.bets = (self.bets * 2).min(BATCH);
        }
    }

    fn pass(&mut self, space: &mut Exploration<S>, id: StateId) {
        debug_assert_eq!(id.index(), self.next, "it is the next one");
        space.record_step(id);
        self.next += 1;
        self.expanded += 1;
    }

    /// One unit per expansion (more if [`Stepper::looking`] says so), or the work for all successors found, if
    /// this is greater.
    #[inline]
    fn work(&self, space: &Exploration<S>) -> u64 {
        let looked = (self.expanded as u64).saturating_mul(1 + self.looking);
        looked.max(self.work_for(space.transitions()))
    }

    fn expanded(&self) -> usize {
        self.expanded
    }

    fn position(&self) -> Option<Position> {
        Some(Position { next: self.next, expanded: self.expanded })
    }

    fn at(&self, stepper: &S, Position { next, expanded }: Position) -> Option<Self> {
        Some(Self { next, expanded, ..Self::of(stepper) })
    }

    fn repacked(&mut self, words: usize) {
        let size = self.batch.len();
        self.batch = (0..size).map(|_| Stepped::empty(words)).collect();
        self.each = 1 + (words / WORDS_PER_SUCCESSOR) as u64;
    }
}

impl Stepped {
    fn empty(words: usize) -> Self {
        let successors = Successors::new(words);
        Self { number: 0, source: Vec::new(), kind: ExpansionKind::Inner, successors, hashes: Vec::new() }
    }

    #[inline]
    fn step(&mut self, stepper: &mut impl Stepper) {
        self.kind = stepper.expand(&self.source, &mut self.successors);
        self.hashes.clear();
        self.hashes.extend(self.successors.iter().map(|(_, state)| table::hash(state)));
    }
}
