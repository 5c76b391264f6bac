//! Breadth-first order with several workers. Numbers, parents and complete counts are those of one worker.
//!
//! Two phases alternate:
//! 1. The workers expand a *stretch* of the queue, in chunks of consecutive states. Each looks up the successors in
//!    the table, which does not change meanwhile, and keeps those that are *missing* there.
//! 2. The workers add the missing states of all chunks to the table ([`StateTable::add_all`]), with numbers in the
//!    order of the queue.
//!
//! Memory for the missing states is requested between the phases, so the second phase may have to wait for the next
//! call. Expanded states are reported after the second phase. If a goal ends the search, more states may be known than
//! with one worker: at most the successors of one stretch. If there is no memory for the chunks, one worker works
//! alone.
//!
//! Reactive programs have their own implementation (`reactive/crew.rs`), because there the parts of states are shared.
//!
//! [`StateTable::add_all`]: crate::StateTable

use super::breadth::Breadth;
use super::chunk::{Chunk, MOST_WORDS, Reached, Worker};
use super::exploration::Exploration;
use super::order::{Order, Position};
use super::step::Stepper;
use super::table::StateId;
use model::{ExpansionKind, Stop};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The largest number of chunks in a stretch.
const CHUNKS: usize = 16;

/// Sizes that determine how work is shared.
#[derive(Clone, Copy, Debug)]
pub struct Portions {
    /// States in a chunk.
    pub chunk: usize,
    /// If fewer states than this wait, or if the budget has fewer units, one worker works alone, which is as
    /// fast.
    pub worth_sharing: usize,
}

const USUAL: Portions = Portions { chunk: 256, worth_sharing: 1024 };

/// How far a stretch has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// There is no stretch.
    Empty,
    /// Its states are expanded, and memory for the missing states was not requested yet.
    Expanded,
    /// The missing states are added. The state with this index in the stretch exists and is reported next.
    Added(usize),
}

/// The workers and their chunks.
#[derive(Debug)]
struct Crew<S> {
    workers: Vec<Worker<S>>,
    pub(super) pool: ThreadPool,
    pub(super) chunks: Vec<Mutex<Chunk>>,
    /// The missing states of all chunks, in the order of the queue.
    missing: Reached,
    /// Number of chunks in the stretch.
    used: usize,
    stage: Stage,
}

impl<S: Stepper + Clone> Crew<S> {
    fn new(jobs: usize, stepper: &S) -> Self {
        let jobs = jobs.min(CHUNKS);
        Self {
            workers: (0..jobs).map(|_| Worker::new(stepper.clone())).collect(),
            pool: ThreadPoolBuilder::new().num_threads(jobs - 1).build().expect("threads can be started"),
            chunks: (0..CHUNKS).map(|_| Mutex::default()).collect(),
            missing: Reached::default(),
            used: 0,
            stage: Stage::Empty,
        }
    }

    /// Begins a stretch: copies the next waiting states into the chunks, at most `count` in all and `each` per
    /// chunk.
    fn fill(&mut self, breadth: &Breadth, space: &Exploration<S>, (count, each): (usize, usize)) {
        debug_assert_eq!(self.stage, Stage::Empty, "a stretch ends before the next one begins");
        let mut next = breadth.uncovered(breadth.next);
        let mut left = count.min(each * CHUNKS);
        self.used = 0;
        while left > 0 && next < space.len() {
            let chunk = self.chunks[self.used].get_mut().expect("no worker has failed");
            chunk.clear();
            while chunk.numbers.len() < each && left > 0 && next < space.len() {
                chunk.push(next, space.packed(StateId::new(next)));
                next = breadth.uncovered(next + 1);
                left -= 1;
            }
            self.used += 1;
        }
    }

    /// Expands the states of the stretch by this number of workers. The stretch ends with the first chunk that is
    /// cut.
    fn expand(&mut self, space: &Exploration<S>, workers: usize) {
        let Self { workers: all, pool, chunks, used, stage, .. } = self;
        let chunks = &chunks[..*used];
        let next = AtomicUsize::new(0);
        let work = |worker: &mut Worker<S>| {
            while let Some(chunk) = chunks.get(next.fetch_add(1, Ordering::Relaxed)) {
                chunk.lock().expect("no worker has failed").expand(worker, space.table());
            }
        };
        let (first, others) = all.split_first_mut().expect("at least one worker");
        pool.in_place_scope(|scope| {
            for worker in others.iter_mut().take(workers.saturating_sub(1)) {
                scope.spawn(|_| work(worker));
            }
            work(first);
        });
        let is_cut = |chunk: &Mutex<Chunk>| chunk.lock().expect("no worker has failed").is_cut();
        *used = chunks.iter().position(is_cut).map_or(chunks.len(), |at| at + 1);
        *stage = Stage::Expanded;
    }

    fn used(&mut self) -> impl Iterator<Item = &mut Chunk> {
        self.chunks[..self.used].iter_mut().map(|chunk| chunk.get_mut().expect("no worker has failed"))
    }

    /// Returns the number of states that may have to be added. Some of them may be equal.
    fn missing(&mut self) -> u64 {
        self.used().map(|chunk| chunk.missing().len() as u64).sum()
    }

    /// Adds the missing states.
    fn add(&mut self, space: &mut Exploration<S>, workers: usize) {
        let Self { pool, chunks, missing, used, stage, .. } = self;
        missing.clear();
        for chunk in &mut chunks[..*used] {
            let chunk = chunk.get_mut().expect("no worker has failed");
            missing.extend(chunk.missing());
        }
        space.add_all(missing.additions(), pool, workers);
        *stage = Stage::Added(0);
    }

    /// Reports the expanded states in order, until `visit` breaks.
    fn report(
        &mut self,
        breadth: &mut Breadth,
        space: &mut Exploration<S>,
        mut visit: impl FnMut(StateId, ExpansionKind) -> ControlFlow<()>,
    ) {
        let Stage::Added(reported) = self.stage else { return };
        let all: usize = self.used().map(|chunk| chunk.kinds.len()).sum();
        let mut at = 0;
        for chunk in self.chunks[..self.used].iter_mut().map(|chunk| chunk.get_mut().expect("no worker has failed")) {
            let expanded = chunk.numbers.iter().zip(&chunk.kinds).zip(&chunk.transitions);
            for ((&number, &kind), &transitions) in expanded {
                at += 1;
                if at <= reported {
                    continue;
                }
                let id = StateId::new(number);
                breadth.next = number;
                if kind == ExpansionKind::Overflow {
                    let _ = visit(id, kind);
                    self.stage = Stage::Empty;
                    return;
                }
                breadth.next = number + 1;
                breadth.expanded += 1;
                space.count_transitions(transitions.into());
                if visit(id, kind).is_break() {
                    self.stage = if at < all { Stage::Added(at) } else { Stage::Empty };
                    return;
                }
            }
        }
        self.stage = Stage::Empty;
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
    pub fn sharing(stepper: &S, jobs: usize, portions: Portions) -> Self {
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
        self.crew.as_ref().is_some_and(|crew| crew.stage != Stage::Empty)
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
            // Sources, and successors with their hashes and parents, in vectors that may be doubling their capacity.
            let words = space.stepper().words();
            let chunk = 2 * (6 * MOST_WORDS + self.portions.chunk * (words + 2));
            self.has_room = stop.has_room(CHUNKS * chunk * size_of::<u64>());
        }
    }

    #[inline]
    fn growth_bytes(&mut self, space: &Exploration<S>) -> usize {
        match &mut self.crew {
            Some(crew) if crew.stage == Stage::Expanded => {
                let missing = crew.missing();
                space.growth_bytes_for(missing)
            }
            Some(crew) if crew.stage != Stage::Empty => 0,
            _ => self.breadth.growth_bytes(space),
        }
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
        if crew.stage == Stage::Empty {
            let states = (most as u64 / (1 + space.looking())).max(1);
            crew.fill(breadth, space, (states as usize, portions.chunk));
            crew.expand(space, *allowed);
            let missing = crew.missing();
            if space.growth_bytes_for(missing) > 0 {
                // The caller requests the memory first, and then calls again.
                return;
            }
        }
        if crew.stage == Stage::Expanded {
            crew.add(space, *allowed);
        }
        crew.report(breadth, space, visit);
    }

    fn pass(&mut self, space: &mut Exploration<S>, id: StateId) {
        debug_assert!(!self.has_pending(), "a stretch ends with a state that overflows");
        self.breadth.pass(space, id);
    }

    #[inline]
    fn work(&self, space: &Exploration<S>) -> u64 {
        self.breadth.work(space)
    }

    fn expanded(&self) -> usize {
        Order::<S>::expanded(&self.breadth)
    }

    fn position(&self) -> Option<Position> {
        Order::<S>::position(&self.breadth)
    }

    fn at(&self, stepper: &S, position: Position) -> Option<Self> {
        let breadth = self.breadth.at(stepper, position)?;
        Some(Self { breadth, ..Self::sharing(stepper, self.jobs, self.portions) })
    }

    fn repacked(&mut self, words: usize) {
        Order::<S>::repacked(&mut self.breadth, words);
        self.crew = None;
    }
}
