//! Evidence for what a search found safe: vectors where they are enough, else clauses over thresholds.

use super::bounded::Strict;
use super::vectors::{self, Grounds};
use crate::markings::known::Bounds;
use crate::markings::vector::Vector;
use analysis::facts::Facts;
use analysis::targets;
use model::{
    Bit, Bound, Budget, Certificate, Claim, Clausal, Exclusion, Formula, Goal, Invariant, NetFact, NetTask, PlaceId,
    Within,
};
use num_bigint::BigUint;
use std::collections::{BTreeMap, HashMap};

/// Most minimal markings of a goal.
const MINIMAL: usize = 20_000;

/// `[place >= n]` has this value.
pub(super) type Literal = ((u32, u64), bool);

/// What there is to claim with.
pub(super) struct Material<'a> {
    pub(super) task: &'a NetTask,
    pub(super) facts: &'a Facts,
    /// The facts that the search used.
    pub(super) said: &'a [NetFact],
    pub(super) goal: Goal,
    pub(super) formula: &'a Formula,
    /// Clauses that exclude the goal, kept by every step.
    pub(super) clauses: &'a [Vec<Literal>],
    /// Does every initial marking satisfy them?
    pub(super) of_every_start: bool,
}

impl Material<'_> {
    /// The goal is not reachable, without any bound; `None` if that is not known.
    pub(super) fn safe(&self, budget: &mut Budget) -> Option<Claim> {
        if let Some(vectors) = self.vectors(budget) {
            return Some(self.never_covered(&vectors));
        }
        if !self.of_every_start || !self.keep_at_home() {
            return None;
        }
        let bit = |(place, n)| Some(Bit::AtLeast(PlaceId(place), BigUint::from(n)));
        Some(self.by(Some(NetFact::Clauses(clausal(self.clauses, bit))), Exclusion::Refuted(None)))
    }

    /// As [`Material::safe`], by what clauses of the net with a budget say of places alone.
    pub(super) fn beyond(&self, budget: &mut Budget) -> Option<Claim> {
        self.vectors(budget).map(|vectors| self.never_covered(&vectors))
    }

    fn never_covered(&self, vectors: &[Vector]) -> Claim {
        self.by(vectors::fact(vectors), Exclusion::Minimal)
    }

    fn by(&self, fact: Option<NetFact>, exclusion: Exclusion) -> Claim {
        let facts = self.said.iter().cloned().chain(fact).collect();
        let invariant = Invariant { facts, exclusions: vec![(self.goal, exclusion)] };
        let certificate = Certificate::Invariant(Box::new(invariant));
        Claim::Safe { goals: vec![self.goal], certificate }
    }

    /// The goal is not reachable within the bound, because of clauses of the net with a budget if there is one (once
    /// its start is over), else of the net as it is.
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

    /// Vectors that do it.
    fn vectors(&self, budget: &mut Budget) -> Option<Vec<Vector>> {
        let targets = targets::minimal(self.formula, MINIMAL)?;
        let targets: Option<Vec<Vector>> = targets.iter().map(|cube| vector(cube.iter().copied())).collect();
        let mut bounds = Bounds::default();
        let mut pairs = None;
        for fact in self.said {
            match fact {
                NetFact::AtMost(bound) => {
                    bounds.add(self.facts.rules().places(), bound.clone());
                }
                NetFact::Pairs(_) => pairs = self.facts.known_pairs().zip(self.facts.marked(budget)),
                _ => {}
            }
        }
        let grounds = Grounds { rules: self.facts.rules(), pairs, bounds: &bounds };
        let places = self.facts.rules().places();
        // Places that a bound adds are not spoken of.
        let of_places = |clause: &&Vec<Literal>| clause.iter().all(|((place, _), _)| (*place as usize) < places);
        let vectors = self.clauses.iter().filter(of_places).filter_map(|c| of_clause(c));
        vectors::closed(&grounds, vectors, &targets?, budget)
    }

    /// Clauses that fewer tokens could break speak of places only all of whose changes are in the task.
    fn keep_at_home(&self) -> bool {
        let whole = &self.task.whole;
        self.clauses.iter().flatten().all(|&((place, _), value)| !value || whole[place as usize])
    }
}

/// The vector that a clause excludes, if it says that some place has fewer tokens.
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
    counts.map(|(p, n)| Some((p, u32::try_from(n).ok().filter(|n| *n < crate::markings::vector::MOST)?))).collect()
}

/// Nothing is reachable within a bound that no initial marking keeps to.
pub(super) fn no_run(bound: &Bound, said: &[NetFact], goals: Vec<Goal>) -> Claim {
    bounded(bound, said, goals, Clausal { clauses: vec![Vec::new()], ..Clausal::default() })
}

fn bounded(bound: &Bound, said: &[NetFact], goals: Vec<Goal>, clausal: Clausal) -> Claim {
    let counted = bound.counted.iter().enumerate().filter(|(_, counted)| **counted);
    let counted = counted.map(|(place, _)| PlaceId::new(place)).collect();
    let exclusions = goals.iter().map(|goal| (*goal, Exclusion::Refuted(None))).collect();
    let facts = said.iter().cloned().chain([NetFact::Clauses(clausal)]).collect();
    let within = Within { most: BigUint::from(bound.most), counted };
    Claim::Within { goals, within, invariant: Box::new(Invariant { facts, exclusions }) }
}

/// Clauses over bits; thresholds that have none are never reached.
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
