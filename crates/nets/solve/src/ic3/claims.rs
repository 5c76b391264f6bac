//! Makes evidence from the clauses that a search found: vectors if they suffice, otherwise clauses over
//! thresholds.

use super::bounded::Strict;
use super::vectors::{self, Grounds};
use crate::coverability::invariants::Bounds;
use crate::coverability::vector::Vector;
use crate::invariants::Invariants;
use crate::targets;
use model::{
    Bit, Bound, Budget, Certificate, Claim, Clausal, Exclusion, Formula, Goal, InvariantCertificate, NetInvariant,
    NetTask, PlaceId, Within,
};
use num_bigint::BigUint;
use std::collections::{BTreeMap, HashMap};

/// Maximal number of minimal markings of a goal.
const MINIMAL: usize = 20_000;

/// A threshold `[place >= n]`, as `(place, n)`, and the value that it has.
pub(super) type Literal = ((u32, u64), bool);

/// The data for a claim.
pub(super) struct Material<'a> {
    pub(super) task: &'a NetTask,
    pub(super) invariants: &'a Invariants,
    /// The invariants that the search used.
    pub(super) said: &'a [NetInvariant],
    pub(super) goal: Goal,
    pub(super) formula: &'a Formula,
    /// Clauses that exclude the goal and are kept by every step.
    pub(super) clauses: &'a [Vec<Literal>],
    /// True if every initial marking satisfies the clauses.
    pub(super) of_every_start: bool,
}

impl Material<'_> {
    /// Claims that the goal is not reachable, without any bound. Returns `None` if this does not follow.
    pub(super) fn safe(&self, budget: &mut Budget) -> Option<Claim> {
        if let Some(vectors) = self.vectors(budget) {
            return Some(self.never_covered(&vectors));
        }
        if !self.of_every_start || !self.keep_at_home() {
            return None;
        }
        let bit = |(place, n)| Some(Bit::AtLeast(PlaceId(place), BigUint::from(n)));
        Some(self.by(Some(NetInvariant::Clauses(clausal(self.clauses, bit))), Exclusion::Refuted(None)))
    }

    /// Like [`Material::safe`], for clauses of the net with a budget. Uses only clauses over the places of the
    /// net itself.
    pub(super) fn beyond(&self, budget: &mut Budget) -> Option<Claim> {
        self.vectors(budget).map(|vectors| self.never_covered(&vectors))
    }

    fn never_covered(&self, vectors: &[Vector]) -> Claim {
        self.by(vectors::invariant(vectors), Exclusion::Minimal)
    }

    fn by(&self, invariant: Option<NetInvariant>, exclusion: Exclusion) -> Claim {
        let invariants = self.said.iter().cloned().chain(invariant).collect();
        let invariant = InvariantCertificate { invariants, exclusions: vec![(self.goal, exclusion)] };
        let certificate = Certificate::Invariant(Box::new(invariant));
        Claim::Safe { goals: vec![self.goal], certificate }
    }

    /// Claims that the goal is not reachable within the bound. The clauses hold in the net with a budget (after
    /// its start phase) if there is one, otherwise in the net as it is.
    pub(super) fn within(&self, bound: &Bound, strict: Option<&Strict>) -> Claim {
        let clausal = match strict {
            None => clausal(self.clauses, |(place, n)| Some(Bit::AtLeast(PlaceId(place), BigUint::from(n)))),
            Some(strict) => clausal(self.clauses, |(place, n)| match place {
                _ if place == strict.budget => Some(Bit::Room(BigUint::from(n))),
                _ if place == strict.starting => None,
                _ => Some(Bit::AtLeast(PlaceId(place), BigUint::from(n))),
            }),
        };
        bounded(bound, self.said, vec![self.goal], clausal)
    }

    /// Returns vectors that exclude the goal and are never covered, if the clauses contain such vectors.
    fn vectors(&self, budget: &mut Budget) -> Option<Vec<Vector>> {
        let targets = targets::minimal(self.formula, MINIMAL)?;
        let targets: Option<Vec<Vector>> = targets.iter().map(|cube| vector(cube.iter().copied())).collect();
        let mut bounds = Bounds::default();
        let mut pairs = None;
        for invariant in self.said {
            match invariant {
                NetInvariant::AtMost(bound) => {
                    bounds.add(self.invariants.rules().places(), bound.clone());
                }
                NetInvariant::ConcurrencyRelation(_) => {
                    pairs = self.invariants.known_pairs().zip(self.invariants.marked(budget))
                }
                _ => {}
            }
        }
        let grounds = Grounds { rules: self.invariants.rules(), pairs, bounds: &bounds };
        let places = self.invariants.rules().places();
        // Clauses with places that only the net with a budget has are left out.
        let of_places = |clause: &&Vec<Literal>| clause.iter().all(|((place, _), _)| (*place as usize) < places);
        let vectors = self.clauses.iter().filter(of_places).filter_map(|c| of_clause(c));
        vectors::closed(&grounds, vectors, &targets?, budget)
    }

    /// True if the task contains all changes of every place that has a positive literal in the clauses. Only
    /// positive literals can become false when tokens are removed.
    fn keep_at_home(&self) -> bool {
        let whole = &self.task.whole;
        self.clauses.iter().flatten().all(|&((place, _), value)| !value || whole[place as usize])
    }
}

/// Returns the vector that a clause excludes. `None` unless every literal says that a place has fewer tokens.
fn of_clause(clause: &[Literal]) -> Option<Vector> {
    debug_assert!(clause.iter().all(|((_, n), _)| *n > 0), "thresholds are positive");
    let mut most: BTreeMap<u32, u64> = BTreeMap::new();
    for &((place, n), value) in clause {
        if value {
            return None;
        }
        let known = most.entry(place).or_default();
        *known = (*known).max(n);
    }
    vector(most.into_iter())
}

fn vector(counts: impl Iterator<Item = (u32, u64)>) -> Option<Vector> {
    counts.map(|(p, n)| Some((p, u32::try_from(n).ok().filter(|n| *n < crate::coverability::vector::MOST)?))).collect()
}

/// Claims that goals are not reachable within a bound that no initial marking satisfies.
pub(super) fn no_run(bound: &Bound, said: &[NetInvariant], goals: Vec<Goal>) -> Claim {
    bounded(bound, said, goals, Clausal { clauses: vec![Vec::new()], ..Clausal::default() })
}

fn bounded(bound: &Bound, said: &[NetInvariant], goals: Vec<Goal>, clausal: Clausal) -> Claim {
    let counted = bound.counted.iter().enumerate().filter(|(_, counted)| **counted);
    let counted = counted.map(|(place, _)| PlaceId::new(place)).collect();
    let exclusions = goals.iter().map(|goal| (*goal, Exclusion::Refuted(None))).collect();
    let invariants = said.iter().cloned().chain([NetInvariant::Clauses(clausal)]).collect();
    let within = Within { most: BigUint::from(bound.most), counted };
    Claim::Within { goals, within, invariant: Box::new(InvariantCertificate { invariants, exclusions }) }
}

/// Makes clauses over bits. A threshold without a bit is never reached, so it counts as false.
fn clausal(clauses: &[Vec<Literal>], bit: impl Fn((u32, u64)) -> Option<Bit>) -> Clausal {
    let mut numbers: HashMap<(u32, u64), i32> = HashMap::new();
    let mut clausal = Clausal::default();
    for clause in clauses {
        let mut literals = Vec::with_capacity(clause.len());
        let mut holds = false;
        for &(threshold, value) in clause {
            let Some(bit) = bit(threshold) else {
                holds |= !value;
                continue;
            };
            let number = *numbers.entry(threshold).or_insert_with(|| {
                clausal.bits.push(bit);
                i32::try_from(clausal.bits.len()).expect("fewer than 2^31 latches")
            });
            literals.push(if value { number } else { -number });
        }
        if !holds {
            clausal.clauses.push(literals);
        }
    }
    clausal
}
