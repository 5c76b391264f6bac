//! Tests invariants of nets against the definition, on all markings with few tokens. The numbers of the
//! generator are so small that larger markings behave alike.

use super::nets::{Tokens, fire, first, in_range, initial, random_net};
use super::{Rng, kernel, rejected};
use crate::Check;
use model::{
    AtMost, CaseLemma, Cases, Certificate, Claim, ConcurrencyRelation, Effect, Exclusion, Formula, Guard,
    InvariantCertificate, Linear, Net, NetInvariant, Place, PlaceId, Problem, Range, Transition, Vector, Why,
};
use num_bigint::{BigInt, BigUint};
use std::sync::Arc;

/// Greatest number of tokens that is tried on each place.
const MOST: u32 = 8;

fn all_markings(places: usize) -> Vec<Tokens> {
    let more =
        |all: Vec<Tokens>| (0..=MOST).flat_map(move |n| all.clone().into_iter().map(move |m| [&m[..], &[n]].concat()));
    (0..places).fold(vec![Vec::new()], |all, _| more(all).collect())
}

fn vector(tokens: &[u32]) -> Vector {
    let entries = tokens.iter().enumerate().filter(|(_, n)| **n > 0);
    entries.map(|(p, n)| (PlaceId::new(p), BigUint::from(*n))).collect()
}

fn covers(m: &[u32], v: &[u32]) -> bool {
    m.iter().zip(v).all(|(m, v)| m >= v)
}

fn claim(net: &Net, invariants: Vec<NetInvariant>, goal: Formula, why: Exclusion) -> Check<crate::Checked> {
    let problem = Problem::of_net(Arc::new(net.clone())).never("f", goal).expect("it fits");
    let invariant = InvariantCertificate { invariants, exclusions: vec![(first(), why)] };
    kernel(&problem, &Claim::Safe { goals: vec![first()], certificate: Certificate::Invariant(Box::new(invariant)) })
}

/// Returns true if the property holds initially and after each step from a marking that has it.
fn is_kept(net: &Net, holds: impl Fn(&[u32]) -> bool) -> bool {
    let after = |m: &Tokens| net.transitions().iter().filter_map(|t| fire(t, m)).all(|next| holds(&next));
    initial(net).iter().all(|m| holds(m)) && all_markings(net.places().len()).iter().filter(|m| holds(m)).all(after)
}

fn some_tokens(rng: &mut Rng, places: usize) -> Tokens {
    let mut tokens: Tokens = (0..places).map(|_| rng.below(3) as u32).collect();
    if tokens.iter().all(|n| *n == 0) {
        tokens[0] = 1;
    }
    tokens
}

#[test]
fn vectors_are_never_covered_iff_each_step_keeps_them_so() {
    let mut rng = Rng(31);
    let (mut accepted, mut kept) = (0, 0);
    for round in 0..4000 {
        let places = 1 + rng.below(3);
        let net = random_net(&mut rng, places);
        let vectors: Vec<Tokens> = (0..1 + rng.below(3)).map(|_| some_tokens(&mut rng, places)).collect();
        let good = is_kept(&net, |m| !vectors.iter().any(|v| covers(m, v)));
        let goal = some_tokens(&mut rng, places);
        let excluded = vectors.iter().any(|v| covers(&goal, v));
        let invariant = NetInvariant::NeverCovered(vectors.iter().map(|v| vector(v)).collect());
        let got = claim(&net, vec![invariant], Formula::cover(&vector(&goal)), Exclusion::Minimal);
        assert_eq!(got.is_ok(), good && excluded, "round {round}: {got:?}\n{net:#?}\n{vectors:?} {goal:?}");
        kept += usize::from(good);
        accepted += usize::from(got.is_ok());
    }
    assert!(accepted > 200 && kept > accepted, "the generator is too weak: {accepted} {kept}");
}

/// Returns the greatest value of the sum where the transition is enabled.
fn greatest(t: &Transition, all: &[Tokens], sum: impl Fn(&[u32], &[u32]) -> i64) -> i64 {
    all.iter().filter_map(|m| fire(t, m).map(|next| sum(m, &next))).max().unwrap_or(i64::MIN)
}

#[test]
fn bounds_hold_iff_no_transition_breaks_them_by_itself() {
    let mut rng = Rng(32);
    let (mut accepted, mut kept) = (0, 0);
    for round in 0..3000 {
        let places = 1 + rng.below(3);
        let net = random_net(&mut rng, places);
        let weights: Vec<i64> = (0..places).map(|_| rng.below(4) as i64 - 1).collect();
        let bound = rng.below(6) as i64 - 1;
        let value = |m: &[u32]| m.iter().zip(&weights).map(|(n, w)| i64::from(*n) * w).sum::<i64>();
        let all = all_markings(places);
        let keeps = |t: &Transition| {
            greatest(t, &all, |m, next| value(next) - value(m)) <= 0
                || greatest(t, &all, |_, next| value(next)) <= bound
        };
        let good = initial(&net).iter().all(|m| value(m) <= bound) && net.transitions().iter().all(keeps);
        let goal = some_tokens(&mut rng, places);
        let excluded = weights.iter().all(|w| *w >= 0) && value(&goal) > bound;
        let terms = weights.iter().enumerate().filter(|(_, w)| **w != 0);
        let terms = terms.map(|(p, w)| (PlaceId::new(p), BigInt::from(*w))).collect();
        let invariant = NetInvariant::AtMost(AtMost { terms, at_most: bound.into() });
        let got = claim(&net, vec![invariant], Formula::cover(&vector(&goal)), Exclusion::Minimal);
        assert_eq!(got.is_ok(), good && excluded, "round {round}: {got:?}\n{net:#?}\n{weights:?} <= {bound}, {goal:?}");
        kept += usize::from(good);
        accepted += usize::from(got.is_ok());
    }
    assert!(accepted > 50 && kept > accepted, "the generator is too weak: {accepted} {kept}");
}

/// Tests only nets in which every place may be marked initially, because no place is then known to be empty.
#[test]
fn pairs_are_kept_apart_iff_each_step_does() {
    let mut rng = Rng(33);
    let (mut accepted, mut kept) = (0, 0);
    for round in 0..40_000 {
        let places = 1 + rng.below(3);
        let net = random_net(&mut rng, places);
        if !net.places().iter().all(|p| (1..4).any(|n| in_range(&p.initial, n))) {
            continue;
        }
        let mut pairs = ConcurrencyRelation::none((0..places).map(PlaceId::new).collect());
        for a in 0..places {
            (0..=a).filter(|_| !rng.one_in(4)).for_each(|b| _ = pairs.allow(a, b));
        }
        let allows = |m: &[u32]| {
            let marked: Vec<usize> = (0..places).filter(|&p| m[p] > 0).collect();
            marked.iter().all(|&a| {
                marked.iter().all(|&b| if a == b { m[a] < 2 || pairs.allows(a, a) } else { pairs.allows(a, b) })
            })
        };
        let good = is_kept(&net, allows);
        let goal = some_tokens(&mut rng, places);
        let (excluded, goal) = (!allows(&goal), Formula::cover(&vector(&goal)));
        let got = claim(&net, vec![NetInvariant::ConcurrencyRelation(pairs.clone())], goal, Exclusion::Minimal);
        assert_eq!(got.is_ok(), good && excluded, "round {round}: {got:?}\n{net:#?}\n{pairs:?}");
        kept += usize::from(good);
        accepted += usize::from(got.is_ok());
    }
    assert!(accepted > 50 && kept > accepted, "the generator is too weak: {accepted} {kept}");
}

/// The invariant "one place of a list is marked" refutes, as a sum, the goal "all these places are empty".
#[test]
fn traps_stay_marked_iff_each_step_leaves_a_token() {
    let mut rng = Rng(34);
    let (mut accepted, mut kept) = (0, 0);
    for round in 0..3000 {
        let places = 1 + rng.below(3);
        let net = random_net(&mut rng, places);
        let mut trap: Vec<usize> = (0..places).filter(|_| rng.one_in(2)).collect();
        if trap.is_empty() {
            trap.push(0);
        }
        let good = is_kept(&net, |m| trap.iter().any(|&p| m[p] > 0));
        let terms = trap.iter().map(|p| (PlaceId::new(*p), BigInt::from(-1)));
        let empty = Linear { terms: terms.collect(), at_least: 0.into() };
        let mut builder = model::FormulaBuilder::default();
        let root = builder.linear(empty);
        let why = Why::Sum { multipliers: vec![1u8.into()], invariants: vec![(0, 1u8.into())] };
        let lemmas = vec![CaseLemma { atoms: vec![1], why }];
        let cases = Exclusion::Cases(Cases { splits: Vec::new(), lemmas, steps: Vec::new() });
        let invariant = NetInvariant::SomeMarked(trap.iter().copied().map(PlaceId::new).collect());
        let got = claim(&net, vec![invariant], builder.finish(root), cases);
        assert!(got.is_err() || good, "round {round}: {net:#?}\n{trap:?}");
        kept += usize::from(good);
        accepted += usize::from(got.is_ok());
    }
    assert!(accepted > 500 && 10 * accepted > 9 * kept, "too little is accepted: {accepted} of {kept}");
}

/// Returns a place with this name that starts empty.
fn empty(name: &str) -> Place {
    Place { name: name.to_owned(), initial: Range::exactly(0u8) }
}

fn at_most(place: usize, tokens: i64) -> NetInvariant {
    NetInvariant::AtMost(AtMost { terms: vec![(PlaceId::new(place), BigInt::from(1))], at_most: tokens.into() })
}

fn effect(place: usize, sources: &[usize], add: i64) -> Effect {
    let sources: Vec<PlaceId> = sources.iter().copied().map(PlaceId::new).collect();
    Effect { place: PlaceId::new(place), sources: sources.into(), add: add.into() }
}

/// Place q only ever holds a copy of p, so a limit for p limits q.
#[test]
fn facts_rest_on_those_before() {
    let copy = Transition { name: "copy".to_owned(), guards: Vec::new(), effects: vec![effect(1, &[0], 0)] };
    let guard = Guard { place: PlaceId::new(0), range: Range { at_least: 0u8.into(), at_most: Some(0u8.into()) } };
    let mark = Transition { name: "mark".to_owned(), guards: vec![guard], effects: vec![effect(0, &[0], 1)] };
    let net = Net::new(vec![empty("p"), empty("q")], vec![copy, mark]).expect("a net");
    let goal = || Formula::cover(&vector(&[0, 2]));
    let both = || vec![at_most(0, 1), at_most(1, 1)];
    assert!(claim(&net, both(), goal(), Exclusion::Minimal).is_ok());
    let swapped = both().into_iter().rev().collect();
    rejected(
        claim(&net, swapped, goal(), Exclusion::Minimal),
        "invariant number 1: transition number 1 may break a bound",
    );
    rejected(claim(&net, vec![at_most(0, 1)], goal(), Exclusion::Minimal), "do not exclude the goal: `q` >= 2");
    let pair = |places: [usize; 1]| {
        NetInvariant::ConcurrencyRelation(ConcurrencyRelation::none(places.into_iter().map(PlaceId::new).collect()))
    };
    assert!(claim(&net, vec![pair([0]), at_most(1, 1)], goal(), Exclusion::Minimal).is_ok(), "no second token on p");
    let marks = NetInvariant::PotentiallyMarked(vec![true, false]);
    rejected(
        claim(&net, vec![marks], goal(), Exclusion::Minimal),
        "invariant number 1: transition number 1 may put tokens",
    );
}

fn inequality(terms: &[(usize, i64)], at_least: i64) -> Linear {
    let terms = terms.iter().map(|&(p, c)| (PlaceId::new(p), c.into())).collect();
    Linear { terms, at_least: at_least.into() }
}

fn sum(atoms: &[u32], multipliers: &[u32], invariants: &[(u32, u32)]) -> CaseLemma {
    let multipliers = multipliers.iter().map(|&n| n.into()).collect();
    let invariants = invariants.iter().map(|&(invariant, n)| (invariant, n.into())).collect();
    CaseLemma { atoms: atoms.to_vec(), why: Why::Sum { multipliers, invariants } }
}

/// Returns a net with a token that moves from a to b and back, and another place that keeps its content.
fn to_and_fro() -> Net {
    let needs = |p: usize| Guard { place: PlaceId::new(p), range: Range::from(BigUint::from(1u8)) };
    let goes = |from: usize, to: usize| Transition {
        name: format!("{from}{to}"),
        guards: vec![needs(from)],
        effects: if from < to {
            vec![effect(from, &[from], -1), effect(to, &[to], 1)]
        } else {
            vec![effect(to, &[to], 1), effect(from, &[from], -1)]
        },
    };
    let one = Place { name: "a".to_owned(), initial: Range::exactly(1u8) };
    Net::new(vec![one, empty("b"), empty("r")], vec![goes(0, 1), goes(1, 0)]).expect("a net")
}

/// Excludes the goal "neither a nor b is marked" by a sum, and by cases of r with three steps.
#[test]
fn cases_are_refuted_by_sums_splits_and_steps() {
    let net = to_and_fro();
    let trap = || NetInvariant::SomeMarked(vec![PlaceId::new(0), PlaceId::new(1)]);
    let ask = |cases: &Cases, invariants: Vec<NetInvariant>| {
        let mut builder = model::FormulaBuilder::default();
        let parts = (0..2).map(|p| builder.place_at_most(PlaceId::new(p), &0u8.into())).collect();
        let root = builder.all(parts);
        claim(&net, invariants, builder.finish(root), Exclusion::Cases(cases.clone()))
    };
    let invariants = || vec![trap(), at_most(2, 2)];
    let good = Cases { splits: vec![], lemmas: vec![sum(&[1, 2], &[1, 1], &[(0, 1)])], steps: vec![] };
    assert!(ask(&good, invariants()).is_ok());
    // The splits are r >= 1 (variables 4 and 5) and r >= 2 (variables 6 and 7).
    let splits = || vec![inequality(&[(2, 1)], 1), inequality(&[(2, 1)], 2)];
    let whole = || vec![sum(&[1, 2, 4], &[2, 2, 0], &[(0, 2)]), sum(&[1, 2, 5], &[1, 1, 0], &[(0, 1)])];
    let split = Cases { splits: splits(), lemmas: whole(), steps: vec![vec![-4], vec![]] };
    assert!(ask(&split, invariants()).is_ok());
    // The lemmas: r >= 2 and r < 1 do not hold together; r > 2 is excluded by the second invariant.
    let apart = sum(&[5, 6], &[1, 1], &[]);
    let chain = Cases {
        splits: [splits(), vec![inequality(&[(2, 1)], 3)]].concat(),
        lemmas: vec![
            apart,
            sum(&[8], &[1], &[(1, 1)]),
            sum(&[1, 2, 4, 7], &[1, 1, 0, 0], &[(0, 1)]),
            whole()[1].clone(),
            sum(&[1, 2, 6], &[1, 1, 0], &[(0, 1)]),
        ],
        steps: vec![vec![-8], vec![-5, -6], vec![-4, -7], vec![]],
    };
    assert!(ask(&chain, invariants()).is_ok());
    rejected(ask(&good, vec![at_most(2, 2)]), "lemma number 1 does not hold");
    rejected(ask(&Cases::default(), invariants()), "not refuted");
    let wrong = [
        sum(&[1, 2], &[1, 0], &[(0, 1)]),
        sum(&[1, 2], &[0, 0], &[]),
        sum(&[1], &[1], &[(0, 1)]),
        sum(&[1, 2], &[1, 1], &[(1, 1)]),
        sum(&[4, 6], &[1, 1], &[]),
        sum(&[5, 7], &[1, 1], &[]),
        CaseLemma { atoms: vec![1, 2], why: Why::Excluded },
    ];
    for lemma in wrong {
        let cases = Cases { lemmas: vec![lemma], splits: splits(), steps: vec![] };
        rejected(ask(&cases, invariants()), "lemma number 1 does not hold");
    }
    for (atoms, why) in [(3, "not an inequality"), (0, "not an inequality"), (u32::MAX, "not an inequality")] {
        rejected(ask(&Cases { lemmas: vec![sum(&[atoms], &[1], &[])], ..Cases::default() }, invariants()), why);
    }
    rejected(ask(&Cases { lemmas: vec![sum(&[1, 2], &[1], &[])], ..Cases::default() }, invariants()), "multiplier");
    for step in [vec![0], vec![4], vec![i32::MIN], vec![1, -9]] {
        rejected(ask(&Cases { steps: vec![step], ..good.clone() }, invariants()), "variable that does not exist");
    }
    let steps = vec![vec![-1, -3], vec![-1], vec![-3]];
    rejected(ask(&Cases { steps, ..Cases::default() }, invariants()), "does not follow");
    rejected(ask(&Cases { splits: vec![inequality(&[(9, 1)], 1)], ..good }, invariants()), "does not have");
}

/// Place q gets the content of p twice.
#[test]
fn a_source_may_count_twice() {
    let twice = Transition { name: "twice".to_owned(), guards: Vec::new(), effects: vec![effect(1, &[0, 0], 0)] };
    let one = Place { name: "p".to_owned(), initial: Range::exactly(1u8) };
    let net = Net::new(vec![one, empty("q")], vec![twice]).expect("a net");
    let never = |tokens: u32| {
        let vectors = NetInvariant::NeverCovered(vec![vector(&[0, tokens])]);
        claim(&net, vec![at_most(0, 1), vectors], Formula::cover(&vector(&[0, tokens])), Exclusion::Minimal)
    };
    assert!(never(3).is_ok());
    rejected(never(2), "invariant number 2: transition number 1 may lead from `p` >= 1 to `q` >= 2");
    let apart = |pairs: &[(usize, usize)]| {
        let mut allowed = ConcurrencyRelation::none(vec![PlaceId::new(0), PlaceId::new(1)]);
        pairs.iter().for_each(|&(a, b)| _ = allowed.allow(a, b));
        claim(
            &net,
            vec![NetInvariant::ConcurrencyRelation(allowed)],
            Formula::cover(&vector(&[2, 0])),
            Exclusion::Minimal,
        )
    };
    assert!(apart(&[(0, 1), (1, 1)]).is_ok());
    rejected(apart(&[(0, 1)]), "may mark `q` and `q` together");
}

/// A token moves round a ring, so no two places are ever marked together. Testing each transition with each
/// place would take four million tests; the rule finds what a transition may mark by words of bits.
#[test]
fn pairs_of_large_nets_are_looked_for_by_words() {
    const PLACES: u32 = 2000;
    let range = |n: u32| Range { at_least: n.into(), at_most: Some(n.into()) };
    let place = |p: u32| Place { name: format!("p{p}"), initial: range(u32::from(p == 0)) };
    let transition = |p: u32| {
        let (from, to) = (PlaceId(p), PlaceId((p + 1) % PLACES));
        let effect = |place, add: i32| Effect { place, sources: vec![place].into(), add: add.into() };
        let mut effects = vec![effect(from, -1), effect(to, 1)];
        effects.sort_by_key(|effect| effect.place);
        Transition {
            name: format!("t{p}"),
            guards: vec![Guard { place: from, range: Range { at_least: 1u8.into(), at_most: None } }],
            effects,
        }
    };
    let net = Net::new((0..PLACES).map(place).collect(), (0..PLACES).map(transition).collect()).expect("a net");
    let goal = Formula::cover(&[(PlaceId(3), 1u8.into()), (PlaceId(9), 1u8.into())]);
    let problem = Problem::of_net(Arc::new(net)).never("f", goal).expect("it fits");
    let pairs = ConcurrencyRelation::none((0..PLACES).map(PlaceId).collect());
    let invariant = InvariantCertificate {
        invariants: vec![
            NetInvariant::PotentiallyMarked(vec![true; PLACES as usize]),
            NetInvariant::ConcurrencyRelation(pairs),
        ],
        exclusions: vec![(first(), Exclusion::Minimal)],
    };
    let claim = Claim::Safe { goals: vec![first()], certificate: Certificate::Invariant(Box::new(invariant)) };
    let stop = model::Stop::default();
    let known = crate::confirm(&problem, &claim, &mut crate::Work::new(1 << 20, &stop));
    assert!(known.is_ok_and(|known| known.is_some()), "a million units are enough");
}

/// A transition needs tokens on two places, which it does not change, and a bound excludes the tokens.
#[test]
fn a_bound_excludes_transitions_that_only_test_its_places() {
    let place = |name: &str, tokens: u8| Place { name: name.to_owned(), initial: Range::exactly(tokens) };
    let [a, b, c] = [0, 1, 2].map(|p| (PlaceId::new(p), BigUint::from(1u8)));
    let moves = Transition::from_arcs("moves".to_owned(), std::slice::from_ref(&a), std::slice::from_ref(&b));
    let both = Transition::from_arcs("both".to_owned(), &[a.clone(), b.clone()], &[a.clone(), b.clone(), c.clone()]);
    let net = Net::new(vec![place("a", 1), place("b", 0), place("c", 0)], vec![moves, both]).expect("a net");
    let at_most = |places: &[&(PlaceId, BigUint)], most: u8| {
        let terms = places.iter().map(|(place, _)| (*place, BigInt::from(1))).collect();
        NetInvariant::AtMost(AtMost { terms, at_most: BigInt::from(most) })
    };
    let [sum, never] = [at_most(&[&a, &b], 1), at_most(&[&c], 0)];
    let goal = || Formula::cover(std::slice::from_ref(&c));
    assert!(claim(&net, vec![sum.clone(), never.clone()], goal(), Exclusion::Minimal).is_ok());
    assert!(claim(&net, vec![never, sum], goal(), Exclusion::Minimal).is_err(), "in this order, nothing excludes it");
}

/// A transition moves all tokens of a place that is empty when it fires, because the place is never marked together
/// with one that the transition needs. Without the relation, the moved tokens could break the bound.
#[test]
fn a_place_is_empty_beside_the_tokens_that_a_transition_needs() {
    let place = |name: &str, tokens: u8| Place { name: name.to_owned(), initial: Range::exactly(tokens) };
    let [q, y, x] = [0, 1, 2].map(PlaceId::new);
    let one = |place| (place, BigUint::from(1u8));
    let leaves = Transition::from_arcs("leaves".to_owned(), &[one(q)], &[one(y)]);
    let moves = Transition {
        name: "moves".to_owned(),
        guards: vec![Guard { place: q, range: Range::from(1u8) }],
        effects: vec![
            Effect { place: y, sources: [].into_iter().collect(), add: BigInt::ZERO },
            Effect { place: x, sources: [y, x].into_iter().collect(), add: BigInt::ZERO },
        ],
    };
    let net = Net::new(vec![place("q", 1), place("y", 0), place("x", 0)], vec![leaves, moves]).expect("a net");
    let apart = NetInvariant::ConcurrencyRelation(ConcurrencyRelation::none(vec![q, y]));
    let never = NetInvariant::AtMost(AtMost { terms: vec![(x, BigInt::from(1))], at_most: BigInt::ZERO });
    let goal = || Formula::cover(&[one(x)]);
    assert!(claim(&net, vec![apart, never.clone()], goal(), Exclusion::Minimal).is_ok());
    assert!(claim(&net, vec![never], goal(), Exclusion::Minimal).is_err(), "as far as this bound shows, y is marked");
}
