//! Tests of vectors that are never covered.

use super::super::super::rejected;
use super::*;
use model::Vector;
use std::collections::BTreeSet;

fn vectors(all: &[&[(u32, u64)]]) -> NetInvariant {
    let vector = |v: &&[(u32, u64)]| v.iter().map(|&(q, n)| (p(q), n.into())).collect();
    NetInvariant::NeverCovered(all.iter().map(vector).collect())
}

fn covers(m: &[u32], v: &[u32]) -> bool {
    m.iter().zip(v).all(|(m, v)| m >= v)
}

/// Returns the minimal markings from which steps reach a marking above `goal`. Only markings with up to `cap`
/// tokens on a place are considered. `None` if an initial marking is above one of the minimal markings.
fn backwards(world: &World, goal: &Tokens, cap: u32) -> Option<Vec<Tokens>> {
    let mut basis: Vec<Tokens> = vec![goal.clone()];
    let steps: Vec<(Tokens, Vec<Tokens>)> =
        world.small(cap).into_iter().map(|m| (m.clone(), world.steps(&m))).collect();
    loop {
        let above = |basis: &[Tokens], m: &[u32]| basis.iter().any(|v| covers(m, v));
        let new: BTreeSet<Tokens> = steps
            .iter()
            .filter(|(m, next)| !above(&basis, m) && next.iter().any(|n| above(&basis, n)))
            .map(|(m, _)| m.clone())
            .collect();
        if world.initial.iter().any(|m| above(&basis, m)) {
            return None;
        }
        if new.is_empty() {
            return Some(basis);
        }
        let least = new.iter().filter(|m| !new.iter().any(|n| n != *m && covers(m, n))).cloned();
        basis.extend(least.collect::<Vec<_>>());
    }
}

fn invariant(basis: &[Tokens]) -> NetInvariant {
    let vector = |v: &Tokens| -> Vector {
        v.iter().enumerate().filter(|(_, n)| **n > 0).map(|(q, n)| (PlaceId::new(q), (*n).into())).collect()
    };
    NetInvariant::NeverCovered(basis.iter().map(vector).collect())
}

/// The result of a backward search is accepted. A damaged result is accepted only if it is true. The search
/// leaves out vectors that are no states of thread-transition systems (two shared states at once). A
/// concurrency relation excludes these vectors.
#[test]
fn backward_search_is_accepted_and_damage_is_not_unless_true() {
    let mut rng = Rng(501);
    let (mut accepted, mut damaged) = (0, 0);
    for round in 0..1500 {
        let world = World::random(&mut rng, 4);
        if world.places > 5 {
            continue;
        }
        let mut goal: Tokens = vec![0; world.places];
        for _ in 0..1 + rng.below(2) {
            goal[rng.below(world.places)] += 1;
        }
        let Some(basis) = backwards(&world, &goal, 3) else { continue };
        let mut invariants = vec![invariant(&basis)];
        if let SystemModel::Threads(system) = &world.system {
            invariants.insert(0, shared_states(system));
        }
        let formula =
            Formula::cover(&goal.iter().enumerate().map(|(q, n)| (PlaceId::new(q), (*n).into())).collect::<Vec<_>>());
        let verdict = excludes(&world.system, invariants.clone(), formula.clone());
        // Only predecessors with more tokens than the search inspects may be missing.
        let large = basis.iter().any(|v| v.iter().any(|n| *n > 1)) || matches!(world.system, SystemModel::Net(_));
        assert!(verdict.is_ok() || large, "round {round}: {verdict:?} {basis:?}\n{:?}", world.system);
        accepted += usize::from(verdict.is_ok());
        for _ in 0..6 {
            let mut bad = basis.clone();
            let at = rng.below(bad.len());
            match rng.below(3) {
                0 => drop(bad.remove(at)),
                1 => bad[at][rng.below(world.places)] ^= 1,
                _ => bad[at][rng.below(world.places)] = 0,
            }
            *invariants.last_mut().unwrap() = invariant(&bad);
            if accepts(&world.system, invariants.clone()).is_ok() {
                damaged += 1;
                for m in &world.reached {
                    assert!(
                        invariants.iter().all(|f| is_true(f, m)),
                        "round {round}: {m:?} {invariants:?}\n{:?}",
                        world.system
                    );
                }
            }
            if excludes(&world.system, invariants.clone(), formula.clone()).is_ok() {
                assert!(
                    !world.reached.iter().any(|m| covers(m, &goal)),
                    "round {round}: {invariants:?}\n{:?}",
                    world.system
                );
            }
        }
    }
    assert!(accepted > 150 && damaged > 100, "{accepted} {damaged}");
}

/// The concurrency relation: no two shared states at once, and none twice.
fn shared_states(system: &model::ThreadTransitionSystem) -> NetInvariant {
    NetInvariant::ConcurrencyRelation(ConcurrencyRelation::none(
        (0..system.shared() as usize).map(PlaceId::new).collect(),
    ))
}

#[test]
fn random_vectors_are_accepted_only_if_true() {
    let mut rng = Rng(502);
    let mut accepted = 0;
    for round in 0..20_000 {
        let world = World::random(&mut rng, 3);
        let vector =
            |rng: &mut Rng| -> Tokens { (0..world.places).map(|_| [0, 0, 1, 1, 2, 3][rng.below(6)]).collect() };
        let basis: Vec<Tokens> = (0..1 + rng.below(5)).map(|_| vector(&mut rng)).collect();
        let invariants = vec![invariant(&basis)];
        if accepts(&world.system, invariants.clone()).is_ok() {
            accepted += 1;
            for m in &world.reached {
                assert!(
                    invariants.iter().all(|f| is_true(f, m)),
                    "round {round}: {m:?} {invariants:?}\n{:?}",
                    world.system
                );
            }
        }
    }
    assert!(accepted > 300, "{accepted}");
}

fn one(transitions: Vec<Transition>) -> SystemModel {
    let places = vec![place("a", 0, None), place("b", 0, Some(0)), place("c", 0, Some(0)), place("d", 0, Some(1))];
    SystemModel::Net(Arc::new(net(places, transitions)))
}

#[test]
fn predecessors_under_sums_are_all_ways_to_share() {
    // c gets a twice and b once.
    let t = transition("t", &[(3, 1, None)], &[(2, &[0, 0, 1], 1)]);
    let grow = arcs("grow", &[0], &[0, 1]);
    let system = one(vec![t, grow]);
    // c >= 4 needs 2a + b >= 3: (2, 0), (1, 1), (0, 3).
    let why = accepts(&system, vec![vectors(&[&[(2, 4)]])]);
    rejected(why, "transition number 1 may lead from");
    let bounded = vec![place("a", 0, Some(1)), place("b", 0, Some(0)), place("c", 0, Some(0)), place("d", 0, Some(1))];
    let t = transition("t", &[(2, 0, Some(0)), (3, 1, None)], &[(2, &[0, 0, 1], 1)]);
    let system = SystemModel::Net(Arc::new(net(bounded, vec![t])));
    assert!(accepts(&system, vec![vectors(&[&[(2, 4)], &[(0, 2)], &[(1, 1)]])]).is_ok());
    rejected(accepts(&system, vec![vectors(&[&[(2, 4)], &[(0, 2)], &[(1, 2)]])]), "from `a` >= 1, `b` >= 1, `d` >= 1");
    rejected(accepts(&system, vec![vectors(&[&[(2, 4)], &[(0, 2)]])]), "may lead from");
    // Guards with upper ends discard predecessors: t requires that c is empty.
    assert!(accepts(&system, vec![vectors(&[&[(2, 5)], &[(0, 2)], &[(1, 1)]])]).is_ok());
}

#[test]
fn hostile_vectors_are_rejected() {
    let system = one(vec![]);
    for bad in [&[(1, 1), (0, 1)][..], &[(1, 1), (1, 1)], &[(9, 1)], &[(1, 0)]] {
        rejected(accepts(&system, vec![vectors(&[bad])]), "known and ascending");
    }
    rejected(accepts(&system, vec![vectors(&[&[]])]), "empty vector");
    rejected(accepts(&system, vec![vectors(&[&[(0, 9)]])]), "an initial marking covers a vector: `a` >= 9");
    rejected(accepts(&system, vec![vectors(&[&[(3, 1)]])]), "an initial marking covers");
    assert!(accepts(&system, vec![vectors(&[&[(3, 2)], &[(0, 1), (1, 1)]])]).is_ok());
    assert!(accepts(&system, vec![vectors(&[])]).is_ok());
    let huge: Vector = vec![(p(1), BigUint::from(1u8) << 400)];
    assert!(accepts(&system, vec![NetInvariant::NeverCovered(vec![huge.clone()])]).is_ok());
    // Numbers beyond machine words are not distinguished. This only rejects more claims.
    let lots = Transition::from_arcs("lots".into(), &[(p(0), 1u8.into())], &[(p(1), BigUint::from(1u8) << 399)]);
    assert!(accepts(&one(vec![lots]), vec![NetInvariant::NeverCovered(vec![huge])]).is_err());
}

/// If there are too many ways to share, the work limit ends the check.
#[test]
fn very_many_ways_to_share_are_too_dear() {
    let t = transition("t", &[], &[(2, &[0, 1, 3], 0)]);
    let system = one(vec![t]);
    let verdict = accepts(&system, vec![vectors(&[&[(2, 1 << 40)]])]);
    assert_eq!(verdict, Err(Refusal::ResourceLimit));
}
