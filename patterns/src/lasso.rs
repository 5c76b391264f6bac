//! Eventually periodic sets of run lengths, and the clauses that state that the run length T lies in one of
//! them.

use model::{Constant, IntAtom};
use std::collections::{BTreeMap, BTreeSet};

/// A set of numbers: some below `start`, and from `start` on all numbers with certain residues.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct LassoSet {
    early: BTreeSet<u64>,
    start: u64,
    period: u64,
    residues: BTreeSet<u64>,
}

impl LassoSet {
    /// Builds the set of the numbers `early` (all below `start`) and the numbers from `start` on that are
    /// congruent to one of `late` modulo `period`.
    pub(crate) fn new(early: BTreeSet<u64>, start: u64, period: u64, late: impl Iterator<Item = u64>) -> Self {
        debug_assert!(early.iter().all(|&t| t < start) && period > 0, "early numbers lie before the periodic part");
        let mut set = Self { early, start, period, residues: late.map(|t| t % period).collect() };
        set.reduce();
        set
    }

    /// Reduces the set to its least period. For example, "0, 2 or 4 modulo 6" becomes the single literal "0
    /// modulo 2".
    fn reduce(&mut self) {
        let mut rest = self.period;
        let mut prime = 2;
        while rest > 1 {
            if prime * prime > rest {
                prime = rest;
            }
            if !rest.is_multiple_of(prime) {
                prime += 1;
                continue;
            }
            rest /= prime;
            let shorter = self.period / prime;
            let repeats = |r: &u64| self.residues.contains(&((r + shorter) % self.period));
            if self.residues.iter().all(repeats) {
                self.period = shorter;
                self.residues = self.residues.iter().map(|r| r % shorter).collect();
            }
        }
    }

    /// Returns the numbers of the set below `end`.
    fn below(&self, end: u64) -> impl Iterator<Item = u64> + '_ {
        let late = (self.start..end).filter(|t| self.residues.contains(&(t % self.period)));
        self.early.range(..end).copied().chain(late)
    }

    /// Returns true if the set contains `t`.
    pub(crate) fn contains(&self, t: u64) -> bool {
        self.early.contains(&t) || t >= self.start && self.residues.contains(&(t % self.period))
    }

    /// Returns the start of the periodic part and its least period.
    pub(crate) fn rhythm(&self) -> (u64, u64) {
        (self.start, self.period)
    }

    /// Returns the residues of the periodic part, ascending.
    pub(crate) fn residues(&self) -> impl Iterator<Item = u64> + '_ {
        self.residues.iter().copied()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.listed() == 0
    }

    /// Returns the number of listed numbers and residues.
    fn listed(&self) -> u64 {
        self.early.len() as u64 + self.residues.len() as u64
    }
}

/// Estimates how many numbers [`cover`] handles. The estimate is linear in the size of the sets unless their
/// periods and prefixes differ much.
pub(crate) fn cover_work(sets: &BTreeSet<LassoSet>) -> u64 {
    let start = latest_start(sets);
    let periods = sets.iter().map(|s| s.period).collect::<BTreeSet<_>>().len() as u64;
    let of = |s: &LassoSet| (start - s.start).saturating_add(s.listed()).saturating_mul(periods).saturating_add(1);
    sets.iter().map(of).fold(0, u64::saturating_add)
}

fn latest_start(sets: &BTreeSet<LassoSet>) -> u64 {
    sets.iter().map(|s| s.start).max().unwrap_or(0)
}

/// Returns disjunctions of atoms about T. Together they state that T lies in one of `sets`, given that T is at
/// least `least`. Each disjunction holds for every T in the sets. Returns no disjunction if the sets contain
/// every T from `least` on.
///
/// Sets with a prefix need two disjunctions. The first disjunction is exact before the periodic part begins,
/// and true after it. The second one lists the residues. A plain congruence for all T would be wrong in both
/// directions.
pub(crate) fn cover(sets: &BTreeSet<LassoSet>, least: u64) -> Vec<Vec<IntAtom>> {
    let start = latest_start(sets);
    let mut residues: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
    for set in sets.iter().filter(|s| !s.residues.is_empty()) {
        residues.entry(set.period).or_default().extend(&set.residues);
    }
    let early: BTreeSet<u64> = sets.iter().flat_map(|s| s.below(start)).filter(|&t| t >= least).collect();
    if residues.is_empty() {
        return vec![early.into_iter().map(|t| IntAtom::equals(Constant::RunLength, t)).collect()];
    }
    let early_gaps = (early.len() as u64) < start.saturating_sub(least);
    let late_gaps = residues.iter().all(|(period, set)| (set.len() as u64) < *period);
    let congruent = |t: u64| residues.iter().any(|(period, set)| set.contains(&(t % period)));
    let all_congruent = early.iter().all(|&t| congruent(t));
    let mut clauses = Vec::new();
    if early_gaps {
        let mut clause = vec![IntAtom::at_least(Constant::RunLength, start)];
        clause.extend(early.iter().map(|&t| IntAtom::equals(Constant::RunLength, t)));
        clauses.push(clause);
    }
    if late_gaps {
        let mut clause = Vec::new();
        if !all_congruent {
            clause.push(IntAtom::at_most(Constant::RunLength, start - 1));
        }
        for (&period, set) in &residues {
            let new = set.iter().filter(|&&r| !implied(&residues, period, r));
            clause.extend(new.map(|&r| IntAtom::congruent(Constant::RunLength, r, period)));
        }
        clauses.push(clause);
    }
    clauses
}

/// Returns true if a residue of a smaller modulus contains `residue` modulo `period`.
fn implied(residues: &BTreeMap<u64, BTreeSet<u64>>, period: u64, residue: u64) -> bool {
    let mut smaller = residues.range(..period).filter(|(modulus, _)| period.is_multiple_of(**modulus));
    smaller.any(|(modulus, set)| set.contains(&(residue % modulus)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Values;
    use num_bigint::BigInt;
    use proptest::prelude::*;

    fn lasso_set(shift: u64) -> impl Strategy<Value = LassoSet> {
        let bits = || prop::collection::vec(any::<bool>(), 0..6);
        (bits(), bits()).prop_map(move |(prefix, cycle)| {
            let hits = |bits: &[bool], first: u64| {
                let numbered = bits.iter().zip(first..);
                numbered.filter(|(hit, _)| **hit).map(|(_, t)| t).collect::<BTreeSet<u64>>()
            };
            let start = prefix.len() as u64 + shift;
            let period = cycle.len().max(1) as u64;
            LassoSet::new(hits(&prefix, shift), start, period, hits(&cycle, start).into_iter())
        })
    }

    fn holds(clause: &[IntAtom], t: u64) -> bool {
        let values = Values::from([(Constant::RunLength, BigInt::from(t))]);
        clause.iter().any(|atom| atom.eval(&values) == Some(true))
    }

    proptest! {
        #[test]
        fn covers_hold_on_the_sets_and_say_no_less(
            (shift, sets) in (0u64..3).prop_flat_map(|s| (Just(s), prop::collection::vec(lasso_set(s), 0..4))),
        ) {
            let clauses = cover(&sets.iter().cloned().collect(), shift);
            for t in shift..200 {
                let inside = sets.iter().any(|s| s.below(t + 1).any(|member| member == t));
                prop_assert_eq!(clauses.iter().all(|c| holds(c, t)), inside, "T = {} in {:?}", t, clauses);
            }
        }
    }

    #[test]
    fn residues_are_merged_to_the_least_period() {
        let set = LassoSet::new(BTreeSet::new(), 0, 12, [1, 4, 7, 10].into_iter());
        assert_eq!(cover(&BTreeSet::from([set]), 0), [vec![IntAtom::congruent(Constant::RunLength, 1, 3)]]);
        let [coarse, fine] = [(2, 1), (4, 2)].map(|(p, r)| LassoSet::new(BTreeSet::new(), 0, p, [r, 3].into_iter()));
        let atoms = [(1, 2), (2, 4)].map(|(r, m)| IntAtom::congruent(Constant::RunLength, r, m));
        assert_eq!(cover(&BTreeSet::from([coarse, fine]), 0), [atoms.to_vec()], "3 modulo 4 is 1 modulo 2");
        let all = LassoSet::new(BTreeSet::new(), 0, 12, 0..12);
        assert!(cover(&BTreeSet::from([all]), 0).is_empty(), "every length is no restriction");
    }

    #[test]
    fn the_residues_of_a_lasso_are_silent_about_its_prefix() {
        let set = LassoSet::new(BTreeSet::from([0]), 2, 3, [4].into_iter());
        let length = || Constant::RunLength;
        let early = vec![IntAtom::at_least(length(), 2), IntAtom::equals(length(), 0)];
        let late = vec![IntAtom::at_most(length(), 1), IntAtom::congruent(length(), 1, 3)];
        assert_eq!(cover(&BTreeSet::from([set]), 0), [early, late]);
        assert_eq!(cover(&BTreeSet::new(), 0), [vec![]], "nothing holds: the empty clause");
    }
}
