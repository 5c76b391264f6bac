//! Data shared by the searches for several goals: traps, and the invariants on which lemmas depend.

use crate::invariants::Invariants;
use crate::invariants::equation::Rational;
use crate::invariants::traps::Traps;
use model::{AtMost, Budget, CaseLemma, Cases, ConcurrencyRelation, Linear, NetInvariant, PlaceId, Why};
use num_bigint::BigUint;
use std::collections::{BTreeMap, HashMap};

/// Attempts to make a trap smaller.
const TRIES: usize = 60;

/// The index of an invariant among all found so far.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct InvariantId(u32);

/// The invariants found so far.
pub(crate) struct NetInvariants {
    pub(crate) pairs: Option<ConcurrencyRelation>,
    analysis: Traps,
    /// Initially marked traps, with their indices among the invariants.
    traps: Vec<(Vec<u32>, InvariantId)>,
    invariants: Vec<NetInvariant>,
    bounds: HashMap<AtMost, InvariantId>,
}

impl NetInvariants {
    pub(crate) fn new(invariants: &Invariants, budget: &mut Budget) -> Self {
        let pairs = invariants.pairs(budget).cloned();
        let analysis = Traps::new(invariants.rules(), invariants.whole());
        Self { pairs, analysis, traps: Vec::new(), invariants: Vec::new(), bounds: HashMap::new() }
    }

    pub(crate) fn traps(&self) -> u64 {
        self.traps.len() as u64
    }

    pub(crate) fn bound(&mut self, bound: AtMost) -> InvariantId {
        if let Some(known) = self.bounds.get(&bound) {
            return *known;
        }
        let id = self.push(NetInvariant::AtMost(bound.clone()));
        self.bounds.insert(bound, id);
        id
    }

    fn push(&mut self, invariant: NetInvariant) -> InvariantId {
        self.invariants.push(invariant);
        InvariantId(self.invariants.len() as u32 - 1)
    }

    /// Returns a trap that is always marked but empty in this solution, if there is one.
    pub(crate) fn unmarked_trap(&mut self, solution: &[Rational]) -> Option<usize> {
        let empty: Vec<bool> = solution.iter().map(Rational::is_zero).collect();
        let known = self.traps.iter().position(|(trap, _)| trap.iter().all(|p| empty[*p as usize]));
        if known.is_some() {
            return known;
        }
        let trap = self.analysis.marked(&empty, TRIES)?;
        let id = self.push(NetInvariant::SomeMarked(trap.iter().map(|p| PlaceId(*p)).collect()));
        self.traps.push((trap, id));
        Some(self.traps.len() - 1)
    }

    /// The places of a trap and its invariant.
    pub(crate) fn trap(&self, number: usize) -> (&[u32], InvariantId) {
        let (places, id) = &self.traps[number];
        (places, *id)
    }

    /// Returns the invariants that a refutation uses, and the refutation with their indices. The list starts
    /// with `first` and, if the refutation uses it, the concurrency relation.
    pub(crate) fn certificate(&self, first: NetInvariant, excluded: Excluded) -> (Vec<NetInvariant>, Cases) {
        let mut invariants = vec![first];
        if excluded.lemmas.iter().any(|lemma| lemma.invariants.is_none()) {
            invariants.extend(self.pairs.clone().map(NetInvariant::ConcurrencyRelation));
        }
        let mut position: BTreeMap<InvariantId, u32> = BTreeMap::new();
        let mut lemmas = Vec::with_capacity(excluded.lemmas.len());
        for lemma in excluded.lemmas {
            let why = match lemma.invariants {
                None => Why::Excluded,
                Some((multipliers, used)) => {
                    let mut place = |(id, times): (InvariantId, BigUint)| {
                        let at = *position.entry(id).or_insert_with(|| {
                            invariants.push(self.invariants[id.0 as usize].clone());
                            invariants.len() as u32 - 1
                        });
                        (at, times)
                    };
                    Why::Sum { multipliers, invariants: used.into_iter().map(&mut place).collect() }
                }
            };
            lemmas.push(CaseLemma { atoms: lemma.atoms, why });
        }
        (invariants, Cases { splits: excluded.splits, lemmas, steps: excluded.steps })
    }
}

/// A refutation, as [`model::Cases`], with invariants by index.
pub(crate) struct Excluded {
    pub(crate) splits: Vec<Linear>,
    pub(crate) lemmas: Vec<Lemma>,
    pub(crate) steps: Vec<Vec<i32>>,
}

/// Multipliers of inequalities, and invariants with their multipliers. The sum of all of them, each
/// multiplied, is a contradiction.
pub(crate) type Farkas = (Vec<BigUint>, Vec<(InvariantId, BigUint)>);

/// Inequalities, given by their variables, that contradict each other.
#[derive(Clone, Debug)]
pub(crate) struct Lemma {
    pub(crate) atoms: Vec<u32>,
    /// The contradicting sum. `None` if the inequalities require a pair of tokens that the concurrency relation
    /// excludes.
    pub(crate) invariants: Option<Farkas>,
}
