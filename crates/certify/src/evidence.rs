//! The kinds of evidence, with the names that reports use.

use model::{CaseLemma, Exclusion, InvariantCertificate, NetInvariant, Why};

/// The kind of evidence that an answer rests on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EvidenceKind {
    /// A run that reaches a goal state or violates a formula.
    Trace,
    /// A set of states closed under successors.
    StateSet,
    /// A closed set of joint states of some of the threads.
    Projection,
    /// The set of potentially marked places.
    PotentiallyMarked,
    /// The concurrency relation: the pairs of places that may be marked together.
    ConcurrencyRelation,
    /// Vectors that no reachable marking covers.
    Vectors,
    /// Linear bounds, or inequalities that have a contradiction as their sum.
    Linear,
    /// Traps: sets of places such that at least one place of the set is always marked.
    Traps,
    /// Clauses over bits of states, or over numbers.
    Clauses,
    /// A refutation of "there is a violating run" from lemmas.
    Lemmas,
    /// Markings on which a formula of computation tree logic is evaluated, and claims about its letters.
    Branching,
    /// A run to the largest value of a sum, and a certificate that no value is greater.
    Bound,
}

impl EvidenceKind {
    /// All kinds of evidence.
    pub const ALL: [EvidenceKind; 12] = [
        EvidenceKind::Trace,
        EvidenceKind::StateSet,
        EvidenceKind::Projection,
        EvidenceKind::PotentiallyMarked,
        EvidenceKind::ConcurrencyRelation,
        EvidenceKind::Vectors,
        EvidenceKind::Linear,
        EvidenceKind::Traps,
        EvidenceKind::Clauses,
        EvidenceKind::Lemmas,
        EvidenceKind::Branching,
        EvidenceKind::Bound,
    ];

    /// Returns the name used in JSON and on the terminal.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            EvidenceKind::Trace => "trace",
            EvidenceKind::StateSet => "state-set",
            EvidenceKind::Projection => "projection",
            EvidenceKind::PotentiallyMarked => "markable",
            EvidenceKind::ConcurrencyRelation => "pairs",
            EvidenceKind::Vectors => "vectors",
            EvidenceKind::Linear => "linear",
            EvidenceKind::Traps => "traps",
            EvidenceKind::Clauses => "clauses",
            EvidenceKind::Lemmas => "lemmas",
            EvidenceKind::Branching => "branching",
            EvidenceKind::Bound => "bound",
        }
    }

    /// Returns the strongest kind of invariant that `invariant` contains, and the size of the invariants of
    /// this kind: the number of clauses, vectors, traps, bounds, allowed pairs of places, or potentially marked
    /// places.
    #[must_use]
    pub fn of_invariant(certificate: &InvariantCertificate) -> (Self, u64) {
        let count = |of: &dyn Fn(&NetInvariant) -> u64| certificate.invariants.iter().map(of).sum::<u64>();
        let vectors = |invariant: &NetInvariant| {
            if let NetInvariant::NeverCovered(vectors) = invariant { vectors.len() as u64 } else { 0 }
        };
        let is_sum = |lemma: &CaseLemma| matches!(lemma.why, Why::Sum { .. });
        let sums = |why: &Exclusion| matches!(why, Exclusion::Cases(cases) if cases.lemmas.iter().any(is_sum));
        let linear = certificate.exclusions.iter().any(|(_, why)| sums(why));
        let has = |kind: fn(&NetInvariant) -> bool| certificate.invariants.iter().any(kind);
        let clauses = |invariant: &NetInvariant| {
            if let NetInvariant::Clauses(c) = invariant { c.clauses.len() as u64 } else { 0 }
        };
        if has(|invariant| matches!(invariant, NetInvariant::Clauses(_))) {
            (EvidenceKind::Clauses, count(&clauses))
        } else if has(|invariant| matches!(invariant, NetInvariant::NeverCovered(_))) {
            (EvidenceKind::Vectors, count(&vectors))
        } else if has(|invariant| matches!(invariant, NetInvariant::SomeMarked(_))) {
            (EvidenceKind::Traps, count(&|invariant| matches!(invariant, NetInvariant::SomeMarked(_)).into()))
        } else if linear || has(|invariant| matches!(invariant, NetInvariant::AtMost(_))) {
            (EvidenceKind::Linear, count(&|invariant| matches!(invariant, NetInvariant::AtMost(_)).into()))
        } else if has(|invariant| matches!(invariant, NetInvariant::ConcurrencyRelation(_))) {
            (
                EvidenceKind::ConcurrencyRelation,
                count(&|invariant| {
                    if let NetInvariant::ConcurrencyRelation(pairs) = invariant { pairs.allowed() } else { 0 }
                }),
            )
        } else {
            let potentially_marked = |invariant: &NetInvariant| match invariant {
                NetInvariant::PotentiallyMarked(places) => places.iter().filter(|can_be| **can_be).count() as u64,
                _ => 0,
            };
            (EvidenceKind::PotentiallyMarked, certificate.invariants.iter().map(potentially_marked).max().unwrap_or(0))
        }
    }
}
