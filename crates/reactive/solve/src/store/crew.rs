//! Several workers for a breadth-first search.
//!
//! Two phases alternate:
//! 1. All workers together expand a *stretch* of the queue, in *chunks* of consecutive states. They search for
//!    the successors in the set of the states so far, which does not change in this phase. Successors that are
//!    not found are *missing* states. Each worker makes the calls of the program with its own decision tree
//!    ([`super::tree`]), so the workers share no mutable data except the chunks and two counters.
//! 2. All workers add the missing states, with numbers in the order of the queue. Each worker adds to its own
//!    shards of the tables ([`search::valuations`]).
//!
//! No worker waits for a lock. Each chunk is in a mutex, but only one worker takes the chunk in a stretch, so
//! the mutex is always free. Numbers, predecessors and counts are those of a search by one worker, and do not
//! depend on the speed of the workers.

use super::ReactiveStepper;
use model::ids::ErrorId;
use model::{InputId, Outcome};
use rayon::{ThreadPool, ThreadPoolBuilder};
use search::valuations::{Batch, Missing, StateNumber, States};
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// States that are expanded together. Their successors are searched for together, and fit the nearest caches.
const BATCH: usize = 32;
/// States that a worker takes at a time.
const CHUNK: usize = 128;
/// The largest number of chunks in a stretch. A stretch of this many chunks takes a few milliseconds.
const CHUNKS: usize = 64;
/// Approximate number of chunks in a stretch if the buffers hold few states. With this number, each of a few
/// workers gets several chunks.
const FEW_CHUNKS: usize = 8;
/// Bytes for the records of missing states of a stretch.
pub(super) const NOTES: usize = 8 << 20;
/// Approximate bytes of the record of one successor, apart from the numbers of its parts. (States are stored in
/// parts that they share, see [`search::valuations`].)
const NOTE: usize = 160;
/// If fewer states than this wait, one worker expands them.
const WORTH_CALLING: usize = 1 << 9;

/// Numbers of states that are processed together. They are smaller if states have more calls, because each call
/// costs work and memory for records.
#[derive(Clone, Copy, Debug)]
pub(super) struct Portions {
    /// States expanded together by one worker.
    pub(super) batch: usize,
    /// States of a chunk, which one of several workers expands.
    pub chunk: usize,
    /// States that several workers expand between additions.
    pub(super) stretch: usize,
    /// If fewer states wait, one worker expands them.
    pub(super) worth_calling: usize,
}

impl Portions {
    /// Returns the sizes to use if each state has `parts` parts, costs `work`, and has about `calls`
    /// successors.
    pub(super) fn new(work: u64, parts: usize, calls: u64) -> Self {
        let [work, calls] = [work, calls].map(|n| usize::try_from(n).unwrap_or(usize::MAX));
        let room = NOTES / (parts * size_of::<u32>() + NOTE) / calls.saturating_add(1);
        let chunk = (CHUNK / work).min(room / FEW_CHUNKS).max(1);
        let stretch = room.min(CHUNKS * chunk);
        // If states are wide, the buffers hold few of them, and each state takes long to expand. Then several
        // workers are faster than one even for few states.
        let worth_calling = (WORTH_CALLING / work).min(stretch).max(2);
        Self { batch: (BATCH / work).clamp(1, chunk), chunk, stretch, worth_calling }
    }
}

/// The results of the calls from a state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Calls {
    /// Number of calls that lead to a state. Invalid calls that change nothing are not counted.
    pub(super) transitions: u64,
    /// The first call that stops at a wanted label. Later calls were not made.
    pub(super) stopped: Option<(ErrorId, InputId)>,
}

/// Makes all calls from a state, one call with each input. If a call leads to a different state, `visit` gets
/// this state and the slots in which it differs.
pub(super) fn call(
    stepper: &mut ReactiveStepper,
    state: &[i32],
    wanted: impl Fn(ErrorId) -> bool,
    mut visit: impl FnMut(&[i32], &[u32]),
) -> Calls {
    let mut calls = Calls { transitions: 0, stopped: None };
    stepper.step_changes(state, |input, outcome, to, changed| {
        match outcome {
            Outcome::Error(error) if wanted(error) => {
                calls.stopped = Some((error, input));
                return ControlFlow::Break(());
            }
            Outcome::Error(_) | Outcome::Crash => return ControlFlow::Continue(()),
            Outcome::Invalid if changed.is_empty() => return ControlFlow::Continue(()),
            Outcome::Output(_) | Outcome::Silent | Outcome::Unspelt | Outcome::Invalid => {}
        }
        calls.transitions += 1;
        if !changed.is_empty() {
            visit(to, changed);
        }
        ControlFlow::Continue(())
    });
    calls
}

/// The results of the calls from consecutive states.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    /// Results for each state.
    pub(super) sources: Vec<Calls>,
    /// Parts of successors that are not in the tables yet. Sources (the expanded states) are counted from the
    /// first state of the chunk.
    pub(super) missing: Missing,
    /// True if the rest of the chunk is left for later, because a call stopped or the buffers are full.
    breaks_off: bool,
}

/// Buffers of a worker.
#[derive(Debug)]
struct Reader {
    batch: Batch,
    state: Vec<i32>,
}

impl Reader {
    fn new(stepper: &ReactiveStepper) -> Self {
        Self { batch: Batch::default(), state: stepper.initial().into_vec() }
    }

    /// Expands `count` states from `first` on. If a call from one of them stops, later states are not expanded,
    /// and the result is false.
    fn expand(
        &mut self,
        stepper: &mut ReactiveStepper,
        states: &States,
        (first, count): (StateNumber, usize),
        wanted: impl Fn(ErrorId) -> bool,
        chunk: &mut Chunk,
    ) -> bool {
        let Self { batch, state } = self;
        let begin = u32::try_from(chunk.sources.len()).expect("a chunk is small");
        states.fetch(batch, first, count);
        let mut has_stopped = false;
        for source in 0..count {
            states.source(batch, source, state);
            let calls = call(stepper, state, &wanted, |to, changed| states.look_for(batch, source, to, changed));
            chunk.sources.push(calls);
            has_stopped = calls.stopped.is_some();
            if has_stopped {
                break;
            }
        }
        states.find_all(batch, begin, &mut chunk.missing);
        !has_stopped
    }
}

/// The workers and their results.
#[derive(Debug)]
pub(super) struct Crew {
    /// Buffers of the main worker. Its stepper is stored elsewhere.
    own: Reader,
    others: Vec<(ReactiveStepper, Reader)>,
    /// Work of growing the main tree before the other workers copied it, once for each copy. Their trees count
    /// this work, but the main worker did it only once.
    inherited: u64,
    chunks: Vec<Mutex<Chunk>>,
    /// Threads of the other workers. They are kept, because there is work every few milliseconds, and starting
    /// a thread takes a tenth of that time.
    pool: ThreadPool,
}

impl Crew {
    /// Returns a crew of `size` workers, including the main one, which has `stepper`. The others start with
    /// copies of its tree.
    pub(super) fn new(size: usize, stepper: &ReactiveStepper) -> Self {
        let others: Vec<_> = (1..size.min(CHUNKS)).map(|_| (stepper.clone(), Reader::new(stepper))).collect();
        Self {
            own: Reader::new(stepper),
            inherited: stepper.work() * others.len() as u64,
            pool: ThreadPoolBuilder::new().num_threads(others.len()).build().expect("threads can be started"),
            others,
            chunks: (0..CHUNKS).map(|_| Mutex::default()).collect(),
        }
    }

    /// Returns the `used` chunks of the last stretch, up to the first chunk that broke off. The states of later
    /// chunks are expanded again. The first chunk is always included.
    pub(super) fn chunks(&mut self, used: usize) -> (Vec<&mut Chunk>, &ThreadPool) {
        let used = &mut self.chunks[..used];
        let mut chunks: Vec<_> = used.iter_mut().map(|chunk| chunk.get_mut().expect("no worker has failed")).collect();
        if let Some(last) = chunks.iter().position(|chunk| chunk.breaks_off) {
            let was_begun = !chunks[last].sources.is_empty();
            chunks.truncate(last + usize::from(was_begun));
        }
        (chunks, &self.pool)
    }

    /// Returns the bytes in use, without the trees.
    pub(super) fn bytes(&self) -> usize {
        let bytes = |chunk: &Mutex<Chunk>| match chunk.try_lock() {
            Ok(chunk) => chunk.sources.capacity() * size_of::<Calls>() + chunk.missing.bytes(),
            Err(_) => 0,
        };
        let readers = std::iter::once(&self.own).chain(self.others.iter().map(|(_, reader)| reader));
        let batches: usize = readers.map(|reader| reader.batch.bytes()).sum();
        batches + self.chunks.iter().map(bytes).sum::<usize>()
    }

    /// Returns the work of growing the trees of the other workers, in units of about a microsecond.
    pub(super) fn work(&self) -> u64 {
        self.others.iter().map(|(stepper, _)| stepper.work()).sum::<u64>() - self.inherited
    }

    /// Expands `count` states from `first` on, at most a stretch. The results are in as many chunks as are
    /// needed.
    ///
    /// There may be more missing states than expected. If the buffers are full, workers begin no further chunk.
    /// If a chunk exceeds a worker's share of the buffers, the worker leaves the rest of the chunk for later.
    /// Chunks are begun in order, so little work is wasted.
    pub(super) fn step(
        &mut self,
        stepper: &mut ReactiveStepper,
        states: &States,
        (first, count): (StateNumber, usize),
        portions: Portions,
        wanted: impl Fn(ErrorId) -> bool + Sync,
    ) {
        let Self { own, others, chunks, pool, .. } = self;
        let used = count.div_ceil(portions.chunk);
        debug_assert!(used <= CHUNKS, "there is room");
        let share = NOTES / (1 + others.len());
        let (next, noted, wanted) = (AtomicUsize::new(0), AtomicUsize::new(0), &wanted);
        let work = |stepper: &mut ReactiveStepper, reader: &mut Reader| {
            loop {
                let taken = next.fetch_add(1, Ordering::Relaxed);
                let Some(chunk) = chunks[..used].get(taken) else { return };
                let mut chunk = chunk.lock().expect("no worker has failed");
                chunk.sources.clear();
                chunk.missing.clear();
                chunk.breaks_off = taken > 0 && noted.load(Ordering::Relaxed) > NOTES;
                if chunk.breaks_off {
                    return;
                }
                let end = count.min((taken + 1) * portions.chunk);
                for place in (taken * portions.chunk..end).step_by(portions.batch) {
                    let from = first + u32::try_from(place).expect("within a stretch");
                    let batch = (from, portions.batch.min(end - place));
                    let goes_on = reader.expand(stepper, states, batch, wanted, &mut chunk);
                    let is_last = place + portions.batch >= end;
                    if !goes_on || !is_last && chunk.missing.noted_bytes() > share {
                        chunk.breaks_off = true;
                        break;
                    }
                }
                noted.fetch_add(chunk.missing.noted_bytes(), Ordering::Relaxed);
            }
        };
        pool.in_place_scope(|scope| {
            for (stepper, reader) in others {
                scope.spawn(|_| work(stepper, reader));
            }
            work(stepper, own);
        });
    }
}
