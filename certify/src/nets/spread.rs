//! All ways in which threads that pick one of several targets can spread.
//!
//! The threads of one place fill its *bins*: one for each kept target, and one for all others together, since nobody looks
//! where these threads go. The ways of one place are the compositions of its number of threads, one after the other without
//! a list of them (Nijenhuis, Wilf: Combinatorial Algorithms, 1978); those of several places turn like the wheels of an
//! odometer.

use super::shape::At;

/// The threads of a kept place that pick.
pub(crate) struct Pick {
    pub(crate) source: At,
    /// One of the threads there is the active one, and does not pick.
    pub(crate) but_one: bool,
    /// At least one.
    pub(crate) bins: usize,
}

impl Pick {
    fn threads(&self, state: &[u32]) -> u32 {
        // An active thread is there: the guard of its transition holds.
        self.source.tokens(state).saturating_sub(u32::from(self.but_one))
    }
}

/// One way to spread, and how to find the next.
#[derive(Default)]
pub(crate) struct Spread {
    /// By bin, those of the first pick first.
    bins: Vec<u32>,
    /// By pick, where its bins end.
    ends: Vec<usize>,
}

impl Spread {
    /// Begins with the first way in which the threads of `state` can spread: all in the first bins.
    pub(crate) fn begin(&mut self, picks: &[Pick], state: &[u32]) {
        self.bins.clear();
        self.ends.clear();
        for pick in picks {
            let first = self.bins.len();
            self.bins.resize(first + pick.bins, 0);
            self.bins[first] = pick.threads(state);
            self.ends.push(self.bins.len());
        }
    }

    /// Threads by bin.
    pub(crate) fn bins(&self) -> &[u32] {
        &self.bins
    }

    /// Goes on to the next way; false if that was the last.
    pub(crate) fn advance(&mut self) -> bool {
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

#[cfg(test)]
mod tests {
    use super::{At, Pick, Spread};
    use std::collections::BTreeSet;

    fn ways(picks: &[(bool, usize)], state: &[u32]) -> Vec<Vec<u32>> {
        let pick = |(slot, &(but_one, bins))| Pick { source: At::Tokens { slot: slot as u32 }, but_one, bins };
        let picks: Vec<Pick> = picks.iter().enumerate().map(pick).collect();
        let mut spread = Spread::default();
        spread.begin(&picks, state);
        let mut all = vec![spread.bins().to_vec()];
        while spread.advance() {
            all.push(spread.bins().to_vec());
        }
        all
    }

    #[test]
    fn each_way_comes_once() {
        for threads in 0..6 {
            for bins in 1..5 {
                let all = ways(&[(false, bins)], &[threads]);
                let mut expected: Vec<Vec<u32>> = vec![vec![]];
                for _ in 0..bins {
                    expected = expected.iter().flat_map(|w| (0..=threads).map(|n| [&w[..], &[n]].concat())).collect();
                }
                expected.retain(|w| w.iter().sum::<u32>() == threads);
                assert_eq!(all.len(), expected.len());
                assert_eq!(BTreeSet::from_iter(all), BTreeSet::from_iter(expected));
            }
        }
    }

    #[test]
    fn picks_are_independent() {
        assert_eq!(ways(&[], &[]), [[]; 1]);
        assert_eq!(ways(&[(true, 3)], &[1]), [[0, 0, 0]]);
        let all: BTreeSet<Vec<u32>> = ways(&[(false, 3), (true, 2), (false, 2)], &[2, 3, 0]).into_iter().collect();
        assert_eq!(all.len(), 6 * 3);
        assert!(all.iter().all(|w| w[..3].iter().sum::<u32>() == 2 && w[3..5].iter().sum::<u32>() == 2));
    }
}
