//! Activity scores of latches: latches in recent lemmas have high scores.

use sat::Var;
use std::cmp::Ordering;

/// Weight of a lemma relative to the next lemma.
const DECAY: f64 = 0.99;
const LIMIT: f64 = 1e150;

/// A score for each variable. Instead of decaying old scores, each lemma adds a larger step than the one
/// before.
#[derive(Debug)]
pub(super) struct Activity {
    scores: Vec<f64>,
    step: f64,
}

impl Default for Activity {
    fn default() -> Self {
        Self { scores: Vec::new(), step: 1.0 }
    }
}

impl Activity {
    fn of(&self, var: Var) -> f64 {
        self.scores.get(var.index()).copied().unwrap_or(0.0)
    }

    /// Orders variables by ascending activity.
    pub(super) fn order(&self, a: Var, b: Var) -> Ordering {
        self.of(a).total_cmp(&self.of(b))
    }

    pub(super) fn bump(&mut self, vars: impl Iterator<Item = Var>) {
        for var in vars {
            if self.scores.len() <= var.index() {
                self.scores.resize(var.index() + 1, 0.0);
            }
            self.scores[var.index()] += self.step;
        }
        debug_assert!(self.step.is_finite() && self.step > 0.0);
        self.step /= DECAY;
        if self.step > LIMIT {
            self.scores.iter_mut().for_each(|score| *score /= LIMIT);
            self.step /= LIMIT;
        }
    }
}
