//! Tests bounds and traps of small random nets against all their reachable markings.

use super::inductive::Weights;
use super::*;
use crate::invariants::traps::Traps;
use model::{Effect, Guard, Net, NetTask, Place, PlaceId, Range, Stop, Transition};
use num_bigint::BigUint;
use proptest::prelude::*;
use std::sync::Arc;
use testkit::net::{boxed, may_start, successors};
use testkit::reach;

const MOST: u64 = 6;

/// A transition. Guards are pairs (least, width), where width 3 means no upper bound. Effects are listed by
/// place: `None`, or the number added and the sources.
type Sketch = (Vec<(u64, u64)>, Vec<Option<(i64, Vec<u32>)>>);

fn net(places: usize) -> impl Strategy<Value = Net> {
    let guard = prop_oneof![3 => Just((0u64, 3u64)), 3 => Just((1, 3)), 1 => (0u64..3, 0u64..4)];
    let sources = prop::collection::vec(0..places as u32, 0..3);
    let effect = prop_oneof![
        3 => Just(None),
        4 => (-2i64..3).prop_map(|add| Some((add, vec![u32::MAX]))),
        1 => (-1i64..2, sources).prop_map(Some),
    ];
    let transition = (prop::collection::vec(guard, places), prop::collection::vec(effect, places));
    let initial = prop::collection::vec(prop_oneof![4 => (0u64..3).prop_map(|n| (n, n)), 1 => Just((0, 1))], places);
    (initial, prop::collection::vec(transition, 1..5)).prop_map(|(initial, sketches)| build(&initial, &sketches))
}

fn build(initial: &[(u64, u64)], sketches: &[Sketch]) -> Net {
    let range = |a: u64, b: Option<u64>| Range { at_least: a.into(), at_most: b.map(BigUint::from) };
    let place = |(i, (a, b)): (usize, &(u64, u64))| Place { name: format!("p{i}"), initial: range(*a, Some(*b)) };
    let places = initial.iter().enumerate().map(place).collect();
    let mut transitions = Vec::new();
    for (t, (guards, effects)) in sketches.iter().enumerate() {
        let mut least: Vec<u64> = guards.iter().map(|g| g.0).collect();
        let mut kept = Vec::new();
        for (p, effect) in (0u32..).zip(effects) {
            let Some((add, sources)) = effect else { continue };
            let mut sources: Vec<u32> = sources.iter().map(|s| if *s == u32::MAX { p } else { *s }).collect();
            sources.sort_unstable();
            // Guards ensure that no count falls below zero.
            let ensured: i64 = sources.iter().map(|s| least[*s as usize].cast_signed()).sum();
            let add = match sources.first() {
                Some(s) if ensured + add < 0 => {
                    least[*s as usize] += (-add - ensured).unsigned_abs();
                    *add
                }
                None => add.abs(),
                _ => *add,
            };
            let sources = sources.into_iter().map(PlaceId).collect();
            kept.push(Effect { place: PlaceId(p), sources, add: add.into() });
        }
        let upper = |p: usize| (guards[p].1 < 3).then(|| least[p] + guards[p].1);
        let guards = (0..guards.len()).map(|p| Guard { place: PlaceId::new(p), range: range(least[p], upper(p)) });
        transitions.push(Transition { name: format!("t{t}"), guards: guards.collect(), effects: kept });
    }
    Net::new(places, transitions).expect("a net")
}

/// Returns the markings that are reachable with at most `MOST` tokens per place. They suffice to catch a wrong
/// claim.
fn reachable(net: &Net) -> Vec<Vec<u64>> {
    let starts = boxed(net.places().len(), 2).into_iter().filter(|m: &Vec<u64>| may_start(net, m));
    let next = |m: &Vec<u64>| successors(net, m).filter(|to| to.iter().all(|n| *n <= MOST)).collect();
    reach(starts, usize::MAX, next).expect("there is no limit").states
}

fn invariants(net: Net) -> Invariants {
    Invariants::new(&NetTask::plain(Arc::new(net), vec![], vec![])).expect("small numbers")
}

fn sum(weights: &Weights, marking: &[u64]) -> BigInt {
    weights.iter().map(|(p, w)| w * marking[*p as usize]).sum()
}

fn refuted(invariants: &Invariants, vector: &[(u32, u64)]) -> Option<AtMost> {
    refute(invariants, vector, &mut Budget::unlimited(Arc::new(Stop::default())))
}

proptest! {
    #![proptest_config(testkit::config(512))]

    #[test]
    fn bounds_hold_of_all_reachable_markings(net in net(4), vector in prop::collection::vec(0u64..4, 4)) {
        let invariants = invariants(net.clone());
        let vector: Vec<(u32, u64)> = (0..).zip(vector).filter(|(_, n)| *n > 0).collect();
        if let Some(bound) = refuted(&invariants, &vector) {
            let weights: Weights = bound.terms.iter().map(|(p, w)| (p.0, w.clone())).collect();
            prop_assert!(weights.values().all(|w| *w > BigInt::from(0)));
            for marking in reachable(&net) {
                prop_assert!(sum(&weights, &marking) <= bound.at_most, "{marking:?} {bound:?}");
            }
            let mut asked = vec![0; 4];
            vector.iter().for_each(|(p, n)| asked[*p as usize] = *n);
            prop_assert!(sum(&weights, &asked) > bound.at_most);
        }
    }

    /// Inequalities have weights of any sign. Some places lose tokens outside the net.
    #[test]
    fn refuted_inequalities_hold_of_no_reachable_marking(
        net in net(4),
        atoms in prop::collection::vec((prop::collection::vec(-2i64..=2, 4), -3i64..=3), 1..4),
        whole in prop::collection::vec(prop::bool::weighted(0.8), 4),
    ) {
        let invariants = invariants(net.clone());
        let Some(mut system) = System::new(invariants.rules(), &whole) else { return Ok(()) };
        let holds = |m: &[u64], (c, b): &(Vec<i64>, i64)| {
            c.iter().zip(m).map(|(c, n)| c * n.cast_signed()).sum::<i64>() >= *b
        };
        let mut ids = Vec::new();
        for (c, b) in &atoms {
            let terms: Vec<_> = (0..).zip(c).filter(|(_, c)| **c != 0).map(|(p, c)| (p, BigInt::from(*c))).collect();
            if !terms.is_empty() {
                ids.push(system.atom(&terms, &BigInt::from(*b)));
            }
        }
        let atoms: Vec<_> = atoms.into_iter().filter(|(c, _)| c.iter().any(|c| *c != 0)).collect();
        match system.solve(&ids, 1_000_000) {
            Feasibility::Refuted(refutation) => {
                prop_assert!(system.checked(refutation, invariants.rules(), &whole).is_some());
                for m in reachable(&net) {
                    prop_assert!(!atoms.iter().all(|a| holds(&m, a)), "{m:?}");
                }
            }
            answer => prop_assert_eq!(answer, Feasibility::Feasible),
        }
    }

    #[test]
    fn marked_traps_stay_marked(net in net(4), within in prop::collection::vec(prop::bool::weighted(0.8), 4)) {
        let invariants = invariants(net.clone());
        let traps = Traps::new(invariants.rules(), invariants.whole());
        if let Some(trap) = traps.marked(&within, 10) {
            prop_assert!(trap.iter().all(|p| within[*p as usize]));
            for m in reachable(&net) {
                prop_assert!(trap.iter().any(|p| m[*p as usize] > 0), "{m:?} {trap:?}");
            }
        }
    }
}

/// Builds a chain of places in which each transition triples the tokens. Its numbers exceed machine words.
fn chain(length: u32) -> Invariants {
    let one = || BigUint::from(1u8);
    let places =
        (0..length).map(|i| Place { name: format!("p{i}"), initial: Range::exactly(u8::from(i == 0)) }).collect();
    let step = |i| Transition::from_arcs(format!("t{i}"), &[(PlaceId(i), one())], &[(PlaceId(i + 1), 3u8.into())]);
    invariants(Net::new(places, (0..length - 1).map(step).collect()).expect("a net"))
}

#[test]
fn a_multiplying_chain_counts_exactly() {
    let invariants = chain(20);
    let most = 3u64.pow(19);
    assert!(refuted(&invariants, &[(19, most)]).is_none());
    let bound = refuted(&invariants, &[(19, most + 1)]).expect("one more than there can be");
    assert_eq!(bound.at_most, BigInt::from(most));
}

#[test]
fn chains_need_numbers_beyond_machine_words() {
    let invariants = chain(60);
    assert!(refuted(&invariants, &[(30, 1), (32, 1), (33, 4)]).is_none());
    assert!(refuted(&invariants, &[(0, 1), (59, 1)]).is_some());
}
