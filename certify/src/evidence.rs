//! The kinds of evidence, as reports name them.

use model::{Exclusion, Invariant, NetFact, Why};

/// What an answer rests on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EvidenceKind {
    /// A run into a goal state.
    Trace,
    /// A set of states closed under successors.
    StateSet,
    /// A closed set of joint states of some of the threads.
    Projection,
    /// The places that can be marked at all.
    Markable,
    /// Pairs of places that may be marked together.
    Pairs,
    /// Vectors that are never covered.
    Vectors,
    /// Linear bounds, or sums of inequalities that contradict each other.
    Linear,
    /// Places of which one is always marked.
    Traps,
    /// Clauses over bits of states.
    Clauses,
    /// A refutation of "there is a violating run" from lemmas.
    Lemmas,
}

impl EvidenceKind {
    /// All of them.
    pub const ALL: [EvidenceKind; 10] = [
        EvidenceKind::Trace,
        EvidenceKind::StateSet,
        EvidenceKind::Projection,
        EvidenceKind::Markable,
        EvidenceKind::Pairs,
        EvidenceKind::Vectors,
        EvidenceKind::Linear,
        EvidenceKind::Traps,
        EvidenceKind::Clauses,
        EvidenceKind::Lemmas,
    ];

    /// The name in JSON and on the terminal.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            EvidenceKind::Trace => "trace",
            EvidenceKind::StateSet => "state-set",
            EvidenceKind::Projection => "projection",
            EvidenceKind::Markable => "markable",
            EvidenceKind::Pairs => "pairs",
            EvidenceKind::Vectors => "vectors",
            EvidenceKind::Linear => "linear",
            EvidenceKind::Traps => "traps",
            EvidenceKind::Clauses => "clauses",
            EvidenceKind::Lemmas => "lemmas",
        }
    }

    /// The strongest kind of fact in an invariant, and how many of them there are.
    #[must_use]
    pub fn of_invariant(invariant: &Invariant) -> (Self, u64) {
        let count = |of: &dyn Fn(&NetFact) -> u64| invariant.facts.iter().map(of).sum::<u64>();
        let vectors = |fact: &NetFact| if let NetFact::NeverCovered(vectors) = fact { vectors.len() as u64 } else { 0 };
        let sums = |why: &Exclusion| matches!(why, Exclusion::Cases(cases) if cases.lemmas.iter().any(|l| matches!(l.why, Why::Sum { .. })));
        let linear = invariant.exclusions.iter().any(|(_, why)| sums(why));
        let has = |kind: fn(&NetFact) -> bool| invariant.facts.iter().any(kind);
        let clauses = |fact: &NetFact| if let NetFact::Clauses(c) = fact { c.clauses.len() as u64 } else { 0 };
        if has(|fact| matches!(fact, NetFact::Clauses(_))) {
            (EvidenceKind::Clauses, count(&clauses))
        } else if has(|fact| matches!(fact, NetFact::NeverCovered(_))) {
            (EvidenceKind::Vectors, count(&vectors))
        } else if has(|fact| matches!(fact, NetFact::SomeMarked(_))) {
            (EvidenceKind::Traps, count(&|fact| matches!(fact, NetFact::SomeMarked(_)).into()))
        } else if linear || has(|fact| matches!(fact, NetFact::AtMost(_))) {
            (EvidenceKind::Linear, count(&|fact| matches!(fact, NetFact::AtMost(_)).into()))
        } else if has(|fact| matches!(fact, NetFact::Pairs(_))) {
            (EvidenceKind::Pairs, count(&|fact| if let NetFact::Pairs(pairs) = fact { pairs.allowed() } else { 0 }))
        } else {
            let markable = |fact: &NetFact| match fact {
                NetFact::Markable(places) => places.iter().filter(|can_be| **can_be).count() as u64,
                _ => 0,
            };
            (EvidenceKind::Markable, invariant.facts.iter().map(markable).max().unwrap_or(0))
        }
    }
}
