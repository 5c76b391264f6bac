//! Unary adders over thresholds: signals for "a weighted sum of places is at least `n`".
//!
//! The sum of the first places is represented by bits "at least i", for i up to `n` (a sequential counter,
//! Sinz 2005). Each further place costs `n * L` gates, where L is the number of its levels: the numbers of
//! tokens that the sum must distinguish. L is at most `n`, and at most the number of tokens that the place can
//! hold.

use model::{CircuitBuilder, Signal};

/// Maximal number of gates for one next function or one goal. Beyond this number the search gives up.
const GATES: usize = 1 << 20;

/// The circuit to which sums are added.
pub(super) trait Bits {
    /// The gates.
    fn builder(&mut self) -> &mut CircuitBuilder;

    /// The upper limit of a place's tokens in reachable markings; `u64::MAX` if unlimited.
    fn end(&self, place: u32) -> u64;

    /// Marks the circuit as invalid.
    fn give_up(&mut self);

    /// The signal `[place >= n]`.
    fn at_least(&mut self, place: u32, n: u64) -> Signal;
}

/// A place with a positive weight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Term {
    pub(super) place: u32,
    pub(super) weight: u64,
    /// If present, the term counts the difference between this number and the tokens.
    pub(super) complement: Option<u64>,
}

impl Term {
    /// Returns the signal that is true if the count of the term is at least `n`.
    fn holds(self, bits: &mut impl Bits, n: u64) -> Signal {
        match self.complement {
            None => bits.at_least(self.place, n),
            Some(most) if n > most => Signal::FALSE,
            Some(most) => !bits.at_least(self.place, most - n + 1),
        }
    }
}

/// Returns the signal that is true if the sum of `terms` is at least `n`.
pub(super) fn at_least(bits: &mut impl Bits, terms: &[Term], n: u64) -> Signal {
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
    // `sums[i]`: the sum so far is at least i.
    let mut sums = vec![Signal::FALSE; asked + 1];
    sums[0] = Signal::TRUE;
    for &term in terms {
        let mut next = sums.clone();
        for level in 1..=levels(bits, term, n) {
            let there = term.holds(bits, level);
            let counts = usize::try_from(level.saturating_mul(term.weight).min(n)).expect("at most n");
            // For sums up to `below`, fewer levels suffice.
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

/// The number of levels of a term that matter for a sum of `n`.
fn levels(bits: &impl Bits, term: Term, n: u64) -> u64 {
    let most = term.complement.unwrap_or_else(|| bits.end(term.place));
    n.div_ceil(term.weight).min(most)
}
