//! Facts about nets against the definition, tried on all markings with few tokens. The generator's numbers are so small
//! that nothing changes beyond.

use super::nets::{Tokens, fire, first, in_range, initial, random_net};
use super::{Rng, kernel};
use crate::Check;
use model::{
    AtMost, CaseLemma, Cases, Certificate, Claim, Exclusion, Formula, Invariant, Linear, Net, NetFact, Pairs, PlaceId,
    Problem, Transition, Vector, Why,
};
use num_bigint::{BigInt, BigUint};
use std::sync::Arc;

/// Of each place up to so many tokens are tried.
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

fn claim(net: &Net, facts: Vec<NetFact>, goal: Formula, why: Exclusion) -> Check<crate::Checked> {
    let problem = Problem::of_net(Arc::new(net.clone())).never("f", goal);
    let invariant = Invariant { facts, exclusions: vec![(first(), why)] };
    kernel(&problem, &Claim::Safe { goals: vec![first()], certificate: Certificate::Invariant(Box::new(invariant)) })
}

/// Does it hold at the start, and after each step from a marking with it?
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
        let fact = NetFact::NeverCovered(vectors.iter().map(|v| vector(v)).collect());
        let got = claim(&net, vec![fact], Formula::cover(&vector(&goal)), Exclusion::Minimal);
        assert_eq!(got.is_ok(), good && excluded, "round {round}: {got:?}\n{net:#?}\n{vectors:?} {goal:?}");
        kept += usize::from(good);
        accepted += usize::from(got.is_ok());
    }
    assert!(accepted > 200 && kept > accepted, "the generator is too weak: {accepted} {kept}");
}

/// The most that a sum can be where the transition is enabled.
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
        let fact = NetFact::AtMost(AtMost { terms, at_most: bound.into() });
        let got = claim(&net, vec![fact], Formula::cover(&vector(&goal)), Exclusion::Minimal);
        assert_eq!(got.is_ok(), good && excluded, "round {round}: {got:?}\n{net:#?}\n{weights:?} <= {bound}, {goal:?}");
        kept += usize::from(good);
        accepted += usize::from(got.is_ok());
    }
    assert!(accepted > 50 && kept > accepted, "the generator is too weak: {accepted} {kept}");
}

/// Where all places may be marked at the start, nothing is known of places besides.
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
        let mut pairs = Pairs::none((0..places).map(PlaceId::new).collect());
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
        let got = claim(&net, vec![NetFact::Pairs(pairs.clone())], goal, Exclusion::Minimal);
        assert_eq!(got.is_ok(), good && excluded, "round {round}: {got:?}\n{net:#?}\n{pairs:?}");
        kept += usize::from(good);
        accepted += usize::from(got.is_ok());
    }
    assert!(accepted > 50 && kept > accepted, "the generator is too weak: {accepted} {kept}");
}

/// That one of some places is marked refutes, as a sum, that all of them are empty.
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
        let why = Why::Sum { multipliers: vec![1u8.into()], facts: vec![(0, 1u8.into())] };
        let lemmas = vec![CaseLemma { atoms: vec![1], why }];
        let cases = Exclusion::Cases(Cases { splits: Vec::new(), lemmas, steps: Vec::new() });
        let fact = NetFact::SomeMarked(trap.iter().copied().map(PlaceId::new).collect());
        let got = claim(&net, vec![fact], builder.finish(root), cases);
        assert!(got.is_err() || good, "round {round}: {net:#?}\n{trap:?}");
        kept += usize::from(good);
        accepted += usize::from(got.is_ok());
    }
    assert!(accepted > 500 && 10 * accepted > 9 * kept, "too little is accepted: {accepted} of {kept}");
}
