//! Data shared by the searches for several goals: traps, and the invariants on which lemmas depend.

use crate::invariants::Invariants;
use crate::invariants::equation::Rational;
use crate::invariants::traps::Traps;
use model::{AtMost, CaseLemma, Cases, ConcurrencyRelation, Linear, NetInvariant, PlaceId, Why};
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
    /// True if all other invariants depend on the relation.
    is_pruned: bool,
    /// Bounds that exclude transitions. The invariants that were found after them depend on them.
    excluding: Vec<AtMost>,
    analysis: Traps,
    /// Initially marked traps, with their indices among the invariants.
    traps: Vec<(Vec<u32>, InvariantId)>,
    invariants: Vec<NetInvariant>,
    bounds: HashMap<AtMost, InvariantId>,
}

impl NetInvariants {
    /// `invariants` is about the net, or, if `is_pruned`, about its transitions that `pairs` allows.
    pub(crate) fn new(pairs: Option<ConcurrencyRelation>, is_pruned: bool, invariants: &Invariants) -> Self {
        debug_assert!(pairs.is_some() || !is_pruned, "the relation shows which transitions never fire");
        let analysis = Traps::new(invariants.rules(), invariants.whole());
        Self {
            pairs,
            is_pruned,
            excluding: Vec::new(),
            analysis,
            traps: Vec::new(),
            invariants: Vec::new(),
            bounds: HashMap::new(),
        }
    }

    /// Adds bounds that exclude transitions. `invariants` are about the part of the net without these.
    pub(crate) fn exclude(&mut self, bounds: Vec<AtMost>, invariants: &Invariants) {
        debug_assert!(self.excluding.is_empty(), "they are looked for once");
        self.excluding = bounds;
        self.analysis = Traps::new(invariants.rules(), invariants.whole());
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
        if self.is_pruned || excluded.lemmas.iter().any(|lemma| lemma.invariants.is_none()) {
            invariants.extend(self.pairs.clone().map(NetInvariant::ConcurrencyRelation));
        }
        invariants.extend(self.excluding.iter().cloned().map(NetInvariant::AtMost));
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
