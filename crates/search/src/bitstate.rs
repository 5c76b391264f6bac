//! A search that stores a few bits per state, to find runs in spaces that are much larger than memory (bitstate
//! hashing, Holzmann 1998).
//!
//! A state counts as known if all its bits are set. Their positions are computed from a hash of the state by double
//! hashing. So a new state may be taken for a known one, and is then left out. The search finds runs, and it never
//! shows that there are none. It is depth first: only the states of the current run and their other successors are
//! stored, and the depth is limited.

use super::{Pause, may_grow};
use crate::step::{Stepper, Successors};
use crate::table;
use model::{EventId, ExpansionKind, Goal, Move, Reason, Stop, Trace};
use std::collections::VecDeque;

/// Bits per state. With three bits, about one state in 1,000 is left out when a tenth of all bits is set.
const BITS: u64 = 3;

/// The largest number of states on a run, as in SPIN.
const DEPTH: usize = 10_000;

/// Successors that cost as much as an expansion.
const SUCCESSORS_PER_UNIT: u64 = 16;

/// Work units after which the stop flag is checked.
const PATIENCE: u64 = 1024;

/// A bit for each position.
#[derive(Debug)]
struct Bits {
    words: Vec<u64>,
    set: u64,
}

impl Bits {
    /// Sets the bits of a state with this hash. Returns true if one of them was not set.
    fn add(&mut self, hash: u64) -> bool {
        let mask = self.words.len() as u64 * 64 - 1;
        let mixed = (hash ^ (hash >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        let step = (mixed ^ (mixed >> 32)) | 1;
        let mut is_new = false;
        for i in 0..BITS {
            let at = hash.wrapping_add(i.wrapping_mul(step)) & mask;
            let (word, bit) = (&mut self.words[(at / 64) as usize], 1 << (at % 64));
            self.set += u64::from(*word & bit == 0);
            is_new |= *word & bit == 0;
            *word |= bit;
        }
        is_new
    }
}

/// A search in progress.
#[derive(Debug)]
pub struct Bitstate<S: Stepper> {
    stepper: S,
    bits: Bits,
    /// Bytes that the bits may have.
    bytes: usize,
    /// The states of the current run, one after the other.
    run: Vec<u64>,
    /// Successors that wait, and for each state of the run, where its successors begin.
    waiting: Vec<u64>,
    begins: Vec<usize>,
    is_started: bool,
    successors: Successors,
    hits: VecDeque<Goal>,
    states: u64,
    transitions: u64,
    /// Number of states from which no successor was kept, because the run to them was too long.
    too_deep: u64,
    state: Vec<u64>,
    expanded: u64,
    /// Successors found, also before a change of the layout.
    found: u64,
}

impl<S: Stepper> Bitstate<S> {
    /// Returns a search with at most `bytes` bytes of bits.
    pub fn new(stepper: S, bytes: usize) -> Self {
        Self {
            bits: Bits { words: Vec::new(), set: 0 },
            bytes,
            run: Vec::new(),
            waiting: Vec::new(),
            begins: Vec::new(),
            is_started: false,
            successors: Successors::new(stepper.words()),
            hits: VecDeque::new(),
            states: 0,
            transitions: 0,
            too_deep: 0,
            state: Vec::new(),
            expanded: 0,
            found: 0,
            stepper,
        }
    }

    /// Returns the work done so far, in units of about a microsecond.
    pub fn work(&self) -> u64 {
        (self.expanded.saturating_mul(1 + self.stepper.looking())).max(self.found / SUCCESSORS_PER_UNIT)
    }

    /// Returns the number of states that were not taken for known ones.
    pub fn len(&self) -> u64 {
        self.states
    }

    /// Returns true if no state was visited.
    pub fn is_empty(&self) -> bool {
        self.states == 0
    }

    /// Returns the number of transitions taken.
    pub fn transitions(&self) -> u64 {
        self.transitions
    }

    /// Returns the number of bits, and how many of them are set.
    pub fn bits(&self) -> (u64, u64) {
        (self.bits.words.len() as u64 * 64, self.bits.set)
    }

    /// Returns the number of states from which no successor was kept, because the run to them was too long.
    pub fn too_deep(&self) -> u64 {
        self.too_deep
    }

    /// Returns the stepper.
    pub fn stepper(&self) -> &S {
        &self.stepper
    }

    /// Searches, with a budget of about `means` work units. Returns early at a state of a goal among `open`.
    pub fn advance(&mut self, means: u64, open: &[Goal], stop: &Stop) -> Pause<Goal> {
        if !self.is_started {
            if let Err(reason) = self.start(stop) {
                return Pause::Stuck(reason);
            }
            self.is_started = true;
        }
        let end = self.work().saturating_add(means.min(PATIENCE));
        loop {
            while let Some(goal) = self.hits.pop_front() {
                if open.contains(&goal) {
                    self.stepper.settle(goal);
                    return Pause::Hit(goal);
                }
            }
            if self.work() >= end || stop.raised().is_some() {
                return Pause::Turn;
            }
            match self.step(open, stop) {
                Ok(true) => {}
                Ok(false) => return Pause::Exhausted,
                Err(reason) => return Pause::Stuck(reason),
            }
        }
    }

    /// Allocates the bits: the largest power of two that fits.
    fn start(&mut self, stop: &Stop) -> Result<(), Reason> {
        const LEAST: usize = 1 << 10;
        let mut bytes = 1 << (self.bytes.max(LEAST)).ilog2();
        while bytes > LEAST && !stop.has_room(bytes) {
            bytes /= 2;
        }
        let initial = usize::try_from(self.stepper.initial_count()).unwrap_or(usize::MAX);
        let initial = initial.saturating_mul(2 * 8 * self.stepper.words());
        if !may_grow(bytes.saturating_add(initial), stop) {
            return Err(Reason::Memory);
        }
        self.restart(bytes / 8);
        Ok(())
    }

    /// Begins with the initial states and this many words of bits.
    fn restart(&mut self, words: usize) {
        // Fresh memory takes room only where bits are set, so the old one is returned first and not overwritten.
        self.bits = Bits { words: Vec::new(), set: 0 };
        self.bits.words = vec![0; words];
        (self.states, self.transitions, self.too_deep) = (0, 0, 0);
        self.run.clear();
        self.begins.clear();
        self.waiting.clear();
        self.successors = Successors::new(self.stepper.words());
        let Self { stepper, bits, waiting, states, .. } = self;
        stepper.initial(&mut |state| {
            if bits.add(table::hash(state)) {
                waiting.extend_from_slice(state);
                *states += 1;
            }
        });
        self.begins.push(0);
    }

    /// Expands the next state. Returns false if there is none.
    fn step(&mut self, open: &[Goal], stop: &Stop) -> Result<bool, Reason> {
        let words = self.stepper.words();
        while self.begins.last().is_some_and(|&begin| begin == self.waiting.len()) {
            self.begins.pop();
            self.run.truncate(self.run.len().saturating_sub(words));
        }
        if self.begins.is_empty() {
            return Ok(false);
        }
        let Self { state, waiting, .. } = self;
        state.clear();
        state.extend(waiting.drain(waiting.len() - words..));
        let hits = &mut self.hits;
        let mut hit = |goal| {
            if open.contains(&goal) && !hits.contains(&goal) {
                hits.push_back(goal);
            }
        };
        if self.stepper.has_tests() {
            self.stepper.test(state, &mut hit);
        }
        match self.stepper.expand(state, &mut self.successors) {
            ExpansionKind::Goal(goal) => hit(goal),
            ExpansionKind::Overflow => {
                if let Some(wider) = self.stepper.widened(true) {
                    self.hits.clear();
                    self.stepper = wider;
                    self.restart(self.bits.words.len());
                    return Ok(true);
                }
            }
            ExpansionKind::Inner | ExpansionKind::Cut => {}
        }
        self.run.extend_from_slice(state);
        self.begins.push(self.waiting.len());
        self.expanded += 1;
        self.keep_new(stop)
    }

    /// Puts the new successors to those that wait.
    fn keep_new(&mut self, stop: &Stop) -> Result<bool, Reason> {
        self.transitions += self.successors.len() as u64;
        self.found += self.successors.len() as u64;
        if self.begins.len() > DEPTH {
            self.too_deep += u64::from(!self.successors.is_empty());
            return Ok(true);
        }
        let more = self.waiting.len() + self.successors.len() * self.stepper.words();
        if more > self.waiting.capacity() {
            let growth = table::grown_capacity(self.waiting.capacity(), more) - self.waiting.capacity();
            if !may_grow(growth * 8, stop) {
                return Err(Reason::Memory);
            }
            self.waiting.reserve_exact(growth + self.waiting.capacity() - self.waiting.len());
        }
        for (_, state) in self.successors.iter() {
            if self.bits.add(table::hash(state)) {
                self.waiting.extend_from_slice(state);
                self.states += 1;
            }
        }
        Ok(true)
    }

    /// Returns the current run, which ends in the state at which a goal was met last.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub fn run(&mut self, stop: &Stop) -> Result<Trace, Reason> {
        let words = self.stepper.words();
        if !may_grow(self.run.len() / words * 3 * size_of::<Move>(), stop) {
            return Err(Reason::Memory);
        }
        let mut states = self.run.chunks_exact(words);
        let mut source = states.next().ok_or(Reason::GaveUp)?;
        let mut unpacked = Vec::new();
        self.stepper.unpack(source, &mut unpacked);
        let mut trace = Trace::new(unpacked.as_slice().into());
        for target in states {
            self.stepper.expand_all(source, &mut self.successors);
            let (label, choice) = self.successors.step_to(target).ok_or(Reason::GaveUp)?;
            let choice = choice.then(|| {
                self.stepper.unpack(target, &mut unpacked);
                unpacked.as_slice().into()
            });
            trace.push(EventId(label), choice);
            source = target;
        }
        Ok(trace)
    }
}
