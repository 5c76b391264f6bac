//! What facts say of a marking, from the documentation of [`model::invariant`].

use crate::Count;
use model::{Bit, Clausal, NetFact, Pairs, PlaceId, Range, Vector, Within};
use num_bigint::{BigInt, BigUint};

/// Is the fact true of the marking?
pub fn fact_holds<N: Count>(fact: &NetFact, marking: &[N]) -> bool {
    fact_holds_within(fact, marking, None)
}

/// The same, of runs within a bound.
pub fn fact_holds_within<N: Count>(fact: &NetFact, marking: &[N], within: Option<&Within>) -> bool {
    let has = |p: PlaceId, n: &BigUint| marking[p.index()].is_in(&Range::from(n.clone()));
    let is_marked = |p: &PlaceId| has(*p, &1u8.into());
    let covers = |v: &Vector| v.iter().all(|(p, n)| has(*p, n));
    match fact {
        NetFact::Markable(places) => (0..places.len()).map(PlaceId::new).all(|p| places[p.index()] || !is_marked(&p)),
        NetFact::Pairs(pairs) => pairs_hold(pairs, &has),
        NetFact::AtMost(bound) => !N::reaches(marking, &bound.terms, &(&bound.at_most + 1)),
        NetFact::SomeMarked(places) => places.iter().any(is_marked),
        NetFact::NeverCovered(vectors) => !vectors.iter().any(covers),
        NetFact::Clauses(clausal) => clauses_hold(clausal, marking, within),
    }
}

fn pairs_hold(pairs: &Pairs, has: &impl Fn(PlaceId, &BigUint) -> bool) -> bool {
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
        Bit::Latch(_) | Bit::In(..) => panic!("no bit of a net"),
    };
    let holds = |lit: &i32| is_true(&clausal.bits[lit.unsigned_abs() as usize - 1]) == (*lit > 0);
    clausal.clauses.iter().all(|clause| clause.iter().any(holds))
}
