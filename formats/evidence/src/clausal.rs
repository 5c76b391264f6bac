//! Shapes of clauses and their derivations in evidence files, for all kinds of systems.

use model::{Clausal, Derivation};
use serde::{Deserialize, Serialize};

/// A clause with the numbers of those that it follows from.
#[derive(Serialize, Deserialize)]
pub(super) struct Step(Vec<i32>, Vec<u64>);

/// A refutation.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct DerivationShape(Vec<Step>);

/// Clauses over bits whose shape is defined elsewhere.
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
        Self(derivation.steps.iter().map(|(clause, hints)| Step(clause.clone(), hints.clone())).collect())
    }

    pub(super) fn into_derivation(self) -> Derivation {
        Derivation { steps: self.0.into_iter().map(|Step(clause, hints)| (clause, hints)).collect() }
    }

    /// About how many numbers it is in memory.
    pub(super) fn size(&self) -> usize {
        self.0.iter().map(|Step(clause, hints)| 2 + clause.len() + 2 * hints.len()).sum()
    }
}

impl<B> ClausalShape<B> {
    /// `bits` are those of `clausal`, shaped.
    pub(super) fn of(clausal: &Clausal, bits: Vec<B>) -> Self {
        Self {
            bits,
            clauses: clausal.clauses.clone(),
            initial: clausal.initial.as_ref().map(DerivationShape::of),
            step: clausal.step.as_ref().map(DerivationShape::of),
        }
    }

    /// With bits as `bit` reads them.
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

    /// About how many numbers it is in memory.
    pub(super) fn size(&self) -> usize {
        let clauses: usize = self.clauses.iter().map(|clause| 1 + clause.len()).sum();
        let derivations = [&self.initial, &self.step].into_iter().flatten().map(DerivationShape::size).sum::<usize>();
        2 * self.bits.len() + clauses + derivations
    }
}
