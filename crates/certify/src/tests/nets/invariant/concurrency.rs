//! Tests of concurrency relations. The least closed relation is computed by firing transitions in all small
//! markings that the relation allows.

use super::super::super::rejected;
use super::*;
use std::collections::BTreeSet;

/// Returns the least closed relation over all places, and the potentially marked places. Both are computed by
/// trying all markings with up to `cap` tokens on a place.
fn least(world: &World, cap: u32) -> (BTreeSet<(usize, usize)>, Vec<bool>) {
    let mut pairs = BTreeSet::new();
    let mut marked = vec![false; world.places];
    let add = |m: &Tokens, pairs: &mut BTreeSet<(usize, usize)>, marked: &mut Vec<bool>| {
        let mut new = false;
        for (x, &n) in m.iter().enumerate().filter(|(_, n)| **n > 0) {
            new |= !std::mem::replace(&mut marked[x], true);
            new |= n > 1 && pairs.insert((x, x));
            for (y, _) in m.iter().enumerate().take(x).filter(|(_, n)| **n > 0) {
                new |= pairs.insert((y, x));
            }
        }
        new
    };
    world.initial.iter().for_each(|m| {
        add(m, &mut pairs, &mut marked);
    });
    let mut open: Vec<(Tokens, Vec<Tokens>)> =
        world.small(cap).into_iter().map(|m| (world.steps(&m), m)).map(|(s, m)| (m, s)).collect();
    loop {
        let mut new = false;
        open.retain(|(m, steps)| {
            let allowed = m.iter().enumerate().all(|(x, &n)| {
                n == 0
                    || marked[x]
                        && (n == 1 || pairs.contains(&(x, x)))
                        && m.iter().enumerate().take(x).all(|(y, &k)| k == 0 || pairs.contains(&(y, x)))
            });
            if allowed {
                steps.iter().for_each(|next| new |= add(next, &mut pairs, &mut marked));
            }
            !allowed
        });
        if !new {
            return (pairs, marked);
        }
    }
}

fn relation(places: Vec<PlaceId>, allowed: &BTreeSet<(usize, usize)>) -> ConcurrencyRelation {
    let mut pairs = ConcurrencyRelation::none(places);
    for &(x, y) in allowed {
        if let (Some(a), Some(b)) = (pairs.row_of(PlaceId::new(x)), pairs.row_of(PlaceId::new(y))) {
            pairs.allow(a, b);
        }
    }
    pairs
}

fn all(places: usize) -> Vec<PlaceId> {
    (0..places).map(PlaceId::new).collect()
}

#[test]
fn the_least_closed_relation_is_accepted_and_no_smaller_one() {
    let mut rng = Rng(301);
    let mut refused = 0;
    for round in 0..1200 {
        let world = World::random(&mut rng, 4);
        if world.places > 6 {
            continue;
        }
        let (allowed, _) = least(&world, if world.places > 4 { 3 } else { 4 });
        let invariants = |allowed: &BTreeSet<(usize, usize)>| {
            vec![NetInvariant::ConcurrencyRelation(relation(all(world.places), allowed))]
        };
        let verdict = accepts(&world.system, invariants(&allowed));
        assert!(verdict.is_ok(), "round {round}: {verdict:?}\n{:?}\n{allowed:?}", world.system);
        for drop in &allowed {
            let mut fewer = allowed.clone();
            fewer.remove(drop);
            let verdict = accepts(&world.system, invariants(&fewer));
            assert!(verdict.is_err(), "round {round}: without {drop:?}\n{:?}\n{allowed:?}", world.system);
            refused += 1;
        }
    }
    assert!(refused > 1000);
}

#[test]
fn accepted_relations_of_some_places_are_true_and_so_are_their_exclusions() {
    let mut rng = Rng(302);
    let (mut accepted, mut excluded) = (0, 0);
    for round in 0..3000 {
        let world = World::random(&mut rng, 5);
        if world.places > 6 {
            continue;
        }
        let (mut allowed, mut marked) = least(&world, 3);
        for _ in 0..rng.below(3) {
            let pair = (rng.below(world.places), rng.below(world.places));
            let pair = (pair.0.min(pair.1), pair.0.max(pair.1));
            if !allowed.remove(&pair) {
                allowed.insert(pair);
            }
        }
        if rng.one_in(2) {
            marked[rng.below(world.places)] ^= true;
        }
        let spoken = all(world.places).into_iter().filter(|_| !rng.one_in(4)).collect();
        let mut invariants = vec![
            NetInvariant::ConcurrencyRelation(relation(spoken, &allowed)),
            NetInvariant::PotentiallyMarked(marked),
        ];
        if rng.one_in(2) {
            invariants.reverse();
        }
        invariants.truncate(1 + rng.below(2));
        if accepts(&world.system, invariants.clone()).is_err() {
            continue;
        }
        accepted += 1;
        for m in &world.reached {
            assert!(
                invariants.iter().all(|invariant| is_true(invariant, m)),
                "round {round}: {m:?} {invariants:?}\n{:?}",
                world.system
            );
        }
        let goal = formula_without_negative_weights(&mut rng, world.places);
        if excludes(&world.system, invariants.clone(), goal.clone()).is_ok() {
            excluded += 1;
            for m in &world.reached {
                assert!(!naive::holds(&goal, m), "round {round}: {m:?} {invariants:?} {goal:?}\n{:?}", world.system);
            }
        }
    }
    assert!(accepted > 300 && excluded > 50, "{accepted} {excluded}");
}

/// A goal that no allowed marking satisfies is excluded.
#[test]
fn minimal_markings_are_all_looked_at() {
    let mut rng = Rng(303);
    let mut excluded = 0;
    for round in 0..600 {
        let world = World::random(&mut rng, 4);
        if world.places > 5 {
            continue;
        }
        let (allowed, marked) = least(&world, 4);
        // The relation also says that other places are never marked.
        let mut invariants = vec![
            NetInvariant::ConcurrencyRelation(relation(all(world.places), &allowed)),
            NetInvariant::PotentiallyMarked(marked),
        ];
        let goal = formula_without_negative_weights(&mut rng, world.places);
        // All markings count here, even markings that are no states: the invariants do not distinguish them.
        let mut small: Vec<Tokens> = vec![vec![]];
        for _ in 0..world.places {
            small = small.iter().flat_map(|m| (0..=5).map(|n| [&m[..], &[n]].concat())).collect();
        }
        let possible = small.iter().any(|m| invariants.iter().all(|f| is_true(f, m)) && naive::holds(&goal, m));
        invariants.truncate(1);
        let verdict = excludes(&world.system, invariants, goal.clone());
        assert_eq!(verdict.is_ok(), !possible, "round {round}: {verdict:?} {goal:?} {allowed:?}\n{:?}", world.system);
        excluded += usize::from(!possible);
    }
    assert!(excluded > 50, "{excluded}");
}

#[test]
fn hostile_relations_are_rejected() {
    let system = SystemModel::Net(Arc::new(net(vec![place("p", 1, Some(1)), place("q", 0, Some(0))], vec![])));
    for places in [vec![p(1), p(0)], vec![p(0), p(0)], vec![p(2)], vec![p(u32::MAX)]] {
        rejected(
            accepts(&system, vec![NetInvariant::ConcurrencyRelation(ConcurrencyRelation::none(places))]),
            "known and ascending",
        );
    }
    assert!(accepts(&system, vec![NetInvariant::ConcurrencyRelation(ConcurrencyRelation::none(vec![]))]).is_ok());
    assert!(
        accepts(&system, vec![NetInvariant::ConcurrencyRelation(ConcurrencyRelation::none(vec![p(0), p(1)]))]).is_ok()
    );
    rejected(accepts(&system, vec![NetInvariant::PotentiallyMarked(vec![true])]), "the net has 2");
    // Each claimed goal must be excluded once.
    let problem = problem(system, vec![cover(&[(1, 1)]), cover(&[(0, 2)])]);
    let second = Goal::Formula(FormulaId(1));
    let invariants = || vec![NetInvariant::ConcurrencyRelation(ConcurrencyRelation::none(vec![p(0), p(1)]))];
    let ask = |claimed: &[Goal], excluded: &[Goal]| {
        let Claim::Safe { certificate, .. } = claim(excluded, invariants(), &Exclusion::Minimal) else { panic!() };
        asked(&problem, &Claim::Safe { goals: claimed.to_vec(), certificate })
    };
    assert!(ask(&[first(), second], &[second, first()]).is_ok());
    for excluded in
        [vec![], vec![first()], vec![first(), first()], vec![first(), second, second], vec![Goal::Bad, first()]]
    {
        rejected(ask(&[first(), second], &excluded), "other goals than the claim names");
    }
    rejected(ask(&[Goal::Deadlock], &[Goal::Deadlock]), "do not exclude");
}
