//! Breadth-first order with several workers. Numbers, parents and complete counts are those of one worker.
//!
//! A *stretch* is a sequence of waiting states, cut into chunks. Workers step whole chunks, each with its own
//! stepper, and hash the successors. The main worker, which has the table, takes the chunks in order and
//! interns their successors. While the chunk that it needs is being stepped by another worker, it steps a
//! different chunk. So the only lock is that of a chunk, held by the worker that steps or interns it, and
//! states are numbered in the order of the queue, as with one worker.
//!
//! Successors that have been computed but not interned are kept for the next call. This happens when a goal is
//! met, when memory has to be requested, or when the budget is used up. Goals are tested after a stretch has
//! been interned, so a search that ends at a goal may have found more states than with one worker: at most the
//! successors of one stretch. If there is no memory for the buffers of the workers, one worker works alone.
//!
//! Reactive programs have their own implementation (`reactive/crew.rs`), because there workers also add to
//! shared tables.

use super::breadth::Breadth;
use super::order::Order;
use crate::exploration::Exploration;
use crate::step::{Stepper, Successors};
use crate::table::{self, StateId};
use model::{ExpansionKind, Stop};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, TryLockError};

/// The largest number of chunks in a stretch.
const CHUNKS: usize = 64;

/// Sizes that determine how work is shared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portions {
    /// States in a chunk.
    pub(crate) chunk: usize,
    /// If fewer states than this wait, or if the budget has fewer units, one worker works alone, which is as
    /// fast.
    pub(crate) worth_sharing: usize,
}

const USUAL: Portions = Portions { chunk: 256, worth_sharing: 1024 };

/// When the successors in a chunk have more words than this, workers stop stepping the states of the chunk. The
/// remaining states are stepped when they are interned.
const MOST_WORDS: usize = 1 << 14;

/// Consecutive waiting states, and the results of stepping them.
#[derive(Debug, Default)]
pub(crate) struct Chunk {
    numbers: Vec<usize>,
    sources: Vec<u64>,
    /// Expansion kinds of the states stepped, which may be only the first states of the chunk.
    kinds: Vec<ExpansionKind>,
    /// For each state stepped: the end of its successors in `hashes`.
    ends: Vec<usize>,
    hashes: Vec<u64>,
    states: Vec<u64>,
    is_stepped: bool,
}

impl Chunk {
    fn clear(&mut self) {
        self.numbers.clear();
        self.sources.clear();
        self.kinds.clear();
        self.ends.clear();
        self.hashes.clear();
        self.states.clear();
        self.is_stepped = false;
    }

    /// Replaces the states of the chunk by `sources`.
    pub(crate) fn load(&mut self, sources: &[u64]) {
        self.clear();
        self.sources.extend_from_slice(sources);
    }

    /// Returns the number of states.
    pub(crate) fn len(&self, words: usize) -> usize {
        self.sources.len() / words
    }

    /// Returns the number of successors of the states stepped.
    pub(crate) fn found(&self) -> usize {
        self.hashes.len()
    }

    /// Returns a state of the chunk.
    pub(crate) fn source(&self, at: usize, words: usize) -> &[u64] {
        &self.sources[at * words..][..words]
    }

    /// Steps the states of the chunk, until its successors exceed [`MOST_WORDS`]. A second call does nothing.
    pub(crate) fn step(&mut self, stepper: &mut impl Stepper, successors: &mut Successors) {
        if std::mem::replace(&mut self.is_stepped, true) {
            return;
        }
        let words = stepper.words();
        for source in self.sources.chunks_exact(words) {
            if self.states.len() > MOST_WORDS {
                break;
            }
            self.kinds.push(stepper.expand(source, successors));
            for (_, state) in successors.iter() {
                self.hashes.push(table::hash(state));
                self.states.extend_from_slice(state);
            }
            self.ends.push(self.hashes.len());
        }
    }

    /// Returns the expansion kind of the `at`-th state, and the hashes and words of its successors, if the
    /// state was stepped.
    pub(crate) fn successors(&self, at: usize, words: usize) -> Option<(ExpansionKind, &[u64], &[u64])> {
        let kind = *self.kinds.get(at)?;
        let from = if at == 0 { 0 } else { self.ends[at - 1] };
        let to = self.ends[at];
        Some((kind, &self.hashes[from..to], &self.states[from * words..to * words]))
    }
}

/// A worker other than the main one.
#[derive(Debug)]
struct Worker<S> {
    stepper: S,
    successors: Successors,
}

/// The workers and their chunks.
#[derive(Debug)]
struct Crew<S> {
    others: Vec<Worker<S>>,
    pool: ThreadPool,
    successors: Successors,
    chunks: Vec<Mutex<Chunk>>,
    /// Number of chunks in the current stretch.
    used: usize,
    /// The state that is interned next: its chunk, and its index in the chunk.
    at: (usize, usize),
}

impl<S: Stepper + Clone> Crew<S> {
    fn new(jobs: usize, stepper: &S) -> Self {
        let others = jobs.min(CHUNKS) - 1;
        let worker = |_| Worker { stepper: stepper.clone(), successors: Successors::new(stepper.words()) };
        Self {
            others: (0..others).map(worker).collect(),
            pool: ThreadPoolBuilder::new().num_threads(others).build().expect("threads can be started"),
            successors: Successors::new(stepper.words()),
            chunks: (0..CHUNKS).map(|_| Mutex::default()).collect(),
            used: 0,
            at: (0, 0),
        }
    }

    /// Returns true if all states of the stretch have been interned.
    fn is_empty(&self) -> bool {
        self.at.0 >= self.used
    }

    /// Begins a stretch: copies the next waiting states into the chunks, at most `count` in all and `each` per
    /// chunk.
    fn fill(&mut self, breadth: &Breadth, space: &Exploration<S>, (count, each): (usize, usize)) {
        debug_assert!(self.is_empty(), "a stretch ends before the next one begins");
        self.at = (0, 0);
        let mut next = breadth.uncovered(breadth.next);
        let mut left = count.min(each * CHUNKS);
        self.used = 0;
        while left > 0 && next < space.len() {
            let chunk = self.chunks[self.used].get_mut().expect("no worker has failed");
            chunk.clear();
            while chunk.numbers.len() < each && left > 0 && next < space.len() {
                chunk.numbers.push(next);
                chunk.sources.extend_from_slice(space.packed(StateId::new(next)));
                next = breadth.uncovered(next + 1);
                left -= 1;
            }
            self.used += 1;
        }
    }

    /// Interns the successors that the main worker and `helpers` others compute, for about `most` units of work. Returns early when
    /// `visit` breaks, when a state overflows, or before a state for which memory has to be requested. At least
    /// one state is expanded, unless the first one overflows.
    fn run(
        &mut self,
        breadth: &mut Breadth,
        space: &mut Exploration<S>,
        helpers: usize,
        most: usize,
        mut visit: impl FnMut(StateId, ExpansionKind) -> ControlFlow<()>,
    ) {
        let Self { others, pool, successors, chunks, used, at } = self;
        let chunks = &chunks[..*used];
        let next = AtomicUsize::new(at.0 + 1);
        let end = breadth.work(space).saturating_add(most as u64);
        let is_shared = chunks[at.0..].len() > 1;
        pool.in_place_scope(|scope| {
            for Worker { stepper, successors } in others.iter_mut().take(helpers).filter(|_| is_shared) {
                let next = &next;
                scope.spawn(move |_| {
                    while let Some(chunk) = chunks.get(next.fetch_add(1, Ordering::Relaxed)) {
                        lock(chunk).step(stepper, successors);
                    }
                });
            }
            let mut is_first = true;
            while at.0 < chunks.len() {
                let mut chunk = ready(chunks, at.0, &next, space.stepper_mut(), successors);
                chunk.step(space.stepper_mut(), successors);
                let mut taken = Taken { breadth, space, end, is_first };
                let (done, flow) = taken.intern(&chunk, at.1, successors, &mut visit);
                is_first = taken.is_first;
                at.1 = done;
                if at.1 == chunk.numbers.len() {
                    *at = (at.0 + 1, 0);
                }
                if flow.is_break() {
                    next.store(chunks.len(), Ordering::Relaxed);
                    return;
                }
            }
        });
    }

    /// Skips the next state of the stretch, which was expanded in another way.
    fn skip(&mut self) {
        if self.is_empty() {
            return;
        }
        self.at.1 += 1;
        let chunk = self.chunks[self.at.0].get_mut().expect("no worker has failed");
        if self.at.1 == chunk.numbers.len() {
            self.at = (self.at.0 + 1, 0);
        }
    }
}

fn lock(chunk: &Mutex<Chunk>) -> MutexGuard<'_, Chunk> {
    chunk.lock().expect("no worker has failed")
}

/// Locks and returns the chunk number `at`. While another worker steps that chunk, this one steps the next
/// chunk that no worker has taken.
fn ready<'c>(
    chunks: &'c [Mutex<Chunk>],
    at: usize,
    next: &AtomicUsize,
    stepper: &mut impl Stepper,
    successors: &mut Successors,
) -> MutexGuard<'c, Chunk> {
    loop {
        match chunks[at].try_lock() {
            Ok(chunk) => return chunk,
            Err(TryLockError::Poisoned(_)) => panic!("a worker has failed"),
            Err(TryLockError::WouldBlock) => match chunks.get(next.fetch_add(1, Ordering::Relaxed)) {
                Some(other) => lock(other).step(stepper, successors),
                None => return lock(&chunks[at]),
            },
        }
    }
}

/// The state of a call of [`Crew::run`], as far as interning a chunk needs it.
struct Taken<'t, S: Stepper> {
    breadth: &'t mut Breadth,
    space: &'t mut Exploration<S>,
    /// Total work at which the budget is used up.
    end: u64,
    /// True until a state has been expanded in this call. Memory for expanding the first state has been
    /// requested already.
    is_first: bool,
}

impl<S: Stepper> Taken<'_, S> {
    /// Interns the successors of the chunk's states from `at` on. Returns the index of the first state that is
    /// left, and whether to continue with the next chunk.
    fn intern(
        &mut self,
        chunk: &Chunk,
        at: usize,
        successors: &mut Successors,
        visit: &mut impl FnMut(StateId, ExpansionKind) -> ControlFlow<()>,
    ) -> (usize, ControlFlow<()>) {
        let words = self.space.stepper().words();
        let mut warm = at;
        for index in at..chunk.numbers.len() {
            if warm == index {
                warm = self.warm(chunk, index);
            }
            let id = StateId::new(chunk.numbers[index]);
            let stepped = chunk.successors(index, words);
            let more = stepped.map_or(self.space.max_fan_out(), |(_, hashes, _)| hashes.len() as u64);
            let is_over = || self.breadth.work(self.space) >= self.end || self.space.growth_bytes_for(more) > 0;
            if !self.is_first && is_over() {
                return (index, ControlFlow::Break(()));
            }
            let kind = match stepped {
                Some((kind, ..)) => kind,
                None => self.space.step_into(id, successors),
            };
            self.breadth.next = id.index();
            if kind == ExpansionKind::Overflow {
                let _ = visit(id, kind);
                return (index, ControlFlow::Break(()));
            }
            match stepped {
                Some((_, hashes, states)) => self.space.record_flat(id, hashes, states),
                None => self.space.record_stepped(id, successors),
            }
            self.is_first = false;
            self.breadth.next += 1;
            self.breadth.expanded += 1;
            if visit(id, kind).is_break() {
                return (index + 1, ControlFlow::Break(()));
            }
        }
        (chunk.numbers.len(), ControlFlow::Continue(()))
    }

    /// Reads the table's slots for the successors of some states from `from` on. Returns the end of these
    /// states.
    fn warm(&self, chunk: &Chunk, from: usize) -> usize {
        const AHEAD: usize = 64;
        let start = if from == 0 { 0 } else { chunk.ends.get(from - 1).copied().unwrap_or(chunk.hashes.len()) };
        let mut to = from + 1;
        while to < chunk.ends.len() && chunk.ends[to] - start <= AHEAD {
            to += 1;
        }
        let end = chunk.ends.get(to - 1).copied().unwrap_or(chunk.hashes.len());
        self.space.table().warm(&chunk.hashes[start..end]);
        to
    }
}

/// Breadth-first order with up to `jobs` workers.
#[derive(Debug)]
pub struct Together<S> {
    breadth: Breadth,
    /// Number of workers, and how many of them may work in this call of the search.
    jobs: usize,
    allowed: usize,
    portions: Portions,
    /// True if there is memory for the chunks.
    has_room: bool,
    /// Created on first use, and re-created after the states are repacked.
    crew: Option<Crew<S>>,
}

impl<S: Stepper + Clone> Together<S> {
    /// Returns the order for the states of `stepper`. More than one job changes only the time that the search
    /// takes, the lengths of turns, and how many states are known when a goal ends the search.
    pub fn of(stepper: &S, jobs: usize) -> Self {
        Self::sharing(stepper, jobs, USUAL)
    }

    /// Like [`Together::of`], with the given sizes.
    pub(crate) fn sharing(stepper: &S, jobs: usize, portions: Portions) -> Self {
        Self {
            breadth: Breadth::of(stepper),
            jobs: jobs.max(1),
            allowed: jobs.max(1),
            portions,
            has_room: true,
            crew: None,
        }
    }

    /// Returns the number of the first state that is not expanded.
    pub(crate) fn next(&self) -> usize {
        self.breadth.next
    }

    /// Returns the number of workers.
    pub(crate) fn jobs(&self) -> usize {
        self.jobs
    }

    fn has_pending(&self) -> bool {
        self.crew.as_ref().is_some_and(|crew| !crew.is_empty())
    }

    /// Returns true if enough states wait to be shared.
    fn is_worth_sharing(&self, space: &Exploration<S>, most: usize) -> bool {
        self.allowed > 1
            && self.has_room
            && self.breadth.has_batches()
            && most.min(space.len() - self.breadth.next) >= self.portions.worth_sharing
    }
}

impl<S: Stepper + Clone> Order<S> for Together<S> {
    const LISTS: bool = false;

    fn patience(&self) -> u64 {
        if self.allowed > 1 { (self.portions.chunk * CHUNKS) as u64 } else { Order::<S>::patience(&self.breadth) }
    }

    fn found(&mut self, space: &mut Exploration<S>, id: StateId, is_covered: bool) {
        self.breadth.found(space, id, is_covered);
    }

    #[inline]
    fn is_exhausted(&mut self, space: &Exploration<S>) -> bool {
        self.breadth.is_exhausted(space)
    }

    #[inline]
    fn is_beyond(&mut self, space: &Exploration<S>, most: u64) -> bool {
        self.breadth.is_beyond(space, most)
    }

    fn prepare(&mut self, space: &Exploration<S>, stop: &Stop) {
        self.allowed = stop.threads(self.jobs);
        if self.allowed > 1 && self.crew.is_none() {
            // States, successors and their hashes, in vectors that may be doubling their capacity.
            let words = space.stepper().words();
            let chunk = 2 * (2 * MOST_WORDS + self.portions.chunk * (words + 2));
            self.has_room = stop.has_room(CHUNKS * chunk * size_of::<u64>());
        }
    }

    #[inline]
    fn growth_bytes(&mut self, space: &Exploration<S>) -> usize {
        self.breadth.growth_bytes(space)
    }

    #[inline]
    fn expand(
        &mut self,
        space: &mut Exploration<S>,
        most: usize,
        visit: impl FnMut(StateId, ExpansionKind) -> ControlFlow<()>,
    ) {
        if !self.has_pending() && !self.is_worth_sharing(space, most) {
            return self.breadth.expand(space, most, visit);
        }
        let Self { breadth, jobs, allowed, portions, crew, .. } = self;
        let crew = crew.get_or_insert_with(|| Crew::new(*jobs, space.stepper()));
        if crew.is_empty() {
            let states = (most as u64 / (1 + space.looking())).max(1);
            crew.fill(breadth, space, (states as usize, portions.chunk));
        }
        crew.run(breadth, space, *allowed - 1, most, visit);
    }

    fn pass(&mut self, space: &mut Exploration<S>, id: StateId) {
        self.breadth.pass(space, id);
        if let Some(crew) = &mut self.crew {
            crew.skip();
        }
    }

    #[inline]
    fn work(&self, space: &Exploration<S>) -> u64 {
        self.breadth.work(space)
    }

    fn expanded(&self) -> usize {
        Order::<S>::expanded(&self.breadth)
    }

    fn repacked(&mut self, words: usize) {
        Order::<S>::repacked(&mut self.breadth, words);
        self.crew = None;
    }
}
