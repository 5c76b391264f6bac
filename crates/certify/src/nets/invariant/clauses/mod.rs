//! Clauses over thresholds `p >= k`, and goals excluded by them. Markings are unbounded, and numbers have any
//! size.
//!
//! A variable says that a place holds at least k tokens, before a step ([`Marking`]) or after it. Only
//! thresholds that are needed have a variable. `p >= k` implies `p >= l` for l < k, and earlier invariants
//! about single places decide some thresholds. All earlier invariants hold in every reachable marking. So they
//! may be assumed of the marking before a step, of the one after it, and of a goal marking ([`invariants`]).
//! The obligations are these formulas:
//! * *Initial.* Each place holds a number of tokens that its range allows. If there is a bound, the marking is
//!   within it ([`room`]). Some clause is broken.
//! * *Step* ([`step`]). All clauses and earlier invariants hold, one transition fires, the clauses' thresholds
//!   after the step follow from the thresholds before it, and some clause is broken.
//! * *Excluded* ([`goal`]). All clauses of all invariants, the other invariants and the goal's formula hold.
//!
//! The clauses about sums ([`sums`]) hold in every marking. Where a sum or a number is too large, clauses are
//! left out, so the formula only has more models.

mod goal;
mod invariants;
mod marking;
mod paper;
mod room;
mod step;
mod sums;

use super::InvariantContext;
use crate::{Check, Proved};
use kernel::Work;
use kernel::clauses::{Obligations, check_clauses};
use marking::Marking;
use model::cnf::Cnf;
use model::{Bit, Clausal, Derivation, Formula, NetInvariant};
use num_bigint::BigUint;
use num_traits::Zero;
use paper::Leaf;
use paper::Paper;

/// Checks that the clauses hold in all reachable markings. `invariants` are the earlier invariants.
pub(super) fn check(
    known: &InvariantContext<'_>,
    invariants: &[NetInvariant],
    clausal: &Clausal,
    obligation: &mut Obligations<'_>,
    work: &mut Work<'_>,
) -> Check<()> {
    let places = known.rules.initial.len();
    let is_known = |bit: &Bit| match bit {
        Bit::AtLeast(p, tokens) => p.index() < places && !tokens.is_zero(),
        Bit::Room(tokens) => known.within.is_some() && !tokens.is_zero(),
        Bit::Latch(_) | Bit::Node(_) | Bit::In(..) => false,
    };
    check_clauses(clausal, is_known, work)?;
    let number = invariants.len();
    obligation.refuted(Proved::Initial(number), initial(known, clausal, work)?, clausal.initial.as_ref(), work)?;
    let step = step::formula(Paper::new(known, invariants), clausal, work)?;
    obligation.refuted(Proved::Step(number), step, clausal.step.as_ref(), work)
}

/// Checks that no marking satisfies the formula and all invariants.
pub(super) fn exclude(
    known: &InvariantContext<'_>,
    invariants: &[NetInvariant],
    (number, formula, derivation): (usize, &Formula, Option<&Derivation>),
    obligation: &mut Obligations<'_>,
    work: &mut Work<'_>,
) -> Check<()> {
    let cnf = goal::formula(Paper::new(known, invariants), formula, work)?;
    obligation.refuted(Proved::Excluded(number), cnf, derivation, work)
}

/// The thresholds of the clauses' bits: leaf and number of tokens.
fn thresholds(clausal: &Clausal) -> Vec<(Leaf, &BigUint)> {
    let of = |bit| match bit {
        &Bit::AtLeast(place, ref tokens) => Some((Leaf::Place(place.0), tokens)),
        Bit::Room(tokens) => Some((Leaf::Room, tokens)),
        Bit::Latch(_) | Bit::Node(_) | Bit::In(..) => None,
    };
    clausal.bits.iter().filter_map(of).collect()
}

/// The literals of the clauses' bits.
fn literals(
    clausal: &Clausal,
    marking: &mut Marking,
    paper: &mut Paper<'_, '_>,
    work: &mut Work<'_>,
) -> Check<Vec<i32>> {
    let bits = thresholds(clausal).into_iter();
    bits.map(|(leaf, tokens)| marking.literal(leaf, tokens, paper, work)).collect()
}

fn initial(known: &InvariantContext<'_>, clausal: &Clausal, work: &mut Work<'_>) -> Check<Cnf> {
    let mut paper = Paper::new(known, &[]);
    let mut marking = Marking::default();
    let bits = literals(clausal, &mut marking, &mut paper, work)?;
    if let Some(within) = known.within {
        room::initial(within, &mut marking, &mut paper, work)?;
    }
    marking.initial(&mut paper, work)?;
    marking.order(&mut paper, work)?;
    paper.writer.some_is_broken(&clausal.clauses, |bit| bits[bit], work)?;
    Ok(paper.writer.finish())
}
