//! The facts that a proof rests on, in the names of the model: the inequalities, traps and clauses that are easiest to
//! read, and the threads that exclude the goal by themselves.

use super::words::{conjunction, number_of};
use crate::kind;
use crate::positions;
use crate::steps::marking::Stepper;
use crate::text::{names, number};
use model::{
    AtMost, Bit, Certificate, Clausal, ConcurrencyRelation, Exclusion, Goal, InvariantCertificate, LocalId,
    NetInvariant, PlaceId, Problem, SystemModel, ThreadId,
};
use num_bigint::{BigInt, BigUint};
use std::collections::BTreeSet;

/// Most facts of a proof that are shown.
const SHOWN: usize = 3;
/// Most terms of a fact.
const TERMS: usize = 8;
/// Most names in a list.
const NAMED: usize = 6;

/// Returns facts that a proof of `goals` rests on, easiest first, and none if they cannot be said shortly.
#[must_use]
pub fn facts(problem: &Problem, goals: &[Goal], certificate: &Certificate) -> Vec<String> {
    // A proof about a program may be about one with more threads and states ([`model::observed`]).
    let observed = match problem.system() {
        SystemModel::Rwb(_) | SystemModel::Data(_) => model::observed(problem, goals),
        _ => None,
    };
    let namer = Names { problem, proven: observed.as_ref().map_or(problem, |observed| &observed.problem) };
    match certificate {
        Certificate::Invariant(invariant) => namer.invariants(invariant),
        Certificate::Clauses(clauses) => namer.clauses(&clauses.invariant),
        Certificate::Projection(projection) => namer.threads(&projection.kept).into_iter().collect(),
        Certificate::Restricted(_, inner) => facts(problem, goals, inner),
        _ => Vec::new(),
    }
}

struct Names<'p> {
    problem: &'p Problem,
    /// The problem that the proof is about. Its threads and states begin with those of the problem as read.
    proven: &'p Problem,
}

impl Names<'_> {
    /// Returns the name of a place: for a program, a thread in a local state. `None` if it is not one of the system as
    /// read.
    fn place(&self, place: PlaceId) -> Option<String> {
        if let Some(stepper) = Stepper::new(self.problem.system()) {
            return Some(stepper.place_name(place));
        }
        let SystemModel::Rwb(program) = self.proven.system() else { return None };
        let (first, _) = program.places();
        let thread = first.partition_point(|first| *first <= place.index()).checked_sub(1)?;
        self.local(ThreadId::new(thread), LocalId::new(place.index() - first[thread]))
    }

    fn local(&self, thread: ThreadId, state: LocalId) -> Option<String> {
        let SystemModel::Rwb(program) = self.problem.system() else { return None };
        let is_read = program.threads().get(thread.index()).is_some_and(|of| state.index() < of.states.len());
        let named = || format!("[{} at {}]", program.thread(thread).name, positions::short(program, thread, state));
        is_read.then(named)
    }

    /// Returns the names of places, if all have one.
    fn places<'a>(&self, places: impl IntoIterator<Item = &'a PlaceId>) -> Option<Vec<String>> {
        places.into_iter().map(|place| self.place(*place)).collect()
    }

    fn threads(&self, kept: &[ThreadId]) -> Option<String> {
        let SystemModel::Rwb(program) = self.problem.system() else { return None };
        let kept: Vec<&str> =
            kept.iter().filter_map(|t| Some(program.threads().get(t.index())?.name.as_str())).collect();
        (!kept.is_empty()).then(|| format!("These threads exclude it, whatever the others do: {}", names(kept, NAMED)))
    }

    fn invariants(&self, of: &InvariantCertificate) -> Vec<String> {
        let used = used(of);
        let chosen = of.invariants.iter().enumerate().filter(|(i, _)| used.is_empty() || used.contains(i));
        let mut facts: Vec<(usize, String)> = Vec::new();
        for (_, invariant) in chosen {
            match invariant {
                NetInvariant::AtMost(sum) if sum.terms.len() <= TERMS => {
                    facts.extend(self.at_most(sum).map(|text| (sum.terms.len(), text)));
                }
                NetInvariant::SomeMarked(places) if places.len() <= TERMS => {
                    let named = self.places(places);
                    let said = |named: Vec<String>| format!("Always a token on one of {}", named.join(", "));
                    facts.extend(named.map(|named| (places.len(), said(named))));
                }
                NetInvariant::NeverCovered(vectors) => {
                    for vector in vectors.iter().filter(|vector| vector.len() <= TERMS) {
                        let named = vector.iter().map(|(p, n)| Some(at_least(&self.place(*p)?, n)));
                        let named: Option<Vec<String>> = named.collect();
                        let said = |named: Vec<String>| format!("Never together: {}", named.join(", "));
                        facts.extend(named.map(|named| (vector.len(), said(named))));
                    }
                }
                NetInvariant::ConcurrencyRelation(relation) => {
                    let goals = of.exclusions.iter().map(|(goal, _)| *goal);
                    facts.extend(goals.filter_map(|goal| self.apart(goal, relation)).map(|text| (2, text)));
                }
                NetInvariant::Clauses(clauses) => {
                    facts.extend(self.clauses(clauses).into_iter().map(|text| (text.len(), text)));
                }
                _ => {}
            }
        }
        facts.sort_by_key(|(size, _)| *size);
        facts.into_iter().take(SHOWN).map(|(_, text)| text).collect()
    }

    /// Names two places that a goal needs, and that never have tokens together.
    fn apart(&self, goal: Goal, relation: &ConcurrencyRelation) -> Option<String> {
        let sums = conjunction(self.problem.formula(goal)?)?;
        let needed = sums.iter().filter_map(|sum| match &sum.terms[..] {
            [(place, weight)] if *weight > BigInt::ZERO => Some((*place, relation.row_of(*place)?)),
            _ => None,
        });
        let needed: Vec<(PlaceId, usize)> = needed.collect();
        let several = sums.iter().find_map(|sum| match &sum.terms[..] {
            [(place, weight)] if *weight == BigInt::from(1) && sum.at_least > BigInt::from(1) => {
                relation.row_of(*place).filter(|row| !relation.allows(*row, *row)).map(|_| *place)
            }
            _ => None,
        });
        if let Some(place) = several {
            return Some(format!("Never two tokens on {}", self.place(place)?));
        }
        let pairs =
            needed.iter().enumerate().flat_map(|(i, one)| needed[i + 1..].iter().map(move |other| (one, other)));
        let ((one, _), (other, _)) = pairs.into_iter().find(|((_, a), (_, b))| !relation.allows(*a, *b))?;
        Some(format!("Never together: {}, {}", self.place(*one)?, self.place(*other)?))
    }

    /// Writes an inequality, with its value at the start if that is the same in all initial markings.
    fn at_most(&self, sum: &AtMost) -> Option<String> {
        let is_negative = sum.terms.iter().all(|(_, weight)| *weight < BigInt::ZERO);
        let sign = if is_negative { -1 } else { 1 };
        let terms = sum.terms.iter().map(|(place, weight)| Some((self.place(*place)?, weight * sign)));
        let left = number_of(terms.collect::<Option<Vec<_>>>()?.into_iter());
        let start = self.start(sum).map(|value| format!(" (at the start it is {})", number(&(value * sign))));
        let (relation, bound) = if is_negative { (">=", -&sum.at_most) } else { ("<=", sum.at_most.clone()) };
        Some(format!("Always {left} {relation} {}{}", number(&bound), start.unwrap_or_default()))
    }

    fn start(&self, sum: &AtMost) -> Option<BigInt> {
        let stepper = Stepper::new(self.problem.system()).filter(|stepper| stepper.open_places().is_empty())?;
        let at = stepper.start(&[]);
        Some(sum.terms.iter().map(|(place, weight)| weight * BigInt::from(at[place.index()].clone())).sum())
    }

    /// Writes the shortest clauses.
    fn clauses(&self, of: &Clausal) -> Vec<String> {
        let mut clauses: Vec<&Vec<i32>> = of.clauses.iter().filter(|clause| clause.len() <= TERMS).collect();
        clauses.sort_by_key(|clause| clause.len());
        let written = clauses.into_iter().filter_map(|clause| self.clause(of, clause));
        written.take(SHOWN).collect()
    }

    fn clause(&self, of: &Clausal, clause: &[i32]) -> Option<String> {
        let bit = |literal: &i32| of.bits.get(literal.unsigned_abs() as usize - 1);
        if clause.iter().all(|literal| *literal < 0) {
            let parts: Option<Vec<String>> = clause.iter().map(|literal| self.bit(bit(literal)?, true)).collect();
            let parts = parts?;
            return Some(match parts.len() {
                1 => format!("Never: {}", parts[0]),
                _ => format!("Never together: {}", parts.join(", ")),
            });
        }
        let parts: Option<Vec<String>> = clause.iter().map(|literal| self.bit(bit(literal)?, *literal > 0)).collect();
        Some(format!("Always {}", parts?.join(" or ")))
    }

    fn bit(&self, bit: &Bit, is_true: bool) -> Option<String> {
        match bit {
            Bit::AtLeast(place, n) if is_true => Some(at_least(&self.place(*place)?, n)),
            Bit::AtLeast(place, n) if *n == BigUint::from(1u32) => Some(format!("{} = 0", self.place(*place)?)),
            Bit::AtLeast(place, n) => Some(format!("{} < {}", self.place(*place)?, number(n))),
            Bit::In(thread, state) => {
                let named = self.local(*thread, *state)?;
                Some(if is_true { named } else { format!("not {named}") })
            }
            Bit::Latch(latch) => {
                let name = kind::of(self.problem).explored().parts().get(latch.index())?.clone();
                Some(format!("{name} = {}", u8::from(is_true)))
            }
            Bit::Node(_) | Bit::Room(_) => None,
        }
    }
}

fn at_least(name: &str, n: &BigUint) -> String {
    format!("{name} >= {}", number(n))
}

/// Returns the numbers of the invariants that the exclusions name.
fn used(of: &InvariantCertificate) -> BTreeSet<usize> {
    let mut used = BTreeSet::new();
    for (_, exclusion) in &of.exclusions {
        let Exclusion::Cases(cases) = exclusion else { continue };
        for lemma in &cases.lemmas {
            if let model::Why::Sum { invariants, .. } = &lemma.why {
                used.extend(invariants.iter().map(|(number, _)| *number as usize));
            }
        }
    }
    used
}
