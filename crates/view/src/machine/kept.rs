//! States on paths that were asked for, up to a bound, the last used one first.

use super::path::{Path, Pick};
use std::collections::VecDeque;

/// Maximum number of bytes of the states that are kept.
const KEPT: usize = 24 << 20;

/// A state after some steps of a path, and its size in bytes.
struct Entry<S> {
    path: Path,
    steps: usize,
    state: S,
    bytes: usize,
}

/// The states that are kept.
pub(super) struct Kept<S> {
    entries: VecDeque<Entry<S>>,
    bytes: usize,
}

impl<S: Clone> Kept<S> {
    pub(super) fn new() -> Self {
        Self { entries: VecDeque::new(), bytes: 0 }
    }

    /// Returns the longest kept beginning of the first `length` steps, and its state.
    pub(super) fn recall(&mut self, path: &Path, length: usize) -> Option<(usize, S)> {
        let fits = |entry: &Entry<S>| {
            let steps = entry.steps;
            steps <= length && entry.path.start == path.start && entry.path.picks[..steps] == path.picks[..steps]
        };
        let fitting = self.entries.iter().enumerate().filter(|(_, entry)| fits(entry));
        let (best, steps) = fitting.map(|(i, entry)| (i, entry.steps)).max_by_key(|(_, steps)| *steps)?;
        let entry = self.entries.remove(best)?;
        let state = entry.state.clone();
        self.entries.push_front(entry);
        Some((steps, state))
    }

    /// Keeps a state of `size` bytes.
    pub(super) fn keep(&mut self, path: &Path, steps: usize, state: &S, size: usize) {
        let bytes = size + path.picks.len() * size_of::<Pick>();
        let is_first = self.entries.front().is_some_and(|first| first.steps == steps && first.path == *path);
        if is_first || bytes > KEPT / 2 {
            return;
        }
        self.entries.push_front(Entry { path: path.clone(), steps, state: state.clone(), bytes });
        self.bytes += bytes;
        while self.bytes > KEPT {
            let Some(old) = self.entries.pop_back() else { break };
            self.bytes -= old.bytes;
        }
    }
}
