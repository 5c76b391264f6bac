//! Clauses over thresholds `p >= k`, and goals excluded by them. Markings are unbounded, numbers of any size.
//!
//! A variable stands for a place holding at least so many tokens, before ([`Marking`]) or after a step; only thresholds that
//! something asks for have one. `p >= k` implies `p >= l` for l < k, and what earlier facts say of single places decides
//! some. All earlier facts hold in every reachable marking, so they may be said of the marking before a step, of the one
//! after it, and of a goal marking ([`facts`]). The formulas:
//! * *Initial.* Each place holds what its range allows, all within the bound if there is one ([`room`]); some clause is broken.
//! * *Step* ([`step`]). All clauses and earlier facts hold, one transition fires, the clauses' thresholds afterwards follow from
//!   those before, and some clause is broken.
//! * *Excluded* ([`goal`]). All clauses of all facts, the other facts and the goal's formula hold.
//!
//! What is said of sums ([`sums`]) holds of them in every marking. Where a sum or a number is too large something is left out,
//! which only lets the formula have more models.

mod facts;
mod goal;
mod marking;
mod room;
mod step;
mod sums;

use super::Known;
use crate::{Check, Proved};
use kernel::Work;
use kernel::clauses::{Duty, check_clauses};
use kernel::net::Marked;
use kernel::writer::Writer;
use marking::{Leaf, Marking};
use model::cnf::Cnf;
use model::{Bit, Clausal, Derivation, Formula, NetFact};
use num_bigint::BigUint;
use num_traits::{One, Zero};

/// A formula in the making, and what is known.
pub(super) struct Paper<'k, 'a> {
    known: &'k Known<'a>,
    /// The facts before.
    facts: &'k [NetFact],
    writer: Writer,
}

impl<'k, 'a> Paper<'k, 'a> {
    fn new(known: &'k Known<'a>, facts: &'k [NetFact]) -> Self {
        Self { known, facts, writer: Writer::new() }
    }

    /// The most tokens that a leaf ever holds.
    fn most(&self, leaf: Leaf) -> Option<BigUint> {
        let place = match leaf {
            Leaf::Place(place) => place,
            Leaf::Arrivals(_) => return None,
            Leaf::Room => return self.known.within.map(|within| within.most.clone()),
        };
        let most = self.known.most[place as usize].clone();
        match self.known.system {
            Marked::Threads(system) if place < system.shared() => {
                Some(most.map_or(BigUint::one(), |most| most.min(BigUint::one())))
            }
            _ => most,
        }
    }
}

/// Checks that the clauses, which are the fact after `facts`, hold in all reachable markings.
pub(super) fn check(
    known: &Known<'_>,
    facts: &[NetFact],
    clausal: &Clausal,
    duty: &mut Duty<'_>,
    work: &mut Work<'_>,
) -> Check<()> {
    let places = known.rules.initial.len();
    let is_known = |bit: &Bit| match bit {
        Bit::AtLeast(p, tokens) => p.index() < places && !tokens.is_zero(),
        Bit::Room(tokens) => known.within.is_some() && !tokens.is_zero(),
        Bit::Latch(_) | Bit::In(..) => false,
    };
    check_clauses(clausal, is_known, work)?;
    let number = facts.len();
    duty.refuted(Proved::Initial(number), initial(known, clausal, work)?, clausal.initial.as_ref(), work)?;
    let step = step::formula(Paper::new(known, facts), clausal, work)?;
    duty.refuted(Proved::Step(number), step, clausal.step.as_ref(), work)
}

/// Checks that no marking satisfies the formula and all facts.
pub(super) fn exclude(
    known: &Known<'_>,
    facts: &[NetFact],
    (number, formula, derivation): (usize, &Formula, Option<&Derivation>),
    duty: &mut Duty<'_>,
    work: &mut Work<'_>,
) -> Check<()> {
    let cnf = goal::formula(Paper::new(known, facts), formula, work)?;
    duty.refuted(Proved::Excluded(number), cnf, derivation, work)
}

/// What the bits ask: leaf and tokens.
fn thresholds(clausal: &Clausal) -> Vec<(Leaf, &BigUint)> {
    let of = |bit| match bit {
        &Bit::AtLeast(place, ref tokens) => Some((Leaf::Place(place.0), tokens)),
        Bit::Room(tokens) => Some((Leaf::Room, tokens)),
        Bit::Latch(_) | Bit::In(..) => None,
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

fn initial(known: &Known<'_>, clausal: &Clausal, work: &mut Work<'_>) -> Check<Cnf> {
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
