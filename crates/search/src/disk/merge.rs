//! The union of sorted runs without the keys of other runs, chunk by chunk, so that a search can pause.
//!
//! From each run, the keys up to a bound are taken: the least of the last keys of the blocks read. They are sorted by
//! an algorithm that finds sorted parts and merges them.

use super::keys;
use super::run::Cursor;
use journal::scratch::ScratchError;

/// Words of keys in memory that are taken at a time.
const WINDOW: usize = 1 << 14;

/// A union without other keys.
#[derive(Debug)]
pub(super) struct Merge {
    words: usize,
    runs: Vec<Cursor>,
    /// Sorted keys in memory, and the word where the next one begins.
    memory: (Vec<u64>, usize),
    without: Vec<Cursor>,
    chunk: Vec<u64>,
    seen: u64,
}

impl Merge {
    /// Returns the union of `runs` and of the sorted keys in `memory`, without the keys of `without`.
    pub(super) fn new(words: usize, runs: Vec<Cursor>, memory: Vec<u64>, without: Vec<Cursor>) -> Self {
        Self { words, runs, memory: (memory, 0), without, chunk: Vec::new(), seen: 0 }
    }

    /// Returns the next keys, in ascending order. There may be none. Returns `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<&[u64]>, ScratchError> {
        let Self { words, runs, memory, without, chunk, seen } = self;
        let words = *words;
        let mut bound: Option<Vec<u64>> = None;
        let mut note = |window: &[u64]| {
            let last = &window[window.len() - words..];
            if bound.as_deref().is_none_or(|bound| last < bound) {
                bound = Some(last.to_vec());
            }
        };
        let mut index = 0;
        while index < runs.len() {
            let window = runs[index].window()?;
            if window.is_empty() {
                runs.swap_remove(index);
                continue;
            }
            note(window);
            index += 1;
        }
        let in_memory = &memory.0[memory.1..];
        let in_memory = &in_memory[..in_memory.len().min(WINDOW.next_multiple_of(words))];
        if !in_memory.is_empty() {
            note(in_memory);
        }
        let Some(bound) = bound else { return Ok(None) };
        chunk.clear();
        let taken = keys::count_below(in_memory, &bound, true) * words;
        chunk.extend_from_slice(&in_memory[..taken]);
        memory.1 += taken;
        let mut parts = usize::from(taken > 0);
        for run in runs {
            let window = run.rest();
            let taken = keys::count_below(window, &bound, true);
            chunk.extend_from_slice(&window[..taken * words]);
            run.skip(taken);
            parts += usize::from(taken > 0);
        }
        *seen += (chunk.len() / words) as u64;
        if parts > 1 {
            keys::sort_parts(chunk, words);
            keys::dedup(chunk, words);
        }
        for run in without {
            if !chunk.is_empty() {
                *seen += run.remove_from(chunk)?;
            }
        }
        Ok(Some(chunk))
    }

    /// Returns the number of keys looked at so far.
    pub(super) fn seen(&self) -> u64 {
        self.seen
    }
}
