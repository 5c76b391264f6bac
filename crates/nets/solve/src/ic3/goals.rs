//! Goals as signals over thresholds.
//!
//! An inequality over one place is a bit. An inequality over several places is a unary sum. If its weights have
//! both signs, the places of one sign must have an upper limit; the sum then counts the difference between the
//! limit and the tokens.

use super::sums::{self, Bits, Term};
use super::thresholds::Thresholds;
use model::{Formula, Linear, Node, Signal};
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};

/// Returns the signal that is true in the markings of `formula`. `None` if some inequality has no such signal,
/// because limits are missing or numbers are too large.
pub(super) fn signal(bits: &mut Thresholds, formula: &Formula) -> Option<Signal> {
    let mut of: Vec<Signal> = Vec::with_capacity(formula.nodes().len());
    for node in formula.nodes() {
        let signals = |parts: &[model::NodeId]| parts.iter().map(|p| of[p.index()]).collect::<Vec<Signal>>();
        let signal = match node {
            Node::All(parts) => bits.builder().all(&signals(parts)),
            Node::Any(parts) => bits.builder().any(&signals(parts)),
            Node::AtLeast(sum) => linear(bits, sum)?,
        };
        of.push(signal);
    }
    (!bits.is_too_large()).then(|| of[of.len() - 1])
}

/// The places of inequalities with weights of both signs. The places of one sign need upper limits.
pub(super) fn mixed(formula: &Formula) -> Vec<u32> {
    let mut places: Vec<u32> = Vec::new();
    for node in formula.nodes() {
        let Node::AtLeast(sum) = node else { continue };
        if sum.terms.iter().any(|t| t.1.is_positive()) && sum.terms.iter().any(|t| t.1.is_negative()) {
            places.extend(sum.terms.iter().map(|t| t.0.0));
        }
    }
    places.sort_unstable();
    places.dedup();
    places
}

fn linear(bits: &mut Thresholds, sum: &Linear) -> Option<Signal> {
    let positive: Option<Vec<Term>> = sum.terms.iter().filter(|t| t.1.is_positive()).map(term).collect();
    let negative: Option<Vec<Term>> = sum.terms.iter().filter(|t| t.1.is_negative()).map(term).collect();
    let (mut positive, mut negative) = (positive?, negative?);
    if negative.is_empty() {
        return Some(at_least(bits, &positive, count(&sum.at_least)?));
    }
    // The inequality holds iff the negative part is not at least `left`.
    let left = BigInt::from(1) - &sum.at_least;
    if positive.is_empty() {
        return Some(!at_least(bits, &negative, count(&left)?));
    }
    if let Some(bound) = complement(bits, &mut negative) {
        positive.append(&mut negative);
        return Some(at_least(bits, &positive, count(&(&sum.at_least + bound))?));
    }
    let bound = complement(bits, &mut positive)?;
    negative.append(&mut positive);
    Some(!at_least(bits, &negative, count(&(left + bound))?))
}

fn at_least(bits: &mut Thresholds, terms: &[Term], n: u64) -> Signal {
    sums::at_least(bits, terms, n)
}

fn term((place, weight): &(model::PlaceId, BigInt)) -> Option<Term> {
    Some(Term { place: place.0, weight: weight.magnitude().to_u64()?, complement: None })
}

/// The least number that a sum must reach. 0 if the number is negative.
fn count(n: &BigInt) -> Option<u64> {
    if n.is_negative() || n.is_zero() { Some(0) } else { n.to_u64() }
}

/// Counts the differences to the places' upper limits instead of the tokens. Returns the weighted sum of the
/// limits.
fn complement(bits: &Thresholds, terms: &mut [Term]) -> Option<BigInt> {
    let mut bound = BigInt::zero();
    for term in terms {
        let end = Some(bits.end(term.place)).filter(|end| *end < u64::MAX)?;
        bound += BigInt::from(end) * term.weight;
        term.complement = Some(end);
    }
    Some(bound)
}
