//! Linear bounds hold in every marking that brute force reaches, and every transition preserves them wherever
//! they hold.

use crate::naive::{Marking, explore};
use impasse_nets::invariants::Invariants;
use model::{AtMost, Budget, Net, NetTask};
use num_bigint::BigInt;
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use std::sync::Arc;
use testkit::net::{fire, nets};

fn sum(bound: &AtMost, marking: &Marking) -> BigInt {
    bound.terms.iter().map(|(p, w)| w * BigInt::from(marking[p.index()].clone())).sum()
}

fn check(net: Net, target: Vec<(u32, u64)>, others: &[Vec<u8>]) -> Option<()> {
    let task = NetTask::plain(Arc::new(net), Vec::new(), Vec::new());
    let invariants = Invariants::new(&task).expect("small numbers");
    let bound = invariants.grow(&target, &mut Budget::unlimited(Arc::default()))?;
    let vector: BigInt =
        target.iter().map(|(p, n)| bound.terms.iter().filter(|t| t.0.0 == *p).map(|t| &t.1 * n).sum::<BigInt>()).sum();
    assert!(vector > bound.at_most, "the target is not excluded");
    let reached = explore(&task.net, 2, 6, 500);
    for marking in &reached.markings {
        assert!(sum(&bound, marking) <= bound.at_most, "{marking:?} is reached and beyond {bound:?}");
    }
    for other in others {
        let marking: Marking = (0..task.net.places().len()).map(|p| other[p].into()).collect();
        for t in 0..task.net.transitions().len() {
            if let Some(next) = fire(&task.net.transitions()[t], &marking) {
                assert!(sum(&bound, &next) <= sum(&bound, &marking), "transition {t} raises the sum of {bound:?}");
            }
        }
    }
    Some(())
}

proptest! {
    #![proptest_config(testkit::config(6000))]

    #[test]
    fn grown_bounds_hold(
        net in nets(1..7, 0..7, false),
        target in btree_map(0u32..6, 1u64..4, 1..4),
        others in vec(vec(0u8..5, 6), 20),
    ) {
        let places = net.places().len() as u32;
        let target: Vec<(u32, u64)> = target.into_iter().filter(|(p, _)| *p < places).collect();
        check(net, target, &others);
    }
}
