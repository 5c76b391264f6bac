//! Tests spreads of threads over targets: a spread is possible iff moving the threads one by one can produce
//! it.

use super::Rng;
use crate::net::outcomes::{Group, possible};
use std::collections::BTreeSet;

/// Returns all spreads, thread by thread.
fn spreads(groups: &[(Vec<usize>, u64)], locals: usize) -> BTreeSet<Vec<u64>> {
    let mut all = BTreeSet::from([vec![0; locals]]);
    for (targets, threads) in groups {
        for _ in 0..*threads {
            let one = |spread: &Vec<u64>, to: &usize| {
                let mut spread = spread.clone();
                spread[*to] += 1;
                spread
            };
            all = all.iter().flat_map(|s| targets.iter().map(move |to| one(s, to))).collect();
        }
    }
    all
}

#[test]
fn random_spreads_agree_with_moving_one_by_one() {
    let mut rng = Rng(3);
    let (mut yes, mut no) = (0, 0);
    for round in 0..400 {
        let locals = 1 + rng.below(5);
        let groups: Vec<(Vec<usize>, u64)> = (0..rng.below(4))
            .map(|_| {
                let mut targets: Vec<usize> = (0..locals).filter(|_| rng.one_in(2)).collect();
                if targets.is_empty() {
                    targets.push(rng.below(locals));
                }
                (targets, rng.below(4) as u64)
            })
            .collect();
        let all = spreads(&groups, locals);
        let threads: u64 = groups.iter().map(|g| g.1).sum();
        let asked: Vec<Group> =
            groups.iter().map(|(targets, threads)| Group { targets: targets.clone(), threads: *threads }).collect();
        for _ in 0..20 {
            let mut wanted = vec![0; locals];
            for _ in 0..threads + u64::from(rng.one_in(10)) {
                wanted[rng.below(locals)] += 1;
            }
            let expected = all.contains(&wanted);
            assert_eq!(possible(&asked, wanted.clone()), expected, "round {round}: {groups:?} {wanted:?}");
            *(if expected { &mut yes } else { &mut no }) += 1;
        }
    }
    assert!(yes > 500 && no > 500, "the generator is too weak: {yes} {no}");
}

/// Greedy choices must be revised, and the result does not depend on the size of the numbers.
#[test]
fn a_chain_of_groups_gives_way() {
    let count = 200;
    let most = u64::from(u32::MAX);
    let targets: Vec<Vec<usize>> = (0..count).map(|i| vec![i, i + 1]).collect();
    let groups: Vec<Group> = targets.iter().map(|targets| Group { targets: targets.clone(), threads: most }).collect();
    for hole in [0, 77, count] {
        let wanted = |extra: u64| -> Vec<u64> {
            (0..=count)
                .map(|i| {
                    if i == hole {
                        0
                    } else if i == 5 {
                        most + extra
                    } else {
                        most
                    }
                })
                .collect()
        };
        assert!(possible(&groups, wanted(0)), "{hole}");
        assert!(!possible(&groups, wanted(1)));
    }
    let mut shifted = vec![most; count + 1];
    (shifted[0], shifted[1], shifted[9]) = (0, 0, 2 * most);
    assert!(!possible(&groups, shifted), "the first group has nowhere to go");
}
