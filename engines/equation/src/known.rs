//! What searches for several goals share: traps, and the facts that lemmas rest on.

use crate::search::Excluded;
use analysis::facts::Facts;
use analysis::facts::equation::Rational;
use analysis::facts::traps::Traps;
use model::{AtMost, Budget, CaseLemma, Cases, NetFact, Pairs, PlaceId, Why};
use num_bigint::BigUint;
use std::collections::{BTreeMap, HashMap};

/// Attempts to make a trap smaller.
const TRIES: usize = 60;

/// A fact by its position among all found so far.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct FactId(u32);

/// The facts.
pub(crate) struct Known {
    pub(crate) pairs: Option<Pairs>,
    analysis: Traps,
    /// Traps that are marked at the start, with their positions among the facts.
    traps: Vec<(Vec<u32>, FactId)>,
    facts: Vec<NetFact>,
    bounds: HashMap<AtMost, FactId>,
}

impl Known {
    pub(crate) fn new(facts: &Facts, budget: &mut Budget) -> Self {
        let pairs = facts.pairs(budget).cloned();
        let analysis = Traps::new(facts.rules(), facts.whole());
        Self { pairs, analysis, traps: Vec::new(), facts: Vec::new(), bounds: HashMap::new() }
    }

    pub(crate) fn traps(&self) -> u64 {
        self.traps.len() as u64
    }

    pub(crate) fn bound(&mut self, bound: AtMost) -> FactId {
        if let Some(known) = self.bounds.get(&bound) {
            return *known;
        }
        let id = self.push(NetFact::AtMost(bound.clone()));
        self.bounds.insert(bound, id);
        id
    }

    fn push(&mut self, fact: NetFact) -> FactId {
        self.facts.push(fact);
        FactId(self.facts.len() as u32 - 1)
    }

    /// A trap that is always marked and that this solution leaves empty, if there is one.
    pub(crate) fn unmarked_trap(&mut self, solution: &[Rational]) -> Option<usize> {
        let empty: Vec<bool> = solution.iter().map(Rational::is_zero).collect();
        let known = self.traps.iter().position(|(trap, _)| trap.iter().all(|p| empty[*p as usize]));
        if known.is_some() {
            return known;
        }
        let trap = self.analysis.marked(&empty, TRIES)?;
        let id = self.push(NetFact::SomeMarked(trap.iter().map(|p| PlaceId(*p)).collect()));
        self.traps.push((trap, id));
        Some(self.traps.len() - 1)
    }

    /// A trap's places and its fact.
    pub(crate) fn trap(&self, number: usize) -> (&[u32], FactId) {
        let (places, id) = &self.traps[number];
        (places, *id)
    }

    /// The facts that a refutation uses, after `first` and, if asked for, the pairs; and the refutation with their
    /// positions.
    pub(crate) fn certificate(&self, first: NetFact, excluded: Excluded) -> (Vec<NetFact>, Cases) {
        let mut facts = vec![first];
        if excluded.lemmas.iter().any(|lemma| lemma.facts.is_none()) {
            facts.extend(self.pairs.clone().map(NetFact::Pairs));
        }
        let mut position: BTreeMap<FactId, u32> = BTreeMap::new();
        let mut lemmas = Vec::with_capacity(excluded.lemmas.len());
        for lemma in excluded.lemmas {
            let why = match lemma.facts {
                None => Why::Excluded,
                Some((multipliers, used)) => {
                    let mut place = |(id, times): (FactId, BigUint)| {
                        let at = *position.entry(id).or_insert_with(|| {
                            facts.push(self.facts[id.0 as usize].clone());
                            facts.len() as u32 - 1
                        });
                        (at, times)
                    };
                    Why::Sum { multipliers, facts: used.into_iter().map(&mut place).collect() }
                }
            };
            lemmas.push(CaseLemma { atoms: lemma.atoms, why });
        }
        (facts, Cases { splits: excluded.splits, lemmas, steps: excluded.steps })
    }
}
