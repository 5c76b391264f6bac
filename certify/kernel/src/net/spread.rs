//! All ways in which threads that pick one of several targets can spread.
//!
//! The threads of one place fill its *bins*: one for each kept target, and one for all others together, since it does
//! not matter where these threads go. The ways of one place are the compositions of its number of threads, one after
//! the other without a list of them (Nijenhuis, Wilf: Combinatorial Algorithms, 1978); those of several places turn
//! like the wheels of an odometer.

use super::shape::At;

/// The threads of a kept place that pick.
#[derive(Debug)]
pub struct Pick {
    /// The place.
    pub source: At,
    /// One of the threads there is the active one, and does not pick.
    pub but_one: bool,
    /// At least one.
    pub bins: usize,
}

impl Pick {
    fn threads(&self, state: &[u32]) -> u32 {
        // An active thread is there: the guard of its transition holds.
        self.source.tokens(state).saturating_sub(u32::from(self.but_one))
    }
}

/// One way to spread, and how to find the next.
#[derive(Default, Debug)]
pub struct Spread {
    /// By bin, those of the first pick first.
    bins: Vec<u32>,
    /// By pick, where its bins end.
    ends: Vec<usize>,
}

impl Spread {
    /// Begins with the first way in which the threads of `state` can spread: all in the first bins.
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

    /// Threads by bin.
    #[must_use]
    pub fn bins(&self) -> &[u32] {
        &self.bins
    }

    /// Goes on to the next way; false if that was the last.
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

/// The next composition of the same number; after the last one the first again, and false.
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
