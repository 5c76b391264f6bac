//! Compares counts with brute force, and with closed forms.

use crate::diagrams::counts;
use model::{Counts, Net, Place, Range, Reason, Stop, SystemModel, Transition};
use num_bigint::BigUint;
use std::sync::Arc;
use testkit::Random;
use testkit::marked::branching::Graph;
use testkit::net::{arcs, net, place};

#[test]
fn counts_are_those_of_brute_force() {
    let (mut compared, mut seed) = (0, 0);
    while compared < testkit::count(20_000) {
        seed += 1;
        let net = Arc::new(net(&mut Random::new(seed)));
        let Some(graph) = Graph::of(&SystemModel::from(Arc::clone(&net)), 300) else { continue };
        compared += 1;
        let found = counts(&net, u64::MAX, &Arc::default());
        let Ok(Some(found)) = found else { panic!("seed {seed}: {found:?}") };
        assert_eq!(found.markings, graph.markings.len().into(), "seed {seed}");
        assert_eq!(found.arcs, graph.next.iter().map(Vec::len).sum::<usize>().into(), "seed {seed}");
        let most = graph.markings.iter().flatten().max().cloned().unwrap_or_default();
        assert_eq!(found.place, most, "seed {seed}");
        let sums = graph.markings.iter().map(|m| m.iter().sum::<BigUint>());
        assert_eq!(found.marking, sums.max().unwrap_or_default(), "seed {seed}");
    }
}

fn counted(places: Vec<Place>, transitions: Vec<Transition>) -> Counts {
    let net = Arc::new(Net::new(places, transitions).unwrap());
    counts(&net, u64::MAX, &Arc::default()).unwrap().unwrap()
}

/// Philosophers take both forks at once: markings are the sets of eating ones without neighbours, which the Lucas
/// numbers count.
#[test]
fn philosophers_are_counted_by_lucas_numbers() {
    for n in [3u32, 10, 100, 400] {
        let places = ["think", "eat", "fork"]
            .into_iter()
            .enumerate()
            .flat_map(|(i, name)| (0..n).map(move |k| place(format!("{name}{k}"), Range::exactly(u32::from(i != 1)))));
        let take = |k: u32| {
            let forks = [(k, 1), (2 * n + k, 1), (2 * n + (k + 1) % n, 1)];
            [arcs(format!("take{k}"), &forks, &[(n + k, 1)]), arcs(format!("put{k}"), &[(n + k, 1)], &forks)]
        };
        let found = counted(places.collect(), (0..n).flat_map(take).collect());
        let (mut lucas, mut next) = (BigUint::from(2u8), BigUint::from(1u8));
        for _ in 0..n {
            (lucas, next) = (next.clone(), lucas + next);
        }
        assert_eq!(found.markings, lucas, "{n}");
        assert_eq!((found.place, found.marking), (1u8.into(), (2 * n).into()));
    }
}

/// Independent rings of five places with three tokens each: the markings of a ring are the ways to spread the tokens.
#[test]
fn rings_are_counted_by_powers() {
    let rings = 60u32;
    let places = (0..5 * rings).map(|p| place(format!("p{p}"), Range::exactly(if p % 5 == 0 { 3u8 } else { 0 })));
    let step = |p: u32| arcs(format!("t{p}"), &[(p, 1)], &[(if p % 5 == 4 { p - 4 } else { p + 1 }, 1)]);
    let found = counted(places.collect(), (0..5 * rings).map(step).collect());
    // 7 over 3 ways to spread three tokens; a transition is enabled in 6 over 2 of them.
    assert_eq!(found.markings, BigUint::from(35u8).pow(rings));
    assert_eq!(found.arcs, BigUint::from(35u8).pow(rings - 1) * 15u8 * (5 * rings));
    assert_eq!((found.place, found.marking), (3u8.into(), (3 * rings).into()));
}

#[test]
fn a_net_without_places_has_one_marking() {
    let found = counted(Vec::new(), vec![arcs("t", &[], &[]), arcs("u", &[], &[])]);
    assert_eq!((found.markings, found.arcs), (1u8.into(), 2u8.into()));
}

#[test]
fn limits_end_the_count() {
    let places = vec![place("p", Range::exactly(0u8)), place("q", Range::exactly(0u8))];
    let add = [arcs("t", &[], &[(0, 1)]), arcs("u", &[(0, 1)], &[(1, 2)])];
    let net = Arc::new(Net::new(places, add.to_vec()).unwrap());
    assert_eq!(counts(&net, 100_000, &Arc::default()), Ok(None));
    let stop = Arc::new(Stop::default());
    stop.raise(Reason::Timeout);
    assert_eq!(counts(&net, u64::MAX, &stop), Err(Reason::Timeout));
    let stop = Arc::new(Stop::with_memory_limit(1 << 20, || 1 << 20));
    assert_eq!(counts(&net, u64::MAX, &stop), Err(Reason::Memory));

    let open = Net::new(vec![place("p", Range::from(0u8))], Vec::new()).unwrap();
    assert_eq!(counts(&Arc::new(open), u64::MAX, &Arc::default()), Err(Reason::Unsupported));
}

/// A collection of unreachable nodes does not change the result.
#[test]
fn counts_do_not_depend_on_collections() {
    let queue = |n: u32| {
        let places = (0..n).map(|p| place(format!("p{p}"), Range::exactly(if p == 0 { 6u8 } else { 0 })));
        let pairs = (0..n).flat_map(|p| (0..n).filter(move |q| *q != p).map(move |q| (p, q)));
        let moves = pairs.map(|(p, q)| arcs(format!("t{p}.{q}"), &[(p, 1)], &[(q, 1)])).collect();
        Net::new(places.collect(), moves).unwrap()
    };
    let net = queue(7);
    let levels: Vec<Vec<u32>> = (0..7).map(|p| vec![p]).collect();
    let stop = Stop::default();
    let mut markings = Vec::new();
    for full in [1, usize::MAX] {
        let mut saturation = crate::diagrams::saturation::Saturation::new(
            crate::diagrams::local::Local::new(&net, &levels),
            u64::MAX,
            &stop,
        );
        saturation.full = full;
        let root = saturation.reachable(&net).unwrap();
        let found = crate::diagrams::tally::tally(&saturation.local, &saturation.nodes, root, &stop).unwrap();
        markings.push(found.markings);
    }
    // 12 over 6 ways to spread six tokens on seven places.
    assert_eq!(markings, [BigUint::from(924u32), 924u32.into()]);
}
