//! Unary adders over thresholds: is a weighted sum of places at least `n`?
//!
//! Sums of the first places are carried along, as bits "at least i" for i up to what is asked (a sequential counter,
//! Sinz 2005). A further place with L levels costs `n * L` gates, and no place has more levels than `n`, or than it can
//! hold tokens.

use super::thresholds::{GATES, Thresholds};
use model::Signal;

/// A place with a positive weight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Term {
    pub(super) place: u32,
    pub(super) weight: u64,
    /// Count what is lacking to this number instead of the tokens.
    pub(super) complement: Option<u64>,
}

impl Term {
    /// Does the term count at least `n`?
    fn holds(self, bits: &mut Thresholds, n: u64) -> Signal {
        match self.complement {
            None => bits.at_least(self.place, n),
            Some(most) if n > most => Signal::FALSE,
            Some(most) => !bits.at_least(self.place, most - n + 1),
        }
    }
}

/// Is the sum of `terms` at least `n`?
pub(super) fn at_least(bits: &mut Thresholds, terms: &[Term], n: u64) -> Signal {
    if n == 0 {
        return Signal::TRUE;
    }
    debug_assert!(terms.iter().all(|t| t.weight > 0), "weights are positive");
    if let [term] = terms {
        return term.holds(bits, n.div_ceil(term.weight));
    }
    let gates = usize::try_from(n).ok().and_then(|n| n.checked_mul(n)?.checked_mul(terms.len()));
    let all_levels: u64 = terms.iter().map(|t| levels(bits, *t, n)).sum();
    let dear = usize::try_from(all_levels.saturating_mul(n)).ok().is_none_or(|gates| gates > GATES);
    if gates.is_none() || dear {
        bits.give_up();
        return Signal::FALSE;
    }
    let asked = usize::try_from(n).expect("checked above");
    // Position i: at least i so far.
    let mut sums = vec![Signal::FALSE; asked + 1];
    sums[0] = Signal::TRUE;
    for &term in terms {
        let mut next = sums.clone();
        for level in 1..=levels(bits, term, n) {
            let there = term.holds(bits, level);
            let counts = usize::try_from(level.saturating_mul(term.weight).min(n)).expect("at most n");
            // Fewer levels are enough for less.
            let below = usize::try_from((level - 1).saturating_mul(term.weight)).unwrap_or(usize::MAX);
            for i in below.saturating_add(1)..=asked {
                let with = bits.builder().and(there, sums[i.saturating_sub(counts)]);
                next[i] = bits.builder().or(next[i], with);
            }
        }
        sums = next;
    }
    debug_assert_eq!(sums.len(), asked + 1);
    debug_assert_eq!(sums[0], Signal::TRUE, "every sum is at least 0");
    sums[asked]
}

/// More of this term makes no difference.
fn levels(bits: &Thresholds, term: Term, n: u64) -> u64 {
    let most = term.complement.unwrap_or_else(|| bits.end(term.place));
    n.div_ceil(term.weight).min(most)
}
