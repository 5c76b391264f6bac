//! Several workers that step the states of a level.
//!
//! A window of the frontier is cut into chunks. Workers step whole chunks, each with its own stepper. The main worker
//! takes the chunks in order and collects their successors, so the states are collected in the order of one worker. A
//! chunk that no worker has begun is stepped by the main worker.

use super::chunk::Chunk;
use super::levels::Levels;
use crate::exploration::SMALL_FAN_OUT;

use crate::step::{Stepper, Successors};
use model::{ExpansionKind, Goal, Reason, Stop};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// States of a chunk.
const CHUNK: usize = 256;

/// With fewer states in a window, one worker is as fast.
const WORTH_SHARING: usize = 1024;

/// Bytes for the successors of the chunks of a window.
const ROOM: usize = 32 << 20;

/// The workers other than the main one, and the chunks.
#[derive(Debug)]
pub(super) struct Crew<S> {
    others: Vec<(S, Successors)>,
    pool: ThreadPool,
    chunks: Vec<Mutex<Chunk>>,
    successors: Successors,
}

impl<S: Stepper + Clone> Crew<S> {
    /// Returns the workers for `jobs` jobs. `None` if there is only one, or states may have very many successors.
    pub(super) fn new(stepper: &S, jobs: usize) -> Option<Self> {
        if jobs < 2 || stepper.max_fan_out() > SMALL_FAN_OUT {
            return None;
        }
        let pool = ThreadPoolBuilder::new().num_threads(jobs - 1).build().ok()?;
        let words = stepper.words();
        let others = (1..jobs).map(|_| (stepper.clone(), Successors::new(words))).collect();
        Some(Self { others, pool, chunks: Vec::new(), successors: Successors::new(words) })
    }

    /// Cuts a window into chunks. Returns their number.
    fn fill(&mut self, window: &[u64], words: usize) -> usize {
        let mut used = 0;
        for states in window.chunks(CHUNK * words) {
            if used == self.chunks.len() {
                self.chunks.push(Mutex::default());
            }
            let chunk = self.chunks[used].get_mut().unwrap_or_else(PoisonError::into_inner);
            chunk.load(states);
            used += 1;
        }
        used
    }
}

impl<S: Stepper + Clone> Levels<S> {
    /// Expands the states of a window together. Returns how many were expanded: 0 if one worker should go on.
    pub(super) fn expand_together(&mut self, open: &[Goal], stop: &Stop) -> Result<usize, Reason> {
        let words = self.stepper.words();
        let window = self.frontier.rest();
        if window.len() / words < WORTH_SHARING || !stop.has_room(ROOM) {
            return Ok(0);
        }
        let Some(mut crew) = self.crew.take() else { return Ok(0) };
        let used = crew.fill(window, words);
        let Crew { others, pool, chunks, successors } = &mut crew;
        let (chunks, next) = (&chunks[..used], AtomicUsize::new(0));
        let expanded = pool.in_place_scope(|scope| {
            for (stepper, successors) in others {
                let next = &next;
                scope.spawn(move |_| {
                    while let Some(chunk) = chunks.get(next.fetch_add(1, Ordering::Relaxed)) {
                        chunk.lock().unwrap_or_else(PoisonError::into_inner).step(stepper, successors);
                    }
                });
            }
            let collected = self.collect_all(chunks, successors, open, stop);
            next.store(used, Ordering::Relaxed);
            collected
        })?;
        self.crew = Some(crew);
        self.frontier.skip(expanded);
        Ok(expanded)
    }

    /// Collects the successors of all chunks, in order, up to a state that overflows or was not stepped. Returns the
    /// number of states expanded.
    fn collect_all(
        &mut self,
        chunks: &[Mutex<Chunk>],
        successors: &mut Successors,
        open: &[Goal],
        stop: &Stop,
    ) -> Result<usize, Reason> {
        let mut expanded = 0;
        for chunk in chunks {
            let mut chunk = chunk.lock().unwrap_or_else(PoisonError::into_inner);
            chunk.step(&mut self.stepper, successors);
            let collected = self.collect(&chunk, open, stop)?;
            expanded += collected;
            if collected < chunk.len(self.stepper.words()) {
                break;
            }
        }
        Ok(expanded)
    }

    fn collect(&mut self, chunk: &Chunk, open: &[Goal], stop: &Stop) -> Result<usize, Reason> {
        let words = self.stepper.words();
        self.next.reserve(chunk.found(), &self.disk, stop)?;
        for at in 0..chunk.len(words) {
            let Some((kind, hashes, states)) = chunk.successors(at, words) else { return Ok(at) };
            if kind == ExpansionKind::Overflow {
                return Ok(at);
            }
            let state = chunk.source(at, words);
            if self.stepper.has_tests() {
                self.test(state, open);
            }
            if let ExpansionKind::Goal(goal) = kind {
                self.hit(goal, state, open);
            }
            self.cut |= kind == ExpansionKind::Cut;
            self.next.warm(hashes);
            self.next.add_flat(states, hashes);
            self.transitions += hashes.len() as u64;
            self.batch.note(hashes.len());
        }
        Ok(chunk.len(words))
    }
}
