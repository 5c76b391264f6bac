//! Several workers that step the states of a level.
//!
//! A window of the frontier is cut into chunks. Workers step whole chunks, each with its own stepper. The main worker
//! takes the chunks in order and collects their successors, so the states are collected in the order of one worker. A
//! chunk that no worker has begun is stepped by the main worker.

use super::chunk::Chunk;
use crate::exploration::SMALL_FAN_OUT;
use crate::step::{Stepper, Successors};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::{Mutex, PoisonError};

/// States of a chunk.
const CHUNK: usize = 256;

/// With fewer states in a window, one worker is as fast.
pub(super) const WORTH_SHARING: usize = 1024;

/// Bytes for the successors of the chunks of a window.
pub(super) const ROOM: usize = 32 << 20;

/// The workers other than the main one, and the chunks.
#[derive(Debug)]
pub(super) struct Crew<S> {
    pub(super) others: Vec<(S, Successors)>,
    pub(super) pool: ThreadPool,
    pub(super) chunks: Vec<Mutex<Chunk>>,
    pub(super) successors: Successors,
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
    pub(super) fn fill(&mut self, window: &[u64], words: usize) -> usize {
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
