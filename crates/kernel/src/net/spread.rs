//! Enumerates all ways in which threads that pick one of several targets can spread.
//!
//! The threads of one place fill its *bins*: one bin for each kept target, and one bin for all other targets
//! together, because it does not matter which of these a thread goes to. The ways of one place are the
//! compositions of its number of threads. They are generated one after the other, without a list (Nijenhuis,
//! Wilf: Combinatorial Algorithms, 1978). The ways of several places are combined like the digits of a counter.

use super::shape::At;

/// The threads of a kept place, if each of them picks a target.
#[derive(Debug)]
pub struct Pick {
    /// The kept place that the threads leave.
    pub source: At,
    /// True if one of the threads in the place is the active thread, which does not pick.
    pub but_one: bool,
    /// Number of bins, at least one.
    pub bins: usize,
}

impl Pick {
    fn threads(&self, state: &[u32]) -> u32 {
        // The active thread is in this place, because the guard of its transition holds.
        self.source.tokens(state).saturating_sub(u32::from(self.but_one))
    }
}

/// One way to spread, from which the next one is computed.
#[derive(Default, Debug)]
pub struct Spread {
    /// For each bin: its threads. The bins of the first pick come first.
    bins: Vec<u32>,
    /// For each pick: the index behind its last bin.
    ends: Vec<usize>,
}

impl Spread {
    /// Starts with the first way in which the threads of `state` can spread: all of them in the first bin of
    /// their pick.
    pub fn begin(&mut self, picks: &[Pick], state: &[u32]) {
        self.bins.clear();
        self.ends.clear();
        for pick in picks {
            assert!(pick.bins > 0, "threads have somewhere to go");
            let first = self.bins.len();
            self.bins.resize(first + pick.bins, 0);
            self.bins[first] = pick.threads(state);
            self.ends.push(self.bins.len());
        }
    }

    /// Number of threads in each bin.
    #[must_use]
    pub fn bins(&self) -> &[u32] {
        &self.bins
    }

    /// Replaces the way by the next one. Returns false if it was the last.
    pub fn advance(&mut self) -> bool {
        let mut start = 0;
        for &end in &self.ends {
            if advance(&mut self.bins[start..end]) {
                return true;
            }
            start = end;
        }
        false
    }
}

/// Replaces the composition by the next one of the same number. After the last composition it restores the
/// first and returns false.
fn advance(bins: &mut [u32]) -> bool {
    let Some(filled) = bins.iter().position(|&threads| threads > 0) else { return false };
    let threads = std::mem::take(&mut bins[filled]);
    match bins.get_mut(filled + 1) {
        Some(next) => {
            *next += 1;
            bins[0] = threads - 1;
            true
        }
        None => {
            bins[0] = threads;
            false
        }
    }
}
