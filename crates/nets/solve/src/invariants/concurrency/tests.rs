//! Tests the concurrency relation against its definition, by brute force on markings with few tokens, and on
//! single cases.

use crate::invariants::Invariants;
use model::{Budget, ConcurrencyRelation, Effect, Guard, Net, NetTask, Place, PlaceId, Range, Stop, Transition};
use num_bigint::BigInt;
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use smallvec::SmallVec;
use std::sync::Arc;
use testkit::net::{boxed, fire, may_start};

type Guarded = Vec<(u32, u8, Option<u8>)>;
type Changed = Vec<(u32, Option<Vec<u32>>, i8)>;

/// Builds a net from the least and greatest initial counts of its places and from transitions of guards and
/// effects. An effect is a place, its sources (`None`: the place itself), and the number added. The number is
/// raised so far that no count can fall below zero under the guards.
fn net(places: &[(u8, Option<u8>)], transitions: Vec<(Guarded, Changed)>) -> Net {
    let range = |least: u8, most: Option<u8>| Range { at_least: least.into(), at_most: most.map(Into::into) };
    let place = |(i, &(least, most)): (usize, &(u8, Option<u8>))| Place {
        name: format!("p{i}"),
        initial: range(least, most.map(|m| m.max(least))),
    };
    let transition = |(i, (guards, effects)): (usize, (Guarded, Changed))| {
        let ensured = |p: &u32| guards.iter().find(|g| g.0 == *p).map_or(0, |g| i32::from(g.1));
        let effect = |(p, sources, add): &(u32, Option<Vec<u32>>, i8)| {
            let mut sources = sources.clone().unwrap_or_else(|| vec![*p]);
            sources.sort_unstable();
            let add = i32::from(*add).max(-sources.iter().map(ensured).sum::<i32>());
            let sources: SmallVec<[PlaceId; 1]> = sources.into_iter().map(PlaceId).collect();
            Effect { place: PlaceId(*p), sources, add: BigInt::from(add) }
        };
        Transition {
            name: format!("t{i}"),
            effects: effects.iter().map(effect).collect(),
            guards: guards
                .iter()
                .map(|&(p, l, m)| Guard { place: PlaceId(p), range: range(l, m.map(|m| m.max(l))) })
                .collect(),
        }
    };
    let transitions = transitions.into_iter().enumerate().map(transition).collect();
    Net::new(places.iter().enumerate().map(place).collect(), transitions).expect("a net")
}

fn invariants(net: Net) -> Invariants {
    Invariants::new(&NetTask::plain(Arc::new(net), Vec::new(), Vec::new())).expect("small numbers")
}

fn unlimited() -> Budget {
    Budget::unlimited(Arc::new(Stop::default()))
}

fn pairs_of(marking: &[u64]) -> Vec<(usize, usize)> {
    let marked = || (0..marking.len()).filter(|&p| marking[p] > 0);
    marked().flat_map(|p| marked().filter(move |&q| q < p || q == p && marking[p] > 1).map(move |q| (p, q))).collect()
}

/// Computes the relation by its definition: closed under the firings of all markings that the relation allows.
/// Numbers in nets are at most 2, and more than two extra tokens on a place never lead to other pairs.
fn by_definition(net: &Net) -> (ConcurrencyRelation, Vec<bool>, Vec<u32>) {
    let places = net.places().len();
    let mut pairs = ConcurrencyRelation::none((0..places).map(PlaceId::new).collect());
    let all: Vec<Vec<u64>> = boxed(places, 4);
    let mut marked = vec![false; places];
    let see = |m: &[u64], pairs: &mut ConcurrencyRelation, marked: &mut [bool]| {
        let new = pairs_of(m).into_iter().fold(false, |new, (p, q)| pairs.allow(p, q) || new);
        (0..places).filter(|p| m[*p] > 0).fold(new, |new, p| !std::mem::replace(&mut marked[p], true) || new)
    };
    for m in all.iter().filter(|m| may_start(net, m)) {
        see(m, &mut pairs, &mut marked);
    }
    loop {
        let mut grown = false;
        let mut firing = Vec::new();
        for (number, t) in (0..).zip(net.transitions()) {
            let allowed = |m: &&Vec<u64>| {
                (0..places).all(|p| m[p] == 0 || marked[p]) && pairs_of(m).into_iter().all(|(p, q)| pairs.allows(p, q))
            };
            let after: Vec<Vec<u64>> = all.iter().filter(allowed).filter_map(|m| fire(t, m)).collect();
            if !after.is_empty() {
                firing.push(number);
            }
            for marking in after {
                grown |= see(&marking, &mut pairs, &mut marked);
            }
        }
        if !grown {
            return (pairs, marked, firing);
        }
    }
}

fn nets() -> impl Strategy<Value = Net> {
    (1u32..=5).prop_flat_map(|places| {
        let most = || prop_oneof![3 => Just(None), 1 => (0u8..=2).prop_map(Some)];
        let initial = prop_oneof![4 => Just((0, Some(0))), 2 => Just((1, Some(1))), 1 => (0u8..=2, most())];
        let guard = prop_oneof![3 => Just((1, None)), 2 => (0u8..=2, most())];
        let sources = prop_oneof![2 => Just(None), 1 => vec(0..places, 0..=3).prop_map(Some)];
        let guards =
            btree_map(0..places, guard, 0..=3).prop_map(|m| m.into_iter().map(|(p, (l, u))| (p, l, u)).collect());
        let effects = btree_map(0..places, (sources, -2i8..=2), 0..=4)
            .prop_map(|m| m.into_iter().map(|(p, (s, a))| (p, s, a)).collect());
        let places = vec(initial, places as usize);
        (places, vec((guards, effects), 0..=5)).prop_map(|(places, transitions)| net(&places, transitions))
    })
}

proptest! {
    #![proptest_config(testkit::config(600))]

    #[test]
    fn the_relation_is_as_defined(net in nets()) {
        let (pairs, marked, firing) = by_definition(&net);
        let invariants = invariants(net);
        prop_assert_eq!(invariants.pairs(&mut unlimited()), Some(&pairs));
        prop_assert_eq!(invariants.firing(&mut unlimited()), firing.as_slice());
        prop_assert_eq!(invariants.marked(&mut unlimited()), Some(marked.as_slice()));
        for marking in boxed::<u64>(marked.len(), 2) {
            let vector: Vec<(u32, u64)> = (0u32..).zip(marking.clone()).filter(|(_, n)| *n > 0).collect();
            let never = vector.iter().any(|(p, _)| !marked[*p as usize])
                || pairs_of(&marking).into_iter().any(|(p, q)| !pairs.allows(p, q));
            prop_assert_eq!(invariants.never_together(&vector, &mut unlimited()), never);
        }
    }

    #[test]
    fn what_is_reached_is_allowed(net in nets()) {
        let invariants = invariants(net.clone());
        let mut reached: Vec<Vec<u64>> = boxed(net.places().len(), 3);
        reached.retain(|m| may_start(&net, m));
        let mut seen: std::collections::BTreeSet<Vec<u64>> = reached.iter().cloned().collect();
        let pairs = invariants.pairs(&mut unlimited()).expect("a small net");
        while let Some(marking) = reached.pop() {
            let marked = invariants.marked(&mut unlimited()).expect("a small net");
            prop_assert!((0..marking.len()).all(|p| marking[p] == 0 || marked[p]));
            for (p, q) in pairs_of(&marking) {
                prop_assert!(pairs.allows(p, q), "{:?}", marking);
            }
            for (number, t) in (0..).zip(net.transitions()) {
                let Some(next) = fire(t, &marking) else { continue };
                prop_assert!(invariants.firing(&mut unlimited()).contains(&number));
                if seen.len() < 2_000 && next.iter().all(|n| *n < 1_000) && seen.insert(next.clone()) {
                    reached.push(next);
                }
            }
        }
    }
}

fn plain(takes: &[u32], gives: &[u32]) -> (Guarded, Changed) {
    let change = |p: &u32| {
        let add = i8::from(gives.contains(p)) - i8::from(takes.contains(p));
        (*p, None, add)
    };
    let mut touched: Vec<u32> = takes.iter().chain(gives).copied().collect();
    touched.sort_unstable();
    touched.dedup();
    (takes.iter().map(|p| (*p, 1, None)).collect(), touched.iter().map(change).collect())
}

#[test]
fn critical_sections_of_any_number_of_processes_exclude_each_other() {
    // The places are: lock, waiting (any number), inside.
    let enter = plain(&[0, 1], &[2]);
    let leave = plain(&[2], &[0, 1]);
    let invariants = invariants(net(&[(1, Some(1)), (0, None), (0, Some(0))], vec![enter, leave]));
    let pairs = invariants.pairs(&mut unlimited()).expect("a small net");
    assert!(!pairs.allows(2, 2) && !pairs.allows(0, 2) && !pairs.allows(0, 0));
    assert!(pairs.allows(1, 1) && pairs.allows(1, 2) && pairs.allows(0, 1));
    assert_eq!(invariants.firing(&mut unlimited()), [0, 1]);
}

#[test]
fn a_place_whose_givers_need_each_other_is_never_marked() {
    // Places 0 and 1 hold a token in turns. To mark place 2, tokens on both places are needed at once; to mark
    // both at once, a token on place 2 is needed.
    let invariants = invariants(net(
        &[(1, Some(1)), (0, Some(0)), (0, Some(0)), (0, Some(0))],
        vec![plain(&[0], &[1]), plain(&[1], &[0]), plain(&[0, 1], &[2]), plain(&[2], &[0, 1]), plain(&[2], &[3])],
    ));
    assert_eq!(invariants.firing(&mut unlimited()), [0, 1]);
    assert_eq!(invariants.marked(&mut unlimited()), Some(&[true, true, false, false][..]));
    assert!(invariants.never_together(&[(3, 1)], &mut unlimited()));
}

#[test]
fn rows_of_many_words_are_followed() {
    // Two tokens move round two disjoint rings of 70 places. Each place of one ring is paired with each place
    // of the other.
    let ring = |from: u32| (from..from + 70).map(move |p| plain(&[p], &[from + (p - from + 1) % 70]));
    let mut places = vec![(0, Some(0)); 140];
    (places[0], places[70]) = ((1, Some(1)), (1, Some(1)));
    let invariants = invariants(net(&places, ring(0).chain(ring(70)).collect()));
    let pairs = invariants.pairs(&mut unlimited()).expect("a small net");
    for (p, q) in (0..140).flat_map(|p| (0..140).map(move |q| (p, q))) {
        assert_eq!(pairs.allows(p, q), (p < 70) != (q < 70), "{p} {q}");
    }
}

#[test]
fn without_room_there_is_no_relation_and_work_goes_on() {
    let stop = Arc::new(Stop::with_memory_limit(100, || 90));
    let invariants = invariants(net(&[(1, Some(1)); 3], vec![plain(&[0], &[1])]));
    let mut budget = Budget::unlimited(Arc::clone(&stop));
    assert!(invariants.pairs(&mut budget).is_none());
    assert_eq!((invariants.firing(&mut budget), stop.raised()), (&[0][..], None));
}
