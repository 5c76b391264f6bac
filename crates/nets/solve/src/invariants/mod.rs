//! Invariants of nets, which hold in every reachable marking. They are computed once, shared by all engines and
//! goals, and each has a certificate of its own.
//!
//! [`potentially_marked`] is computed before all others and decides which places slicing keeps. The other
//! invariants are about the sliced task. Each of these is computed on first use, and its cost is charged to the
//! engine that uses it first.

pub mod concurrency;
pub mod equation;
mod grown;
pub mod potentially_marked;
pub mod traps;

use crate::rules::Rules;
use grown::Growth;
use model::{AtMost, Budget, ConcurrencyRelation, NetInvariant, NetTask};
use std::sync::{Arc, OnceLock};

/// The invariants of the net of a task, computed on first use.
#[derive(Debug)]
pub struct Invariants {
    rules: Arc<Rules>,
    whole: Vec<bool>,
    growth: OnceLock<Growth>,
    together: OnceLock<Option<concurrency::Concurrency>>,
    every: OnceLock<Vec<u32>>,
}

impl Invariants {
    /// Creates an empty collection. Returns `None` if the numbers of the net are too large for
    /// [`Rules::small`].
    #[must_use]
    pub fn new(task: &NetTask) -> Option<Self> {
        let rules = Arc::new(Rules::new(&task.net).filter(|rules| rules.small)?);
        let whole = task.whole.clone();
        let (growth, together, every) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Some(Self { rules, whole, growth, together, every })
    }

    /// Returns the net.
    #[must_use]
    pub fn rules(&self) -> &Arc<Rules> {
        &self.rules
    }

    /// For each place: true if every transition that changes it is in the net (see [`NetTask::whole`]).
    #[must_use]
    pub fn whole(&self) -> &[bool] {
        &self.whole
    }

    /// Returns the concurrency relation: which places may be marked together. It covers all places, and row `p`
    /// belongs to place `p`. Returns `None` if it would take too much time or memory.
    pub fn pairs(&self, budget: &mut Budget) -> Option<&ConcurrencyRelation> {
        self.together(budget).map(|found| &found.pairs)
    }

    /// Returns the result of [`Invariants::pairs`] if it was computed before.
    #[must_use]
    pub fn known_pairs(&self) -> Option<&ConcurrencyRelation> {
        self.together.get()?.as_ref().map(|found| &found.pairs)
    }

    /// Returns the transitions that can fire according to the relation of [`Invariants::pairs`], ascending. The
    /// others never fire. Returns all transitions if there is no relation.
    pub fn firing(&self, budget: &mut Budget) -> &[u32] {
        match self.together(budget) {
            Some(found) => &found.firing,
            None => self.every.get_or_init(|| (0u32..).take(self.rules.transitions()).collect()),
        }
    }

    /// Returns true if the relation of [`Invariants::pairs`] shows that this vector (places ascending, no zeros) is
    /// never covered: the vector has a place that is never marked, or two places that are never marked
    /// together. The cost is quadratic in the size of the vector. Returns false if there is no relation.
    pub fn never_together(&self, vector: &[(u32, u64)], budget: &mut Budget) -> bool {
        let Some(concurrency::Concurrency { pairs, marked, .. }) = self.together(budget) else { return false };
        let allows = |i: usize, (p, n): (u32, u64)| {
            let p = p as usize;
            marked[p] && (n < 2 || pairs.allows(p, p)) && vector[..i].iter().all(|(q, _)| pairs.allows(p, *q as usize))
        };
        !vector.iter().enumerate().all(|(i, entry)| allows(i, *entry))
    }

    /// For each place: true if it may be marked according to the relation of [`Invariants::pairs`]. The certificate
    /// of the relation implies the same. Returns `None` if there is no relation.
    pub fn marked(&self, budget: &mut Budget) -> Option<&[bool]> {
        self.together(budget).map(|found| &*found.marked)
    }

    fn together(&self, budget: &mut Budget) -> Option<&concurrency::Concurrency> {
        self.together.get_or_init(|| concurrency::pairs(&self.rules, budget)).as_ref()
    }

    /// Returns a linear bound without negative weights that shows that `vector` (places ascending, no zeros) is
    /// never covered, if one is found. The bound is grown from the vector, or else found by linear programming.
    pub fn refute(&self, vector: &[(u32, u64)], budget: &mut Budget) -> Option<AtMost> {
        self.grow(vector, budget).or_else(|| equation::refute(self, vector, budget))
    }

    /// Like [`Invariants::refute`], but without linear programming. This is cheap.
    pub fn grow(&self, vector: &[(u32, u64)], budget: &mut Budget) -> Option<AtMost> {
        self.growth.get_or_init(|| Growth::new(&self.rules)).refute(&self.rules, vector, budget)
    }

    /// Returns the first part of every invariant of a task: all of its places are potentially marked.
    #[must_use]
    pub fn potentially_marked(&self) -> NetInvariant {
        NetInvariant::PotentiallyMarked(vec![true; self.rules.places()])
    }
}
