//! Tests that all ways to spread are enumerated, each once.

use crate::net::shape::At;
use crate::net::spread::{Pick, Spread};
use std::collections::BTreeSet;

fn ways(picks: &[(bool, usize)], state: &[u32]) -> Vec<Vec<u32>> {
    let pick = |(slot, &(but_one, bins))| Pick { source: At::Tokens { slot: slot as u32 }, but_one, bins };
    let picks: Vec<Pick> = picks.iter().enumerate().map(pick).collect();
    let mut spread = Spread::default();
    spread.begin(&picks, state);
    let mut all = vec![spread.bins().to_vec()];
    while spread.advance() {
        all.push(spread.bins().to_vec());
    }
    all
}

#[test]
fn each_way_comes_once() {
    for threads in 0..6 {
        for bins in 1..5 {
            let all = ways(&[(false, bins)], &[threads]);
            let mut expected: Vec<Vec<u32>> = vec![vec![]];
            for _ in 0..bins {
                expected = expected.iter().flat_map(|w| (0..=threads).map(|n| [&w[..], &[n]].concat())).collect();
            }
            expected.retain(|w| w.iter().sum::<u32>() == threads);
            assert_eq!(all.len(), expected.len());
            assert_eq!(BTreeSet::from_iter(all), BTreeSet::from_iter(expected));
        }
    }
}

#[test]
fn picks_are_independent() {
    assert_eq!(ways(&[], &[]), [[0u32; 0]; 1]);
    assert_eq!(ways(&[(true, 3)], &[1]), [[0, 0, 0]]);
    let all: BTreeSet<Vec<u32>> = ways(&[(false, 3), (true, 2), (false, 2)], &[2, 3, 0]).into_iter().collect();
    assert_eq!(all.len(), 6 * 3);
    assert!(all.iter().all(|w| w[..3].iter().sum::<u32>() == 2 && w[3..5].iter().sum::<u32>() == 2));
}
