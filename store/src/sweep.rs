//! Breadth-first search in batches.
//!
//! States are numbered as they are found, so the queue of a breadth-first search is the numbering itself. What costs time is
//! the table: each lookup waits for memory. A sweep steps a batch of states first, then reads the table's slots for all their
//! successors at once, so that the waits overlap, then interns in the order of plain breadth-first search: numbers, parents
//! and counts are the same. Where fewer states wait than a batch holds (a program that runs in one long loop has one), it
//! bets that the successors just found are new, and steps them too; a bet that fails costs some steps and nothing else.

use crate::exploration::{Exploration, PackedStates, SMALL_FAN_OUT};
use crate::step::{Step, Successors};
use crate::table::{self, StateId};
use model::{Goal, Kind, Trace};
use std::cell::Cell;
use std::ops::ControlFlow;

/// States stepped before the table is asked: about as many reads as a core keeps in flight.
const BATCH: usize = 16;

/// A unit of work is an expansion, or so many successors of a few words each.
const SUCCESSORS_PER_UNIT: u64 = 16;

/// So many words of a successor take as long again as finding it.
const WORDS_PER_SUCCESSOR: usize = 8;

/// A state that has been stepped, and not yet recorded.
#[derive(Debug)]
struct Stepped {
    source: Vec<u64>,
    kind: Kind,
    successors: Successors,
    hashes: Vec<u64>,
}

/// A breadth-first search under way.
#[derive(Debug)]
pub struct Sweep<S: Step> {
    search: Exploration<S>,
    /// The number of the next state to expand.
    next: usize,
    batch: Vec<Stepped>,
    /// What a successor takes, compared with one of a few words.
    each: u64,
    /// What looking at a state takes, in work units, and the dearest expansion.
    looking: u64,
    dearest: u64,
    /// A state's number and fan-out, the last that was asked for.
    fan_out: Cell<Option<(usize, u64)>>,
    /// How many states to step on a bet: doubles when bets come true.
    bets: usize,
}

impl<S: Step> Sweep<S> {
    /// A search through the system of `stepper` that knows no state yet.
    pub fn new(stepper: S) -> Self {
        let words = stepper.words();
        let size = if stepper.max_fan_out() <= SMALL_FAN_OUT { BATCH } else { 1 };
        let empty = |_| Stepped {
            source: Vec::new(),
            kind: Kind::Inner,
            successors: Successors::new(words),
            hashes: Vec::new(),
        };
        let each = 1 + (words / WORDS_PER_SUCCESSOR) as u64;
        let looking = stepper.looking();
        Self {
            next: 0,
            batch: (0..size).map(empty).collect(),
            each,
            looking,
            dearest: looking.saturating_add(stepper.max_fan_out().saturating_mul(each) / SUCCESSORS_PER_UNIT),
            fan_out: Cell::new(None),
            bets: 1,
            search: Exploration::new(stepper),
        }
    }

    /// Interns the initial states, asking `go_on` now and then whether to go on; false if it said no, and then the search
    /// lacks initial states and must not be used.
    pub fn start(&mut self, go_on: impl Fn() -> bool) -> bool {
        const ASK_EVERY: usize = 1 << 12;
        self.search.add_initial_while(|id| (id.index() + 1) % ASK_EVERY != 0 || go_on())
    }

    /// How many bytes [`Sweep::start`] may allocate; `usize::MAX` if there are too many initial states.
    pub fn growth_bytes_initial(&self) -> usize {
        self.search.growth_bytes_initial()
    }

    /// How many bytes the next [`Sweep::advance`] may allocate; `usize::MAX` if there may be no number left for a state.
    #[inline]
    pub fn growth_bytes(&self) -> usize {
        match self.batch.len() {
            1 if self.is_exhausted() => 0,
            1 => self.search.growth_bytes_beyond(self.fan_out()),
            size => self.search.growth_bytes_for_many(size),
        }
    }

    /// The work done so far, in units of about a microsecond: what states of many threads or with many successors take is in
    /// proportion to them.
    #[inline]
    pub fn work(&self) -> u64 {
        let looked = (self.next as u64).saturating_mul(1 + self.looking);
        looked.max(self.work_for(self.transitions()))
    }

    /// Does the next [`Sweep::advance`] take more than `most`, at a state of very many successors?
    #[inline]
    pub fn is_beyond(&self, most: u64) -> bool {
        let has_many = self.dearest > most && self.batch.len() == 1 && !self.is_exhausted();
        has_many && self.looking.max(self.work_for(self.fan_out())) > most
    }

    /// How many successors the next state has at most. Finding out may take as long as an expansion.
    fn fan_out(&self) -> u64 {
        if let Some((state, fan_out)) = self.fan_out.get()
            && state == self.next
        {
            return fan_out;
        }
        let fan_out = self.search.fan_out(StateId::new(self.next));
        self.fan_out.set(Some((self.next, fan_out)));
        fan_out
    }

    /// What so many successors take.
    #[inline]
    fn work_for(&self, successors: u64) -> u64 {
        successors.saturating_mul(self.each) / SUCCESSORS_PER_UNIT
    }

    /// Has every known state been expanded?
    #[inline]
    pub fn is_exhausted(&self) -> bool {
        self.next == self.search.len()
    }

    /// Expands up to a batch of states, at most `most`, in the order of their numbers, and hands each with its kind to
    /// `visit` until that breaks off. Returns how many were expanded: at least one if `most > 0` and any is left.
    pub fn advance(&mut self, most: usize, mut visit: impl FnMut(StateId, Kind) -> ControlFlow<()>) -> usize {
        let first = self.next;
        let known = self.batch.len().min(most).min(self.search.len() - first);
        let stepped = self.step_ahead(known, most);
        for ahead in &self.batch[..stepped] {
            self.search.table().warm(&ahead.hashes);
        }
        for (index, ahead) in self.batch[..stepped].iter().enumerate() {
            if index >= known && !self.search.is_state(self.next, &ahead.source) {
                self.bets = 1;
                break;
            }
            let id = StateId::new(self.next);
            self.search.record(id, &ahead.successors, &ahead.hashes);
            self.next += 1;
            if visit(id, ahead.kind).is_break() {
                break;
            }
        }
        if stepped > known && self.next == first + stepped {
            self.bets = (self.bets * 2).min(BATCH);
        }
        self.next - first
    }

    /// Steps the next `known` states, then, if none but these is waiting, some of their successors. Returns how many.
    fn step_ahead(&mut self, known: usize, most: usize) -> usize {
        for (index, ahead) in self.batch[..known].iter_mut().enumerate() {
            ahead.source.clear();
            ahead.source.extend_from_slice(self.search.table().get(StateId::new(self.next + index)));
            ahead.step(self.search.stepper());
        }
        if self.next + known < self.search.len() {
            return known;
        }
        let goal = self.batch.len().min(most).min(known + self.bets);
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
                open[0].source.clear();
                open[0].source.extend_from_slice(state);
                open[0].step(self.search.stepper());
                stepped += 1;
            }
        }
        stepped
    }

    /// Hands the goals of a state to `found` that an expansion does not find.
    pub fn test(&mut self, id: StateId, found: &mut dyn FnMut(Goal)) {
        self.search.test(id, found);
    }

    /// How many bytes [`Sweep::trace_to`] may allocate.
    pub fn trace_bytes(&self, id: StateId) -> usize {
        self.search.trace_bytes(id)
    }

    /// A shortest run to `id`.
    ///
    /// # Panics
    /// If `id` is no state of this search.
    pub fn trace_to(&mut self, id: StateId) -> Trace {
        self.search.trace_to(id).expect("every state of a sweep has a run from an initial state")
    }

    /// Its stepper.
    pub fn stepper(&mut self) -> &mut S {
        self.search.stepper()
    }

    /// How many states are known.
    pub fn len(&self) -> usize {
        self.search.len()
    }

    /// Is no state known yet?
    pub fn is_empty(&self) -> bool {
        self.search.is_empty()
    }

    /// How many states have been expanded.
    pub fn expanded(&self) -> usize {
        self.next
    }

    /// How many (state, label, successor) triples the expansions have found.
    pub fn transitions(&self) -> u64 {
        self.search.transitions()
    }

    /// Ends the search and keeps its states.
    pub fn into_states(self) -> PackedStates<S> {
        self.search.into_states()
    }
}

impl Stepped {
    #[inline]
    fn step(&mut self, stepper: &mut impl Step) {
        self.kind = stepper.expand(&self.source, &mut self.successors);
        self.hashes.clear();
        self.hashes.extend(self.successors.iter().map(|(_, state)| table::hash(state)));
    }
}
