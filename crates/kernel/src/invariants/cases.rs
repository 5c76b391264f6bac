//! Excludes goals by cases: a propositional refutation of the formula. The lemmas of the refutation say which
//! inequalities do not hold together.
//!
//! `model::Cases` defines the variables. Let m be a marking that satisfies the invariants and the formula. Give
//! each variable of a node the truth value of the node in m, and the two variables of a split the values of its
//! inequality and of the negation.
//!
//! 1. A lemma of kind *sum* holds in m. Proof: suppose that all its inequalities hold in m. Then their sum with
//!    multipliers that are not negative holds too. The linear invariants, times multipliers that are not
//!    negative, may be subtracted from this sum. The result is `sum of w(p) * m(p) >= k`. If no potentially
//!    marked place has a positive weight, the left side is at most 0, so k > 0 is a contradiction. (The
//!    invariant "at least one place of a list is marked" is linear too: `-(sum of the places) <= -1`.)
//! 2. A lemma of kind *excluded* holds in m. Proof: suppose that all its inequalities hold in m. Consider each
//!    inequality to which only one place contributes, because its other places have negative weights or are not
//!    potentially marked. The inequality needs a least number of tokens on this place, and m has these tokens.
//!    The invariants exclude all markings with these tokens.
//! 3. All initial clauses (the clauses that the refutation starts from) hold. Proof: the root holds because the
//!    formula holds. The clauses for a node and its children hold by the meaning of the nodes. One of the two
//!    variables of a split is true. The lemmas hold by claims 1 and 2.
//!
//! 4. No marking satisfies both the invariants and the formula. Proof: what follows from the initial clauses by
//!    reverse unit propagation holds too, and the refutation ends in a conflict.

use super::CheckedInvariants;
use super::firing::saturated;
use super::minimal::{helping, least_times};
use super::units::Units;
use crate::work::Work;
use crate::{Check, reject};
use model::{CaseLemma, Cases, Formula, Linear, NetInvariant, Node, NodeId, PlaceId, Why};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Signed, Zero};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Checks that no marking satisfies both the formula and all invariants.
pub(super) fn check(
    known: &CheckedInvariants<'_>,
    invariants: &[NetInvariant],
    formula: &Formula,
    cases: &Cases,
    work: &mut Work<'_>,
) -> Check<()> {
    debug_assert!(
        invariants.len() >= known.relations.len() + known.bounds.len() + known.bases.len(),
        "these are known"
    );
    let atoms = Atoms { formula, splits: &cases.splits };
    let variables = atoms.variables();
    if variables > i32::MAX as usize {
        return reject("there are too many inequalities for the variables of a proof");
    }
    let places = known.rules.initial.len();
    for split in &cases.splits {
        work.spend(1 + split.terms.len() as u64)?;
        if split.terms.iter().any(|(p, _)| p.index() >= places) {
            return reject("a split names places that the system does not have");
        }
    }
    for (number, lemma) in cases.lemmas.iter().enumerate() {
        if !holds(known, invariants, &atoms, lemma, work)? {
            return reject(format!("lemma number {} does not hold", number + 1));
        }
    }
    let mut units = Units::new(variables, work)?;
    for clause in clauses(formula, cases, work)? {
        units.add(clause, work)?;
    }
    for (number, step) in cases.steps.iter().enumerate() {
        if step.iter().any(|l| *l == 0 || l.unsigned_abs() as usize > variables) {
            return reject(format!("step number {} names a variable that does not exist", number + 1));
        }
        if !units.imply(step, work)? {
            return reject(format!("step number {} does not follow", number + 1));
        }
        units.add(step.clone(), work)?;
    }
    if units.imply(&[], work)? { Ok(()) } else { reject("the cases are not refuted") }
}

/// The inequalities, indexed by variable.
struct Atoms<'a> {
    formula: &'a Formula,
    splits: &'a [Linear],
}

impl<'a> Atoms<'a> {
    fn variables(&self) -> usize {
        self.formula.nodes().len().saturating_add(self.splits.len().saturating_mul(2))
    }

    fn get(&self, variable: u32) -> Option<Cow<'a, Linear>> {
        let index = (variable as usize).checked_sub(1)?;
        let nodes = self.formula.nodes();
        if let Some(node) = nodes.get(index) {
            return if let Node::AtLeast(sum) = node { Some(Cow::Borrowed(sum)) } else { None };
        }
        let split = self.splits.get((index - nodes.len()) / 2)?;
        Some(match (index - nodes.len()) % 2 {
            0 => Cow::Borrowed(split),
            // The negation of "at least k" is "at most k - 1".
            _ => Cow::Owned(Linear {
                terms: split.terms.iter().map(|(p, c)| (*p, -c)).collect(),
                at_least: 1 - &split.at_least,
            }),
        })
    }
}

fn clauses(formula: &Formula, cases: &Cases, work: &mut Work<'_>) -> Check<Vec<Vec<i32>>> {
    let variable = |node: &NodeId| node.index() as i32 + 1;
    let nodes = formula.nodes().len() as i32;
    let mut clauses = vec![vec![nodes]];
    for (number, node) in formula.nodes().iter().enumerate() {
        let own = number as i32 + 1;
        match node {
            Node::AtLeast(_) => {}
            Node::All(parts) => {
                work.spend(parts.len() as u64)?;
                clauses.extend(parts.iter().map(|part| vec![-own, variable(part)]));
            }
            Node::Any(parts) => {
                work.spend(parts.len() as u64)?;
                clauses.push(std::iter::once(-own).chain(parts.iter().map(variable)).collect());
            }
        }
    }
    for split in 0..cases.splits.len() as i32 {
        clauses.push(vec![nodes + 1 + 2 * split, nodes + 2 + 2 * split]);
    }
    for lemma in &cases.lemmas {
        work.spend(1 + lemma.atoms.len() as u64)?;
        // Each atom is the variable of an inequality; this has been checked.
        clauses.push(lemma.atoms.iter().map(|atom| -(*atom as i32)).collect());
    }
    Ok(clauses)
}

/// Returns true if no marking that satisfies the invariants satisfies all inequalities of the lemma.
fn holds(
    known: &CheckedInvariants<'_>,
    invariants: &[NetInvariant],
    atoms: &Atoms<'_>,
    lemma: &CaseLemma,
    work: &mut Work<'_>,
) -> Check<bool> {
    work.spend(1 + lemma.atoms.len() as u64)?;
    let sums: Option<Vec<Cow<'_, Linear>>> = lemma.atoms.iter().map(|atom| atoms.get(*atom)).collect();
    let Some(sums) = sums else { return reject("a lemma names an atom that is not an inequality") };
    match &lemma.why {
        Why::Excluded => {
            let mut least: BTreeMap<u32, BigUint> = BTreeMap::new();
            for sum in sums.iter().filter(|sum| sum.at_least.is_positive()) {
                let mut terms = helping(known, sum);
                match (terms.next(), terms.next()) {
                    (Some((place, weight)), None) => {
                        let tokens = least_times(&sum.at_least, weight).magnitude().clone();
                        let old = least.entry(place.0).or_default();
                        *old = tokens.max(std::mem::take(old));
                    }
                    // The inequality needs tokens, but no place contributes to it. So it never holds.
                    (None, _) => return Ok(true),
                    (Some(_), Some(_)) => {}
                }
            }
            let vector: Vec<(u32, u64)> = least.iter().map(|(p, n)| (*p, saturated(n))).collect();
            known.excludes(&vector, work)
        }
        Why::Sum { multipliers, invariants: used } => {
            if multipliers.len() != sums.len() {
                return reject("a lemma does not have one multiplier for each inequality");
            }
            let mut total = Total::default();
            for (sum, multiplier) in sums.iter().zip(multipliers) {
                total.add(&sum.terms, &sum.at_least, &BigInt::from(multiplier.clone()), work)?;
            }
            for (number, multiplier) in used {
                let less = -BigInt::from(multiplier.clone());
                match invariants.get(*number as usize) {
                    Some(NetInvariant::AtMost(bound)) => total.add(&bound.terms, &bound.at_most, &less, work)?,
                    Some(NetInvariant::SomeMarked(places)) => {
                        let one: Vec<(PlaceId, BigInt)> = places.iter().map(|p| (*p, -BigInt::one())).collect();
                        total.add(&one, &-BigInt::one(), &less, work)?;
                    }
                    _ => return reject("a lemma names an invariant that is not linear"),
                }
            }
            let gains =
                |(place, weight): (&PlaceId, &BigInt)| weight.is_positive() && known.potentially_marked[place.index()];
            Ok(total.bound > BigInt::zero() && !total.weights.iter().any(gains))
        }
    }
}

/// An inequality of the form `sum of weights >= bound`.
#[derive(Default)]
struct Total {
    weights: BTreeMap<PlaceId, BigInt>,
    bound: BigInt,
}

impl Total {
    fn add(&mut self, terms: &[(PlaceId, BigInt)], bound: &BigInt, times: &BigInt, work: &mut Work<'_>) -> Check<()> {
        work.spend(1 + terms.len() as u64)?;
        for (place, weight) in terms {
            *self.weights.entry(*place).or_default() += weight * times;
        }
        self.bound += bound * times;
        Ok(())
    }
}
