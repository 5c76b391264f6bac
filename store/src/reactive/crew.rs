//! Several workers for a breadth-first search.
//!
//! A stretch of the queue is stepped by all at once, and they look for the successors in the states so far, which nobody changes
//! meanwhile: each has its own decision tree, and nothing is locked. What is missing is then added by one, in the order of the
//! queue. Most calls lead to states that are known, and of the others most parts are, so that little is left to add, and numbers,
//! predecessors and counts are those of a search by one: nothing depends on who was faster.

use super::states::{Cursor, Missing};
use super::{StateNumber, States, Stepper};
use model::ids::ErrorId;
use model::{InputId, Outcome};
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// States that a worker takes at a time.
const CHUNK: usize = 128;
/// States stepped between additions: the workers meet about every few milliseconds, and what they note stays small.
pub(super) const STRETCH: usize = 1 << 13;
/// For fewer states nobody else is called.
pub(super) const WORTH_CALLING: usize = 1 << 9;

/// What the calls from a state came to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Calls {
    /// Calls that lead to a state, invalid ones that change nothing left out.
    pub(super) transitions: u64,
    /// The first call that stops at a wanted label; the ones after it were not made.
    pub(super) stopped: Option<(ErrorId, InputId)>,
}

/// Makes all calls from a state and shows the states they lead to, itself left out; until `visit` breaks off.
pub(super) fn call(
    stepper: &mut Stepper,
    state: &[i32],
    wanted: impl Fn(ErrorId) -> bool,
    mut visit: impl FnMut(&[i32]) -> ControlFlow<()>,
) -> Calls {
    let mut calls = Calls { transitions: 0, stopped: None };
    stepper.step_all(state, |input, outcome, to| {
        match outcome {
            Outcome::Error(error) if wanted(error) => {
                calls.stopped = Some((error, input));
                return ControlFlow::Break(());
            }
            Outcome::Error(_) | Outcome::Crash => return ControlFlow::Continue(()),
            Outcome::Invalid if to == state => return ControlFlow::Continue(()),
            Outcome::Output(_) | Outcome::Silent | Outcome::Invalid => {}
        }
        calls.transitions += 1;
        if to == state { ControlFlow::Continue(()) } else { visit(to) }
    });
    calls
}

/// What the calls from some states in a row came to.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    /// Of each state, and where its part of `missing` ends.
    pub(super) sources: Vec<(Calls, usize)>,
    pub(super) missing: Vec<Missing>,
}

/// Where a worker reads.
#[derive(Debug)]
struct Reader {
    cursor: Cursor,
    state: Vec<i32>,
}

impl Reader {
    fn new(stepper: &Stepper, states: &States) -> Self {
        Self { cursor: states.cursor(), state: stepper.initial().into_vec() }
    }

    fn expand(
        &mut self,
        stepper: &mut Stepper,
        states: &States,
        from: StateNumber,
        wanted: impl Fn(ErrorId) -> bool,
        chunk: &mut Chunk,
    ) {
        let Self { cursor, state } = self;
        let Chunk { sources, missing } = chunk;
        states.read_at(cursor, from, state);
        let calls = call(stepper, state, wanted, |to| {
            states.find(cursor, to, missing);
            ControlFlow::Continue(())
        });
        sources.push((calls, missing.len()));
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
}

impl Crew {
    /// Of so many workers, among them the one who has `stepper`; the others go on with copies of its tree.
    pub(super) fn new(size: usize, stepper: &Stepper, states: &States) -> Self {
        let others: Vec<_> = (1..size).map(|_| (stepper.clone(), Reader::new(stepper, states))).collect();
        Self {
            own: Reader::new(stepper, states),
            inherited: stepper.work() * others.len() as u64,
            others,
            chunks: (0..STRETCH.div_ceil(CHUNK)).map(|_| Mutex::default()).collect(),
        }
    }

    /// Bytes in use, trees left out.
    pub(super) fn bytes(&self) -> usize {
        let bytes = |chunk: &Mutex<Chunk>| match chunk.try_lock() {
            Ok(chunk) => {
                chunk.sources.capacity() * size_of::<(Calls, usize)>() + chunk.missing.capacity() * size_of::<Missing>()
            }
            Err(_) => 0,
        };
        self.chunks.iter().map(bytes).sum()
    }

    /// What growing the trees of the others took, in units of about a microsecond.
    pub(super) fn work(&self) -> u64 {
        self.others.iter().map(|(stepper, _)| stepper.work()).sum::<u64>() - self.inherited
    }

    /// Steps so many states from `first` on, at most [`STRETCH`], and hands over what that came to, in order.
    pub(super) fn step(
        &mut self,
        stepper: &mut Stepper,
        states: &States,
        first: StateNumber,
        count: usize,
        wanted: impl Fn(ErrorId) -> bool + Sync,
    ) -> &mut [Mutex<Chunk>] {
        debug_assert!(count <= STRETCH, "there is room");
        let Self { own, others, chunks, .. } = self;
        let used = count.div_ceil(CHUNK);
        let (next, wanted) = (AtomicUsize::new(0), &wanted);
        let work = |stepper: &mut Stepper, reader: &mut Reader| {
            loop {
                let taken = next.fetch_add(1, Ordering::Relaxed);
                let Some(chunk) = chunks[..used].get(taken) else { return };
                let mut chunk = chunk.lock().expect("no worker has failed");
                chunk.sources.clear();
                chunk.missing.clear();
                for place in taken * CHUNK..count.min((taken + 1) * CHUNK) {
                    let from = first + u32::try_from(place).expect("within a stretch");
                    reader.expand(stepper, states, from, wanted, &mut chunk);
                }
            }
        };
        std::thread::scope(|scope| {
            for (stepper, reader) in others {
                scope.spawn(|| work(stepper, reader));
            }
            work(stepper, own);
        });
        &mut chunks[..used]
    }
}
