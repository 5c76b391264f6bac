//! Tests of linear bounds, traps and cases.

use super::super::super::rejected;
use super::*;
use model::{AtMost, CaseLemma, Cases, Linear, Why};

fn at_most(terms: &[(u32, i64)], bound: i64) -> NetInvariant {
    let terms = terms.iter().map(|&(q, w)| (p(q), w.into())).collect();
    NetInvariant::AtMost(AtMost { terms, at_most: bound.into() })
}

fn traps(places: &[u32]) -> NetInvariant {
    NetInvariant::SomeMarked(places.iter().map(|&q| p(q)).collect())
}

fn random_fact(rng: &mut Rng, world: &World) -> NetInvariant {
    if rng.one_in(3) {
        return NetInvariant::SomeMarked((0..world.places).filter(|_| rng.one_in(2)).map(PlaceId::new).collect());
    }
    let mut terms: Vec<(u32, i64)> = Vec::new();
    for place in 0..world.places as u32 {
        if !rng.one_in(3) {
            terms.push((place, [1, 1, 1, 2, -1, -2][rng.below(6)]));
        }
    }
    // The bound is near the true one, so that about half of the bounds are true.
    let value = |m: &Tokens| terms.iter().map(|&(q, w)| w * i64::from(m[q as usize])).sum::<i64>();
    let most = world.initial.iter().map(value).max().unwrap_or(0);
    at_most(&terms, most + rng.below(4) as i64 - 1)
}

#[test]
fn accepted_bounds_and_traps_are_true() {
    let mut rng = Rng(401);
    let (mut bounds, mut trapped) = (0, 0);
    for round in 0..3000 {
        let world = World::random(&mut rng, 4);
        for _ in 0..8 {
            let mut invariants = vec![random_fact(&mut rng, &world)];
            if rng.one_in(2) {
                invariants.push(random_fact(&mut rng, &world));
            }
            if accepts(&world.system, invariants.clone()).is_err() {
                continue;
            }
            match invariants[0] {
                NetInvariant::AtMost(_) => bounds += 1,
                _ => trapped += 1,
            }
            for m in &world.reached {
                assert!(
                    invariants.iter().all(|invariant| is_true(invariant, m)),
                    "{round}: {m:?} {invariants:?}\n{:?}",
                    world.system
                );
            }
            let goal = formula_without_negative_weights(&mut rng, world.places);
            if excludes(&world.system, invariants.clone(), goal.clone()).is_ok() {
                let found = world.reached.iter().find(|m| naive::holds(&goal, m));
                assert_eq!(found, None, "{round}: {invariants:?} {goal:?}\n{:?}", world.system);
            }
        }
    }
    assert!(bounds > 200 && trapped > 200, "{bounds} {trapped}");
}

/// A cycle of two places, a place that counts firings, and a place that is reset.
fn cycle() -> SystemModel {
    let step = transition("step", &[(0, 1, None)], &[(0, &[0], -1), (1, &[1], 1), (2, &[2], 1)]);
    let back = transition("back", &[(1, 1, None), (3, 0, Some(0))], &[(0, &[0, 1], 0), (1, &[], 0), (3, &[], 2)]);
    let places = vec![place("a", 2, Some(3)), place("b", 0, Some(0)), place("n", 0, None), place("r", 0, Some(0))];
    SystemModel::Net(Arc::new(net(places, vec![step, back])))
}

#[test]
fn bounds_look_at_sources_guards_and_constants() {
    let system = cycle();
    assert!(accepts(&system, vec![at_most(&[(0, 1), (1, 1)], 3)]).is_ok());
    assert!(accepts(&system, vec![at_most(&[(0, -1), (1, -1)], -2)]).is_ok());
    // The sum after an assignment counts, not the difference.
    assert!(accepts(&system, vec![at_most(&[(3, 1)], 2)]).is_ok());
    // The bound on the place that gets the tokens would follow only from a bound on `a` alone.
    assert!(accepts(&system, vec![at_most(&[(0, 1), (1, 1)], 3), at_most(&[(1, 1)], 3)]).is_err());
    rejected(accepts(&system, vec![at_most(&[(0, 1), (1, 1)], 2)]), "does not hold at the start");
    rejected(accepts(&system, vec![at_most(&[(0, -1), (1, -1)], -3)]), "does not hold at the start");
    rejected(accepts(&system, vec![at_most(&[(2, 1)], 9)]), "no bound at the start");
    rejected(accepts(&system, vec![at_most(&[(1, 1)], 2)]), "transition number 1 may break a bound");
    rejected(accepts(&system, vec![at_most(&[(3, 1)], 1)]), "transition number 2 may break a bound");
    // A bound without negative weights excludes vectors, single places and sums.
    let invariant = || vec![at_most(&[(0, 2), (1, 2)], 6)];
    assert!(excludes(&system, invariant(), cover(&[(0, 2), (1, 2)])).is_ok());
    assert!(excludes(&system, invariant(), linear(&[(0, 1), (1, 1)], 4)).is_ok());
    rejected(excludes(&system, invariant(), cover(&[(0, 2), (1, 1)])), "do not exclude");
    rejected(excludes(&system, vec![at_most(&[(0, -1), (1, -1)], -2)], cover(&[(0, 4)])), "do not exclude");
    // The bound on a single place is used for large weights as well.
    let huge: BigInt = BigInt::from(1) << 200;
    let large = NetInvariant::AtMost(AtMost { terms: vec![(p(3), huge.clone())], at_most: huge * 3 });
    assert!(excludes(&system, vec![large], cover(&[(3, 4)])).is_ok());
}

#[test]
fn traps_look_at_where_tokens_go() {
    let system = cycle();
    assert!(accepts(&system, vec![traps(&[0, 1])]).is_ok());
    rejected(accepts(&system, vec![traps(&[0])]), "may empty a trap");
    rejected(accepts(&system, vec![traps(&[1])]), "surely marked at the start");
    rejected(accepts(&system, vec![traps(&[])]), "surely marked at the start");
    rejected(accepts(&system, vec![traps(&[1, 0])]), "known and ascending");
    rejected(accepts(&system, vec![traps(&[0, 9])]), "known and ascending");
}

#[test]
fn hostile_bounds_are_rejected() {
    let system = cycle();
    rejected(accepts(&system, vec![at_most(&[(1, 1), (0, 1)], 9)]), "known and ascending");
    rejected(accepts(&system, vec![at_most(&[(1, 1), (1, 1)], 9)]), "known and ascending");
    rejected(accepts(&system, vec![at_most(&[(4, 1)], 9)]), "known and ascending");
    rejected(accepts(&system, vec![at_most(&[(1, 0)], 9)]), "weight of zero");
    assert!(accepts(&system, vec![at_most(&[], 0)]).is_ok());
    rejected(accepts(&system, vec![at_most(&[], -1)]), "at the start");
}

fn inequality(terms: &[(u32, i64)], at_least: i64) -> Linear {
    Linear { terms: terms.iter().map(|&(q, c)| (p(q), c.into())).collect(), at_least: at_least.into() }
}

fn sum(atoms: &[u32], multipliers: &[u32], invariants: &[(u32, u32)]) -> CaseLemma {
    let multipliers = multipliers.iter().map(|&n| n.into()).collect();
    let invariants = invariants.iter().map(|&(invariant, n)| (invariant, n.into())).collect();
    CaseLemma { atoms: atoms.to_vec(), why: Why::Sum { multipliers, invariants } }
}

/// Neither `a >= 1` nor `b >= 1` holds, although one of them is always marked. The cases are split by whether
/// `r` is marked.
#[test]
fn cases_are_refuted_by_sums_and_splits() {
    let system = cycle();
    let mut builder = FormulaBuilder::default();
    let a = builder.place_at_most(p(0), &0u8.into());
    let b = builder.place_at_most(p(1), &0u8.into());
    let root = builder.all(vec![a, b]);
    let goal = builder.finish(root);
    let invariants = || vec![traps(&[0, 1]), at_most(&[(3, 1)], 2)];
    let ask = |cases: &Cases, invariants: Vec<NetInvariant>| {
        asked(
            &problem(system.clone(), vec![goal.clone()]),
            &claim(&[first()], invariants, &Exclusion::Cases(cases.clone())),
        )
    };
    let good = Cases { splits: vec![], lemmas: vec![sum(&[1, 2], &[1, 1], &[(0, 1)])], steps: vec![] };
    let confirmed = ask(&good, invariants()).unwrap();
    assert_eq!((confirmed.evidence.id(), confirmed.length), ("traps", 1));
    // Split by r >= 1 (variables 4 and 5): the same reason on both sides, and a clause for each.
    let split = Cases {
        splits: vec![inequality(&[(3, 1)], 1)],
        lemmas: vec![sum(&[1, 2, 4], &[2, 2, 0], &[(0, 2)]), sum(&[1, 2, 5], &[1, 1, 0], &[(0, 1)])],
        steps: vec![vec![-4], vec![]],
    };
    assert!(ask(&split, invariants()).is_ok());
    rejected(ask(&good, vec![at_most(&[(3, 1)], 2)]), "lemma number 1 does not hold");
    rejected(ask(&good, vec![NetInvariant::PotentiallyMarked(vec![true; 4])]), "not linear");
    rejected(ask(&Cases::default(), invariants()), "not refuted");
    for lemma in [
        sum(&[1, 2], &[1, 0], &[(0, 1)]),
        sum(&[1, 2], &[0, 0], &[]),
        sum(&[1], &[1], &[(0, 1)]),
        sum(&[], &[], &[]),
        sum(&[1, 2], &[1, 1], &[(1, 1)]),
        CaseLemma { atoms: vec![1, 2], why: Why::Excluded },
    ] {
        rejected(ask(&Cases { lemmas: vec![lemma], ..Cases::default() }, invariants()), "lemma number 1 does not hold");
    }
    for lemma in
        [sum(&[1, 2], &[1], &[(0, 1)]), sum(&[3], &[1], &[]), sum(&[0], &[1], &[]), sum(&[u32::MAX], &[1], &[])]
    {
        let verdict = ask(&Cases { lemmas: vec![lemma], ..Cases::default() }, invariants());
        assert!(matches!(verdict, Err(Refusal::Rejected(_))), "{verdict:?}");
    }
    for step in [vec![0], vec![4], vec![i32::MIN], vec![1, -9]] {
        rejected(ask(&Cases { steps: vec![step], ..good.clone() }, invariants()), "variable that does not exist");
    }
    rejected(
        ask(&Cases { steps: vec![vec![-1, -3], vec![-1], vec![-3]], ..Cases::default() }, invariants()),
        "does not follow",
    );
    rejected(ask(&Cases { splits: vec![inequality(&[(9, 1)], 1)], ..good }, invariants()), "does not have");
}

/// `a` keeps its token, `b` counts, and `never` is never marked.
fn beside_never() -> SystemModel {
    let places = vec![place("a", 1, Some(1)), place("b", 0, Some(0)), place("never", 0, Some(0))];
    SystemModel::Net(Arc::new(net(places, vec![arcs("count", &[], &[1]), arcs("late", &[2], &[0])])))
}

/// Engines may see `a >= 2` where the formula as read has one more place, which is never marked.
#[test]
fn lemmas_ask_single_places_whatever_else_is_never_marked() {
    let system = beside_never();
    let invariants = || vec![NetInvariant::PotentiallyMarked(vec![true, true, false]), at_most(&[(0, 1)], 1)];
    let ask = |goal: Formula| {
        let lemma = CaseLemma { atoms: vec![1], why: Why::Excluded };
        let cases = Exclusion::Cases(Cases { lemmas: vec![lemma], ..Cases::default() });
        asked(&problem(system.clone(), vec![goal]), &claim(&[first()], invariants(), &cases))
    };
    for goal in [linear(&[(0, 1), (2, 2)], 2), linear(&[(0, 1), (2, -1)], 2), linear(&[(0, 2), (1, -1)], 3)] {
        assert!(ask(goal.clone()).is_ok(), "{goal:?}");
    }
    for goal in [linear(&[(0, 2), (2, 2)], 2), linear(&[(0, 1), (1, 1)], 2), linear(&[(1, 1), (2, -1)], 2)] {
        rejected(ask(goal), "lemma number 1 does not hold");
    }
}

/// A deadlock is the formula that some guard of each transition fails.
#[test]
fn deadlocks_are_excluded_by_cases() {
    let back = arcs("back", &[1], &[0]);
    let step = arcs("step", &[0], &[1]);
    let system =
        SystemModel::Net(Arc::new(net(vec![place("a", 1, Some(1)), place("b", 0, Some(0))], vec![step, back])));
    let formula = model::deadlock(&system).unwrap();
    assert_eq!(formula.nodes().len(), 3);
    let cases = Cases { lemmas: vec![sum(&[1, 2], &[1, 1], &[(0, 1)])], ..Cases::default() };
    let problem = problem(system, vec![]);
    let claim = claim(&[Goal::Deadlock], vec![traps(&[0, 1])], &Exclusion::Cases(cases));
    assert!(asked(&problem, &claim).is_ok());
}

/// A formula that contradicts the invariant, or nearly does, combined with another formula.
fn near_contradiction(rng: &mut Rng, world: &World, invariant: &NetInvariant) -> Formula {
    let (mut terms, mut most): (Vec<(PlaceId, BigInt)>, BigInt) = match invariant {
        NetInvariant::AtMost(bound) => (bound.terms.clone(), bound.at_most.clone()),
        NetInvariant::SomeMarked(places) => (places.iter().map(|q| (*q, (-1).into())).collect(), (-1).into()),
        _ => return random_formula(rng, world.places),
    };
    if rng.one_in(3) {
        terms.push((PlaceId::new(rng.below(world.places)), [-1, 1][rng.below(2)].into()));
    }
    most += rng.below(3) as i64;
    let mut builder = FormulaBuilder::default();
    let against = builder.at_least(terms, most);
    let other = builder.place_at_least(PlaceId::new(rng.below(world.places)), &1u8.into());
    let parts = vec![against, other];
    let root = if rng.one_in(4) { builder.any(parts) } else { builder.all(parts) };
    builder.finish(root)
}

/// Random refutations of random formulas: what is accepted excludes the formula in all reachable markings.
#[test]
fn accepted_cases_are_true() {
    let mut rng = Rng(402);
    let mut accepted = 0;
    for round in 0..6000 {
        let world = World::random(&mut rng, 3);
        let invariants = vec![random_fact(&mut rng, &world), random_fact(&mut rng, &world)];
        if accepts(&world.system, invariants.clone()).is_err() {
            continue;
        }
        for _ in 0..20 {
            let goal = near_contradiction(&mut rng, &world, &invariants[0]);
            let variables = goal.nodes().len() + 2;
            let lemma = |rng: &mut Rng| {
                let atoms: Vec<u32> = (1..=variables as u32).filter(|_| rng.one_in(2)).collect();
                let multipliers: Vec<u32> = atoms.iter().map(|_| rng.below(3) as u32).collect();
                match rng.below(4) {
                    0 => CaseLemma { atoms, why: Why::Excluded },
                    1 => sum(&[1], &[1], &[(0, 1)]),
                    _ => sum(&atoms, &multipliers, &[(0, rng.below(3) as u32), (1, rng.below(2) as u32)]),
                }
            };
            let lemmas = (0..1 + rng.below(2)).map(|_| lemma(&mut rng)).collect();
            let splits = vec![inequality(&[(rng.below(world.places) as u32, 1)], 1)];
            let cases = Exclusion::Cases(Cases { splits, lemmas, steps: vec![] });
            let problem = problem(world.system.clone(), vec![goal.clone()]);
            if asked(&problem, &claim(&[first()], invariants.clone(), &cases)).is_ok() {
                accepted += 1;
                let found = world.reached.iter().find(|m| naive::holds(&goal, m));
                assert_eq!(found, None, "{round}: {invariants:?} {goal:?} {cases:?}\n{:?}", world.system);
            }
        }
    }
    assert!(accepted > 50, "{accepted}");
}
