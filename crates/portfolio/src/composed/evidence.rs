//! Claims about questions, made of the claims about their parts.

use crate::parts::parts_of;
use certify::{Confirmed, Refusal};
use model::{Claim, Formula, Goal, Parts, Problem, Stop};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A claim about a question that the checker has confirmed.
pub(crate) type CheckedClaim = (Arc<Claim>, Confirmed);

/// What claims about questions are made of, and how they are checked.
#[derive(Clone, Copy)]
pub(super) struct Composition<'c> {
    /// The problem without parts.
    pub(super) problem: &'c Problem,
    /// The formulas of all parts.
    pub(super) formulas: &'c [Arc<Formula>],
    /// For each part that is unreachable: the claim that says so.
    pub(super) safe: &'c BTreeMap<Goal, Arc<Claim>>,
    pub(super) how: &'c certify::Options,
    pub(super) stop: &'c Stop,
}

impl Composition<'_> {
    /// Returns the claims about these parts.
    pub(super) fn parts(&self, parts: impl IntoIterator<Item = Goal>) -> Parts {
        parts_of(parts.into_iter().filter_map(|part| self.safe.get(&part)), self.formulas)
    }

    /// Has a claim checked.
    ///
    /// # Errors
    /// If the checker refuses it.
    pub(super) fn confirm(&self, claim: Claim) -> Result<CheckedClaim, Refusal> {
        let confirmed = certify::confirm(self.problem, &claim, self.how, self.stop)?;
        Ok((Arc::new(claim), confirmed))
    }
}
