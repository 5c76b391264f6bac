//! Facts about a net that hold of every run: computed once, shared by all engines and goals, certified by themselves.
//!
//! [`markable`] goes before everything and decides what slicing keeps. The others are about the task that is left,
//! and are computed when somebody first asks, in that engine's turn.

pub mod equation;
mod grown;
pub mod markable;
pub mod pairs;
pub mod traps;

use crate::rules::Rules;
use grown::Growth;
use model::{AtMost, Budget, NetFact, NetTask, Pairs};
use std::sync::{Arc, OnceLock};

/// What is known about the net of a task.
#[derive(Debug)]
pub struct Facts {
    rules: Arc<Rules>,
    whole: Vec<bool>,
    growth: OnceLock<Growth>,
    together: OnceLock<Option<pairs::Found>>,
    every: OnceLock<Vec<u32>>,
}

impl Facts {
    /// Nothing yet. `None` if the net's numbers are too large for [`Rules::small`].
    #[must_use]
    pub fn new(task: &NetTask) -> Option<Self> {
        let rules = Arc::new(Rules::new(&task.net).filter(|rules| rules.small)?);
        let whole = task.whole.clone();
        let (growth, together, every) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Some(Self { rules, whole, growth, together, every })
    }

    /// The net.
    #[must_use]
    pub fn rules(&self) -> &Arc<Rules> {
        &self.rules
    }

    /// By place: is every transition that changes it in the net? (As [`NetTask::whole`].)
    #[must_use]
    pub fn whole(&self) -> &[bool] {
        &self.whole
    }

    /// Which places may be marked together; `None` if that would be too dear. All places are spoken of: row `p` is
    /// that of place `p`.
    pub fn pairs(&self, budget: &mut Budget) -> Option<&Pairs> {
        self.together(budget).map(|found| &found.pairs)
    }

    /// [`Facts::pairs`], if somebody has asked for them.
    #[must_use]
    pub fn known_pairs(&self) -> Option<&Pairs> {
        self.together.get()?.as_ref().map(|found| &found.pairs)
    }

    /// Transitions that can fire as far as [`Facts::pairs`] knows, ascending: others never do. All, if there is no
    /// relation.
    pub fn firing(&self, budget: &mut Budget) -> &[u32] {
        match self.together(budget) {
            Some(found) => &found.firing,
            None => self.every.get_or_init(|| (0u32..).take(self.rules.transitions()).collect()),
        }
    }

    /// Does [`Facts::pairs`] show that this vector (places ascending, no zeros) is never covered? It has a place that
    /// is never marked, as far as the relation knows, or two that are never together. Quadratic in the vector;
    /// `false` without a relation.
    pub fn never_together(&self, vector: &[(u32, u64)], budget: &mut Budget) -> bool {
        let Some(pairs::Found { pairs, marked, .. }) = self.together(budget) else { return false };
        let allows = |i: usize, (p, n): (u32, u64)| {
            let p = p as usize;
            marked[p] && (n < 2 || pairs.allows(p, p)) && vector[..i].iter().all(|(q, _)| pairs.allows(p, *q as usize))
        };
        !vector.iter().enumerate().all(|(i, entry)| allows(i, *entry))
    }

    /// By place: may it be marked at all, as far as [`Facts::pairs`] knows (whose certificate says this, too)? `None`
    /// without relation.
    pub fn marked(&self, budget: &mut Budget) -> Option<&[bool]> {
        self.together(budget).map(|found| &*found.marked)
    }

    fn together(&self, budget: &mut Budget) -> Option<&pairs::Found> {
        self.together.get_or_init(|| pairs::pairs(&self.rules, budget)).as_ref()
    }

    /// A linear bound without negative weights that shows that `vector` (places ascending, no zeros) is never
    /// covered, if one is found: grown from it, or else by linear programming.
    pub fn refute(&self, vector: &[(u32, u64)], budget: &mut Budget) -> Option<AtMost> {
        self.grow(vector, budget).or_else(|| equation::refute(self, vector, budget))
    }

    /// As [`Facts::refute`], by the cheap way alone.
    pub fn grow(&self, vector: &[(u32, u64)], budget: &mut Budget) -> Option<AtMost> {
        self.growth.get_or_init(|| Growth::new(&self.rules)).refute(&self.rules, vector, budget)
    }

    /// The fact that begins every invariant about a task: all of its places may be marked.
    #[must_use]
    pub fn markable(&self) -> NetFact {
        NetFact::Markable(vec![true; self.rules.places()])
    }
}
