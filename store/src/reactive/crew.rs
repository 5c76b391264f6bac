//! Several workers for a breadth-first search.
//!
//! A stretch of the queue is stepped by all at once, and they look for the successors in the states so far, which nobody changes
//! meanwhile: each has its own decision tree, and nothing is locked. What is missing is then added by all, each in tables of its own
//! ([`super::interner`]), with numbers in the order of the queue. So numbers, predecessors and counts are those of a search by one:
//! nothing depends on who was faster.

use super::states::{Batch, Missing};
use super::{StateNumber, States, Stepper};
use model::ids::ErrorId;
use model::{InputId, Outcome};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// States that are expanded together: their successors are looked for in one go, and fit the nearest caches.
const BATCH: usize = 32;
/// States that a worker takes at a time.
const CHUNK: usize = 128;
/// At most so many chunks are stepped between additions: the workers meet about every few milliseconds.
const CHUNKS: usize = 64;
/// About so many, where there is room for few states: some for each of a few workers.
const FEW_CHUNKS: usize = 8;
/// Room for what they note in between.
pub(super) const NOTES: usize = 8 << 20;
/// What is noted of a state that a call leads to, beside the numbers of its parts.
const NOTE: usize = 160;
/// For fewer states nobody else is called.
const WORTH_CALLING: usize = 1 << 9;

/// How many states are done together: fewer, where more calls from a state make it more work and more to note.
#[derive(Clone, Copy, Debug)]
pub(super) struct Portions {
    /// By one, in one go.
    pub(super) batch: usize,
    /// By one of several.
    pub(super) chunk: usize,
    /// By several, between additions.
    pub(super) stretch: usize,
    /// Fewer are not worth calling anybody.
    pub(super) worth_calling: usize,
}

impl Portions {
    /// For states of so many parts, each so much work, if about so many calls lead from each.
    pub(super) fn new(work: u64, parts: usize, calls: u64) -> Self {
        let [work, calls] = [work, calls].map(|n| usize::try_from(n).unwrap_or(usize::MAX));
        let room = NOTES / (parts * size_of::<u32>() + NOTE) / calls.saturating_add(1);
        let chunk = (CHUNK / work).min(room / FEW_CHUNKS).max(1);
        let stretch = room.min(CHUNKS * chunk);
        // Where states are so wide that there is room for few, each of them takes long.
        let worth_calling = (WORTH_CALLING / work).min(stretch).max(2);
        Self { batch: (BATCH / work).clamp(1, chunk), chunk, stretch, worth_calling }
    }
}

/// What the calls from a state came to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Calls {
    /// Calls that lead to a state, invalid ones that change nothing left out.
    pub(super) transitions: u64,
    /// The first call that stops at a wanted label; the ones after it were not made.
    pub(super) stopped: Option<(ErrorId, InputId)>,
}

/// Makes all calls from a state and shows the states they lead to, itself left out, and which slots differ.
pub(super) fn call(
    stepper: &mut Stepper,
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

/// What the calls from some states in a row came to.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    /// Of each state.
    pub(super) sources: Vec<Calls>,
    /// Of the states they lead to; sources are counted from the first of the chunk on.
    pub(super) missing: Missing,
    /// Was the rest left for later? Because of a call that stops, or because there was no more room for notes.
    breaks_off: bool,
}

/// What a worker reads into.
#[derive(Debug)]
struct Reader {
    batch: Batch,
    state: Vec<i32>,
}

impl Reader {
    fn new(stepper: &Stepper) -> Self {
        Self { batch: Batch::default(), state: stepper.initial().into_vec() }
    }

    /// Expands `count` states from `first` on, up to the first that stops. False if one does.
    fn expand(
        &mut self,
        stepper: &mut Stepper,
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

/// Workers, and their notes.
#[derive(Debug)]
pub(super) struct Crew {
    /// Of the one who calls the others, and has a stepper.
    own: Reader,
    others: Vec<(Stepper, Reader)>,
    /// What the trees of the others took to grow before they were theirs.
    inherited: u64,
    chunks: Vec<Mutex<Chunk>>,
    /// Threads for the others: there is work for them every few milliseconds, and starting one takes a tenth of that.
    pool: ThreadPool,
}

impl Crew {
    /// Of so many workers, among them the one who has `stepper`; the others go on with copies of its tree.
    pub(super) fn new(size: usize, stepper: &Stepper) -> Self {
        let others: Vec<_> = (1..size.min(CHUNKS)).map(|_| (stepper.clone(), Reader::new(stepper))).collect();
        Self {
            own: Reader::new(stepper),
            inherited: stepper.work() * others.len() as u64,
            pool: ThreadPoolBuilder::new().num_threads(others.len()).build().expect("threads can be started"),
            others,
            chunks: (0..CHUNKS).map(|_| Mutex::default()).collect(),
        }
    }

    /// The chunks of the last stretch, of so many chunks, up to the first that broke off: what comes after it is done again later. The
    /// first is always among them.
    pub(super) fn chunks(&mut self, used: usize) -> (Vec<&mut Chunk>, &ThreadPool) {
        let used = &mut self.chunks[..used];
        let mut chunks: Vec<_> = used.iter_mut().map(|chunk| chunk.get_mut().expect("no worker has failed")).collect();
        if let Some(last) = chunks.iter().position(|chunk| chunk.breaks_off) {
            let was_begun = !chunks[last].sources.is_empty();
            chunks.truncate(last + usize::from(was_begun));
        }
        (chunks, &self.pool)
    }

    /// Bytes in use, trees left out.
    pub(super) fn bytes(&self) -> usize {
        let bytes = |chunk: &Mutex<Chunk>| match chunk.try_lock() {
            Ok(chunk) => chunk.sources.capacity() * size_of::<Calls>() + chunk.missing.bytes(),
            Err(_) => 0,
        };
        let readers = std::iter::once(&self.own).chain(self.others.iter().map(|(_, reader)| reader));
        let batches: usize = readers.map(|reader| reader.batch.bytes()).sum();
        batches + self.chunks.iter().map(bytes).sum::<usize>()
    }

    /// What growing the trees of the others took, in units of about a microsecond.
    pub(super) fn work(&self) -> u64 {
        self.others.iter().map(|(stepper, _)| stepper.work()).sum::<u64>() - self.inherited
    }

    /// Steps so many states from `first` on, at most a stretch. What that came to is in as many chunks as are needed. Where there is more
    /// to note than was foreseen, no chunk is begun when the room is full, and none goes on with more than a worker's share of it: chunks
    /// are begun in order, so that little is done in vain.
    pub(super) fn step(
        &mut self,
        stepper: &mut Stepper,
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
        let work = |stepper: &mut Stepper, reader: &mut Reader| {
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
