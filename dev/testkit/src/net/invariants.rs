//! Evaluation of net invariants on a marking, from the documentation of [`model::invariant`].

use crate::Count;
use model::{Bit, Clausal, ConcurrencyRelation, NetInvariant, PlaceId, Range, Vector, Within};
use num_bigint::{BigInt, BigUint};

/// True if the invariant holds in the marking.
pub fn invariant_holds<N: Count>(invariant: &NetInvariant, marking: &[N]) -> bool {
    invariant_holds_within(invariant, marking, None)
}

/// True if the invariant holds in the marking. Literals about free capacity refer to the bound `within`.
pub fn invariant_holds_within<N: Count>(invariant: &NetInvariant, marking: &[N], within: Option<&Within>) -> bool {
    let has = |p: PlaceId, n: &BigUint| marking[p.index()].is_in(&Range::from(n.clone()));
    let is_marked = |p: &PlaceId| has(*p, &1u8.into());
    let covers = |v: &Vector| v.iter().all(|(p, n)| has(*p, n));
    match invariant {
        NetInvariant::PotentiallyMarked(places) => {
            (0..places.len()).map(PlaceId::new).all(|p| places[p.index()] || !is_marked(&p))
        }
        NetInvariant::ConcurrencyRelation(pairs) => pairs_hold(pairs, &has),
        NetInvariant::AtMost(bound) => !N::reaches(marking, &bound.terms, &(&bound.at_most + 1)),
        NetInvariant::SomeMarked(places) => places.iter().any(is_marked),
        NetInvariant::NeverCovered(vectors) => !vectors.iter().any(covers),
        NetInvariant::Clauses(clausal) => clauses_hold(clausal, marking, within),
    }
}

fn pairs_hold(pairs: &ConcurrencyRelation, has: &impl Fn(PlaceId, &BigUint) -> bool) -> bool {
    let places = pairs.places();
    let has = |row: usize, n: u8| has(places[row], &n.into());
    let together = |a: usize, b: usize| if a == b { has(a, 2) } else { has(a, 1) && has(b, 1) };
    (0..places.len()).all(|a| (0..=a).all(|b| pairs.allows(a, b) || !together(a, b)))
}

fn clauses_hold<N: Count>(clausal: &Clausal, marking: &[N], within: Option<&Within>) -> bool {
    let is_true = |bit: &Bit| match bit {
        Bit::AtLeast(p, n) => marking[p.index()].is_in(&Range::from(n.clone())),
        Bit::Room(n) => {
            let within = within.expect("room is what a bound leaves");
            let counted: BigUint = within.counted.iter().map(|p| marking[p.index()].big()).sum();
            BigInt::from(within.most.clone()) - BigInt::from(counted) >= BigInt::from(n.clone())
        }
        Bit::Latch(_) | Bit::Node(_) | Bit::In(..) => panic!("no bit of a net"),
    };
    let holds = |lit: &i32| is_true(&clausal.bits[lit.unsigned_abs() as usize - 1]) == (*lit > 0);
    clausal.clauses.iter().all(|clause| clause.iter().any(holds))
}
