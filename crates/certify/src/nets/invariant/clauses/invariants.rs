//! Adds the earlier invariants to a formula, as clauses about a marking. They hold in every reachable marking,
//! so before and after a step.
//!
//! No clause has to be added, because with fewer clauses the formula only has more models. So two things are
//! left out: invariants about places that the formula does not mention, and invariants that take too many
//! clauses. (Potentially marked places, and bounds of single places, are handled in
//! [`super::Marking::literal`].) The clauses are:
//! * *Concurrency relation*: not both of two places that are never marked together; no two tokens on a place
//!   that never has two.
//! * *Never covered*: not all thresholds of a vector.
//! * *Bounds* without negative weights: the weighted sum of any subset of their places is at most the bound.
//!   With negative weights only: the negated sum is at least the negated bound.
//! * *Traps*: at least one of the places is marked.
//! * *Clauses*: as they are.
//! * For a thread-transition system, by its definition: exactly one shared state.

use super::marking::Marking;
use super::paper::Leaf;
use super::paper::Paper;
use super::thresholds;
use crate::Check;
use kernel::Work;
use kernel::net::Marked;
use model::{AtMost, Clausal, ConcurrencyRelation, NetInvariant, PlaceId, Vector};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Signed};

/// Largest number of places of a trap or a lower bound for which new thresholds are created.
const FEW: usize = 64;

/// Largest lower bound for which clauses are added.
const LOW: u8 = 8;

/// Largest number of clauses for one concurrency relation.
const PAIRS: usize = 1 << 20;

impl Marking {
    /// Adds the invariants about the marking's places. With `new`, thresholds may be created for them.
    pub(super) fn know(&mut self, new: bool, paper: &mut Paper<'_, '_>, work: &mut Work<'_>) -> Check<()> {
        let invariants = paper.invariants;
        if new {
            // Invariants that create thresholds come first, so that the others mention these thresholds too.
            for invariant in invariants {
                match invariant {
                    NetInvariant::SomeMarked(places) => self.some_marked(places, paper, work)?,
                    NetInvariant::AtMost(bound) => self.low(bound, paper, work)?,
                    _ => {}
                }
            }
        }
        for invariant in invariants {
            match invariant {
                NetInvariant::NeverCovered(vectors) => {
                    for vector in vectors {
                        self.not_covered(vector, new, paper, work)?;
                    }
                }
                NetInvariant::Clauses(clausal) => self.clauses(clausal, new, paper, work)?,
                _ => {}
            }
        }
        self.one_shared(new, paper, work)?;
        for invariant in invariants {
            match invariant {
                NetInvariant::ConcurrencyRelation(pairs) => self.pairs(pairs, paper, work)?,
                NetInvariant::AtMost(bound) => self.high(bound, paper, work)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn some_marked(&mut self, places: &[PlaceId], paper: &mut Paper<'_, '_>, work: &mut Work<'_>) -> Check<()> {
        work.spend(1 + places.len() as u64)?;
        if places.len() > FEW || !places.iter().any(|p| self.has(Leaf::Place(p.0))) {
            return Ok(());
        }
        let one = BigUint::one();
        let marked = places.iter().map(|p| self.literal(Leaf::Place(p.0), &one, paper, work));
        let clause = marked.collect::<Check<Vec<i32>>>()?;
        paper.writer.add(clause, work)
    }

    /// Adds a bound that has negative weights only.
    fn low(&mut self, bound: &AtMost, paper: &mut Paper<'_, '_>, work: &mut Work<'_>) -> Check<()> {
        work.spend(1 + bound.terms.len() as u64)?;
        let small = bound.terms.len() <= FEW && -&bound.at_most <= BigInt::from(LOW);
        let touches = |(p, _): &(PlaceId, BigInt)| self.has(Leaf::Place(p.0));
        if !small || bound.terms.iter().any(|(_, w)| w.is_positive()) || !bound.terms.iter().any(touches) {
            return Ok(());
        }
        let terms: Vec<(PlaceId, BigInt)> = bound.terms.iter().map(|(p, w)| (*p, -w)).collect();
        let truth = paper.writer.truth(work)?;
        self.at_least(truth, &terms, &-&bound.at_most, paper, work)
    }

    /// Adds a bound that has no negative weights, without the places that the formula does not mention.
    fn high(&mut self, bound: &AtMost, paper: &mut Paper<'_, '_>, work: &mut Work<'_>) -> Check<()> {
        work.spend(1 + bound.terms.len() as u64)?;
        if bound.terms.iter().any(|(_, w)| w.is_negative()) {
            return Ok(());
        }
        // Without negative weights the sum is not negative. The bound holds initially, so it is not negative
        // either.
        let Some(most) = bound.at_most.to_biguint() else { return Ok(()) };
        let here = bound.terms.iter().filter(|(p, _)| self.has(Leaf::Place(p.0)));
        let terms: Vec<(u32, BigUint)> = here.map(|(p, w)| (p.0, w.magnitude().clone())).collect();
        self.at_most(&terms, &most, paper, work)
    }

    fn not_covered(&mut self, vector: &Vector, new: bool, paper: &mut Paper<'_, '_>, work: &mut Work<'_>) -> Check<()> {
        work.spend(1 + vector.len() as u64)?;
        if !vector.iter().all(|(p, _)| self.has(Leaf::Place(p.0))) {
            return Ok(());
        }
        let mut clause = Vec::with_capacity(vector.len());
        for (place, tokens) in vector {
            let leaf = Leaf::Place(place.0);
            let literal =
                if new { Some(self.literal(leaf, tokens, paper, work)?) } else { self.implying(leaf, tokens) };
            // Without such a literal, no threshold of the formula implies this many tokens, so the vector says
            // nothing.
            let Some(literal) = literal else { return Ok(()) };
            clause.push(-literal);
        }
        paper.writer.add(clause, work)
    }

    fn clauses(&mut self, clausal: &Clausal, new: bool, paper: &mut Paper<'_, '_>, work: &mut Work<'_>) -> Check<()> {
        let bits = thresholds(clausal);
        for clause in &clausal.clauses {
            work.spend(1 + clause.len() as u64)?;
            let mut weaker = Vec::with_capacity(clause.len());
            for &l in clause {
                let (leaf, tokens) = bits[l.unsigned_abs() as usize - 1];
                let literal = match (self.has(leaf), new, l > 0) {
                    (false, ..) => None,
                    (true, true, _) => Some(self.literal(leaf, tokens, paper, work)?),
                    (true, false, true) => self.implied(leaf, tokens),
                    (true, false, false) => self.implying(leaf, tokens),
                };
                let Some(literal) = literal else { break };
                weaker.push(if l > 0 { literal } else { -literal });
            }
            if weaker.len() == clause.len() {
                paper.writer.add(weaker, work)?;
            }
        }
        Ok(())
    }

    fn pairs(&mut self, pairs: &ConcurrencyRelation, paper: &mut Paper<'_, '_>, work: &mut Work<'_>) -> Check<()> {
        // For each row: the literal that its place is marked, or a literal from which this follows.
        let mut rows: Vec<(usize, i32)> = Vec::new();
        let two = BigUint::from(2u8);
        for place in self.places() {
            work.spend(2)?;
            let Some(row) = pairs.row_of(PlaceId(place)) else { continue };
            let leaf = Leaf::Place(place);
            if let (false, Some(several)) = (pairs.allows(row, row), self.implying(leaf, &two)) {
                paper.writer.add([-several], work)?;
            }
            rows.extend(self.implying(leaf, &BigUint::one()).map(|literal| (row, literal)));
        }
        let mut said = 0;
        for (i, (a, first)) in rows.iter().enumerate() {
            work.spend(1 + i as u64)?;
            for (b, second) in rows[..i].iter().filter(|(b, _)| !pairs.allows(*a, *b)) {
                debug_assert!(a != b);
                said += 1;
                if said > PAIRS {
                    return Ok(());
                }
                paper.writer.add([-first, -second], work)?;
            }
        }
        Ok(())
    }

    /// Adds that a thread-transition system is in exactly one shared state.
    fn one_shared(&mut self, new: bool, paper: &mut Paper<'_, '_>, work: &mut Work<'_>) -> Check<()> {
        let Marked::Threads(system) = paper.known.system else { return Ok(()) };
        let one = BigUint::one();
        let mut marked = Vec::new();
        for place in 0..system.shared() {
            work.spend(1)?;
            let leaf = Leaf::Place(place);
            if new {
                marked.push(self.literal(leaf, &one, paper, work)?);
            } else {
                marked.extend(self.implying(leaf, &one));
            }
        }
        paper.writer.at_most_one(&marked, work)?;
        if new { paper.writer.add(marked, work) } else { Ok(()) }
    }
}
