//! JSON forms of clauses and their derivations in evidence files, for all kinds of systems.

use model::{Clausal, Derivation};
use serde::{Deserialize, Serialize};

/// A clause, and the numbers of the clauses that imply it.
#[derive(Serialize, Deserialize)]
pub(super) struct DerivedClause(Vec<i32>, Vec<u64>);

/// A refutation.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct DerivationShape(Vec<DerivedClause>);

/// Clauses over bits. The JSON form `B` of the bits is defined by the kind of system.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ClausalShape<B> {
    pub(super) bits: Vec<B>,
    clauses: Vec<Vec<i32>>,
    initial: Option<DerivationShape>,
    step: Option<DerivationShape>,
}

impl DerivationShape {
    pub(super) fn of(derivation: &Derivation) -> Self {
        Self(derivation.steps.iter().map(|(clause, hints)| DerivedClause(clause.clone(), hints.clone())).collect())
    }

    pub(super) fn into_derivation(self) -> Derivation {
        Derivation { steps: self.0.into_iter().map(|DerivedClause(clause, hints)| (clause, hints)).collect() }
    }

    /// Returns approximately how many numbers it takes in memory.
    pub(super) fn size(&self) -> usize {
        self.0.iter().map(|DerivedClause(clause, hints)| 2 + clause.len() + 2 * hints.len()).sum()
    }
}

impl<B> ClausalShape<B> {
    /// Makes the JSON form of `clausal`. `bits` are its bits in their JSON form.
    pub(super) fn of(clausal: &Clausal, bits: Vec<B>) -> Self {
        Self {
            bits,
            clauses: clausal.clauses.clone(),
            initial: clausal.initial.as_ref().map(DerivationShape::of),
            step: clausal.step.as_ref().map(DerivationShape::of),
        }
    }

    /// Converts the JSON form to clauses. `bit` converts a bit.
    pub(super) fn into_clausal(self, bit: impl FnMut(B) -> Result<model::Bit, String>) -> Result<Clausal, String> {
        let bits: Vec<model::Bit> = self.bits.into_iter().map(bit).collect::<Result<_, _>>()?;
        let known = |lit: &i32| *lit != 0 && lit.unsigned_abs() as usize <= bits.len();
        if !self.clauses.iter().flatten().all(known) {
            return Err("a literal that names no bit".to_owned());
        }
        Ok(Clausal {
            bits,
            clauses: self.clauses,
            initial: self.initial.map(DerivationShape::into_derivation),
            step: self.step.map(DerivationShape::into_derivation),
        })
    }

    /// Returns approximately how many numbers it takes in memory.
    pub(super) fn size(&self) -> usize {
        let clauses: usize = self.clauses.iter().map(|clause| 1 + clause.len()).sum();
        let derivations = [&self.initial, &self.step].into_iter().flatten().map(DerivationShape::size).sum::<usize>();
        2 * self.bits.len() + clauses + derivations
    }
}
