//! Breadth first by several workers, with the numbers, parents and complete counts of one.
//!
//! The states that wait are copied into chunks; workers step whole chunks, each with a stepper of its own, and hash
//! the successors. One worker, the one that has the table, goes through the chunks in order and interns what they
//! hold. While the next chunk is not ready, it steps one itself. So nothing is locked but a chunk, by the worker that
//! steps it, and numbers follow the queue as they do with one worker.
//!
//! What has been stepped and not yet interned stays for the next call: where a goal is met, where memory has to be
//! asked for, or where the allowance ends. Goals are tested when a stretch has been interned, so a search that ends
//! with one may have seen up to a stretch more. Where there is no memory for the notes of workers, one works alone.
//! (The tables of reactive programs are shared, and workers add to them: `reactive/crew.rs`.)

use super::breadth::Breadth;
use super::order::Order;
use crate::exploration::Exploration;
use crate::step::{Step, Successors};
use crate::table::{self, StateId};
use model::{Kind, Stop};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, TryLockError};

/// Chunks in a stretch.
const CHUNKS: usize = 64;

/// How work is shared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portions {
    /// States in a chunk.
    pub(crate) chunk: usize,
    /// With fewer states waiting, or a smaller allowance, one worker is as fast.
    pub(crate) worth_sharing: usize,
}

const USUAL: Portions = Portions { chunk: 256, worth_sharing: 1024 };

/// Words of successors that a chunk holds at most; what its other states lead to is found when they are interned.
const MOST_WORDS: usize = 1 << 14;

/// States in a row with what stepping them came to.
#[derive(Debug, Default)]
struct Chunk {
    numbers: Vec<usize>,
    sources: Vec<u64>,
    /// Of the states stepped: these may be fewer than all.
    kinds: Vec<Kind>,
    /// Where the successors of each of them end.
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

    /// Steps its states, as far as there is room for their successors. At most once.
    fn step(&mut self, stepper: &mut impl Step, successors: &mut Successors) {
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

    /// The hashes of the successors of its `at`-th state, and the successors, if it was stepped.
    fn successors(&self, at: usize, words: usize) -> Option<(Kind, &[u64], &[u64])> {
        let kind = *self.kinds.get(at)?;
        let from = if at == 0 { 0 } else { self.ends[at - 1] };
        let to = self.ends[at];
        Some((kind, &self.hashes[from..to], &self.states[from * words..to * words]))
    }
}

/// A worker beside the one that has the table.
#[derive(Debug)]
struct Worker<S> {
    stepper: S,
    successors: Successors,
}

/// The workers, and what they have stepped.
#[derive(Debug)]
struct Crew<S> {
    others: Vec<Worker<S>>,
    pool: ThreadPool,
    successors: Successors,
    chunks: Vec<Mutex<Chunk>>,
    /// Chunks of the stretch under way.
    used: usize,
    /// The chunk and the state in it that is interned next.
    at: (usize, usize),
}

impl<S: Step + Clone> Crew<S> {
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

    /// Has everything been interned that was stepped?
    fn is_empty(&self) -> bool {
        self.at.0 >= self.used
    }

    /// Takes in the next states, at most `count`, so many to a chunk.
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

    /// Interns what the workers step, `most` states at most, until `visit` breaks off or memory has to be asked for.
    /// At least one state is expanded.
    fn run(
        &mut self,
        breadth: &mut Breadth,
        space: &mut Exploration<S>,
        most: usize,
        mut visit: impl FnMut(StateId, Kind) -> ControlFlow<()>,
    ) {
        let Self { others, pool, successors, chunks, used, at } = self;
        let chunks = &chunks[..*used];
        let next = AtomicUsize::new(at.0 + 1);
        let end = breadth.work(space).saturating_add(most as u64);
        let is_shared = chunks[at.0..].len() > 1;
        pool.in_place_scope(|scope| {
            for Worker { stepper, successors } in others.iter_mut().filter(|_| is_shared) {
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

    /// The next state was expanded in another way.
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

/// The chunk number `at`; while another worker steps it, this one steps the next that is not taken.
fn ready<'c>(
    chunks: &'c [Mutex<Chunk>],
    at: usize,
    next: &AtomicUsize,
    stepper: &mut impl Step,
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

/// Where a chunk is interned.
struct Taken<'t, S: Step> {
    breadth: &'t mut Breadth,
    space: &'t mut Exploration<S>,
    /// The work done when the allowance ends.
    end: u64,
    /// Memory was asked for the first state.
    is_first: bool,
}

impl<S: Step> Taken<'_, S> {
    /// Interns the successors of the chunk's states from `at` on. Returns where it stopped, and whether to go on with
    /// the next chunk.
    fn intern(
        &mut self,
        chunk: &Chunk,
        at: usize,
        successors: &mut Successors,
        visit: &mut impl FnMut(StateId, Kind) -> ControlFlow<()>,
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
            if kind == Kind::Overflow {
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

    /// Reads the table's slots for the successors of some states from `from` on; returns where these end.
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

/// Breadth first, by up to so many workers.
#[derive(Debug)]
pub struct Together<S> {
    breadth: Breadth,
    jobs: usize,
    portions: Portions,
    /// Is there memory for their notes?
    has_room: bool,
    /// There when first needed, and again after states were packed anew.
    crew: Option<Crew<S>>,
}

impl<S: Step + Clone> Together<S> {
    /// For the states of `stepper`; more than one job changes the time it takes, the lengths of turns, and how many
    /// states are known when a goal ends the search.
    pub fn of(stepper: &S, jobs: usize) -> Self {
        Self::sharing(stepper, jobs, USUAL)
    }

    /// Shares work in these portions.
    pub(crate) fn sharing(stepper: &S, jobs: usize, portions: Portions) -> Self {
        Self { breadth: Breadth::of(stepper), jobs: jobs.max(1), portions, has_room: true, crew: None }
    }

    fn has_pending(&self) -> bool {
        self.crew.as_ref().is_some_and(|crew| !crew.is_empty())
    }

    /// Are so many states waiting that it is worth sharing them?
    fn is_worth_sharing(&self, space: &Exploration<S>, most: usize) -> bool {
        self.jobs > 1
            && self.has_room
            && self.breadth.has_batches()
            && most.min(space.len() - self.breadth.next) >= self.portions.worth_sharing
    }
}

impl<S: Step + Clone> Order<S> for Together<S> {
    const LISTS: bool = false;

    fn patience(&self) -> u64 {
        if self.jobs > 1 { (self.portions.chunk * CHUNKS) as u64 } else { Order::<S>::patience(&self.breadth) }
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
        if self.jobs > 1 && self.crew.is_none() {
            // States, successors and their hashes, in vectors that may be doubling.
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
    fn expand(&mut self, space: &mut Exploration<S>, most: usize, visit: impl FnMut(StateId, Kind) -> ControlFlow<()>) {
        if !self.has_pending() && !self.is_worth_sharing(space, most) {
            return self.breadth.expand(space, most, visit);
        }
        let Self { breadth, jobs, portions, crew, .. } = self;
        let crew = crew.get_or_insert_with(|| Crew::new(*jobs, space.stepper()));
        if crew.is_empty() {
            let states = (most as u64 / (1 + space.looking())).max(1);
            crew.fill(breadth, space, (states as usize, portions.chunk));
        }
        crew.run(breadth, space, most, visit);
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
