//! An index that finds out whether a marking is covered by a kept one. (A marking covers another one if it has
//! at least as many tokens in each place.) On monotone nets, every run from a covered marking is also possible
//! from the covering one.
//!
//! Candidates are kept markings with more tokens and with at least the same places marked (compared by
//! signatures of 64 bits). The number of candidates per marking is limited on average. If few markings are
//! covered, the index stops looking for good. For example, in a conservative net no marking covers another one.

use crate::layout::Field;
use crate::table::StateId;
use std::collections::BTreeMap;

/// Candidates examined per marking, on average. Unused ones are saved, up to `SAVED_LOOKS`.
const LOOKS: u64 = 64;
const SAVED_LOOKS: u64 = 1 << 14;
/// After `TRIAL` markings, the index stops looking when less than one in `ONE_IN` markings is covered.
const TRIAL: u64 = 1 << 12;
const ONE_IN: u64 = 64;

/// An index of kept markings.
#[derive(Clone, Debug)]
pub struct Covering {
    /// For each word: the top bits of token fields, the other bits of token fields, and the bits of other
    /// fields.
    top: Vec<u64>,
    low: Vec<u64>,
    exact: Vec<u64>,
    tokens: Vec<Field>,
    /// Kept markings with their signatures, by number of tokens.
    kept: BTreeMap<u64, Vec<(u64, StateId)>>,
    looks: u64,
    asked: u64,
    covered: u64,
    gave_up: bool,
}

impl Covering {
    /// Returns an empty index for states of `words` words. Each field is a number of tokens, or is compared as it is.
    #[must_use]
    pub fn new(words: usize, fields: impl Iterator<Item = (Field, bool)> + Clone) -> Self {
        let mut this = Self {
            top: vec![0; words],
            low: vec![0; words],
            exact: vec![0; words],
            tokens: fields.clone().filter(|(_, is_tokens)| *is_tokens).map(|(field, _)| field).collect(),
            kept: BTreeMap::new(),
            looks: 0,
            asked: 0,
            covered: 0,
            gave_up: false,
        };
        for (field, is_tokens) in fields.filter(|(field, _)| field.bits > 0) {
            if is_tokens {
                let top = 1u64 << (field.shift + field.bits - 1);
                this.top[field.word] |= top;
                this.low[field.word] |= (field.mask() << field.shift) & !top;
            } else {
                this.exact[field.word] |= field.mask() << field.shift;
            }
        }
        this
    }

    /// Returns the same index for the same states packed in another way. `this` is an empty index for the new
    /// packing, and `state` returns the repacked states.
    #[must_use]
    pub fn repacked<'a>(&self, mut this: Self, state: impl Fn(StateId) -> &'a [u64]) -> Self {
        debug_assert!(this.kept.is_empty(), "it is begun anew");
        (this.looks, this.asked, this.covered, this.gave_up) = (self.looks, self.asked, self.covered, self.gave_up);
        for &(_, id) in self.kept.values().flatten() {
            this.keep(id, state(id));
        }
        this
    }

    /// Returns true if the index has stopped looking.
    #[must_use]
    pub fn gave_up(&self) -> bool {
        self.gave_up
    }

    /// Adds a marking that no kept marking covers.
    pub fn keep(&mut self, id: StateId, state: &[u64]) {
        if !self.gave_up {
            let (weight, signature) = self.summary(state);
            self.kept.entry(weight).or_default().push((signature, id));
        }
    }

    /// Returns the bytes per kept marking, in vectors that may be doubling their capacity.
    #[must_use]
    pub fn bytes_per_state(&self) -> usize {
        if self.gave_up { 0 } else { 2 * size_of::<(u64, StateId)>() }
    }

    /// Returns true if a kept marking that covers `state` is found within the limits. `of` returns the kept
    /// states.
    pub fn is_covered<'a>(&mut self, state: &[u64], of: impl Fn(StateId) -> &'a [u64]) -> bool {
        if self.gave_up {
            return false;
        }
        self.asked += 1;
        self.looks = (self.looks + LOOKS).min(SAVED_LOOKS);
        let (weight, signature) = self.summary(state);
        let heavier = self.kept.range(weight + 1..).flat_map(|(_, kept)| kept.iter().rev());
        for &(other, id) in heavier {
            if self.looks == 0 {
                break;
            }
            self.looks -= 1;
            if signature & !other == 0 && self.covers(of(id), state) {
                self.covered += 1;
                return true;
            }
        }
        if self.asked >= TRIAL && self.covered * ONE_IN < self.asked {
            self.gave_up = true;
            self.kept = BTreeMap::new();
        }
        false
    }

    /// Returns true if `greater` covers `state`. Slots of several places must be equal.
    #[inline]
    #[must_use]
    pub fn covers(&self, greater: &[u64], state: &[u64]) -> bool {
        greater.iter().zip(state).enumerate().all(|(w, (&g, &s))| {
            let top = self.top[w];
            // Per field: the top bit is set, so that subtracting the lower bits borrows nothing from the next
            // field. Then the top bits decide.
            let lower = ((g & self.low[w]) | top) - (s & self.low[w]);
            let at_least = (g & !s) | (!(g ^ s) & lower);
            (g ^ s) & self.exact[w] == 0 && at_least & top == top
        })
    }

    /// Returns the number of tokens, and a signature of the marked places.
    fn summary(&self, state: &[u64]) -> (u64, u64) {
        let mut signature = 0u64;
        for (w, &word) in state.iter().enumerate() {
            let marked = (((word & self.low[w]) + self.low[w]) | word) & self.top[w];
            signature |= marked.rotate_left(w as u32 * 7);
        }
        (self.tokens.iter().map(|field| field.get(state) as u64).sum(), signature)
    }
}
