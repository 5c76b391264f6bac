//! Best-first search against brute force on random nets.

use super::BestFirst;
use super::seen::Seen;
use model::{Budget, Claim, Engine, Goal, Net, NetTask, Range, Stop, Trace, Turn};
use num_bigint::BigUint;
use proptest::collection::vec;
use proptest::prelude::*;
use std::sync::Arc;
use testkit::formula::any_formulas;
use testkit::net::{arcs, explore, is_goal_of, nets, place, replay, task};

/// All claims, in turns of `work` units.
fn claims(task: &NetTask, work: u64) -> Vec<(Goal, Trace)> {
    let mut engine = BestFirst::new(task.clone(), &[20, 2_000]);
    let mut found = Vec::new();
    loop {
        match engine.run(&mut Budget::new(work, Arc::new(Stop::default()))) {
            Turn::Claims(Claim::Unsafe { goal, trace, candidate: false }) => found.push((goal, trace)),
            Turn::Claims(claim) => panic!("{claim:?}"),
            Turn::More => {}
            Turn::Done => return found,
        }
    }
}

proptest! {
    #![proptest_config(testkit::config(1000))]

    #[test]
    fn claims_are_runs_and_small_spaces_are_searched_to_the_end(
        net in nets(1..6, 1..7, false),
        recipes in vec(any_formulas(), 1..3),
        deadlock: bool,
    ) {
        let formulas = recipes.iter().map(|r| r.over(net.places().len())).collect();
        let task = task(net, formulas, deadlock);
        let found = claims(&task, 1_000);
        for (goal, trace) in &found {
            let end = replay::<BigUint>(&task.net, trace);
            prop_assert!(end.is_some_and(|end| is_goal_of(&task, *goal, &end)));
        }
        // Turns of other lengths change nothing.
        prop_assert_eq!(&found, &claims(&task, 7));
        let small = |n: &BigUint| n.bits() < 20;
        if let Some(reach) = explore(&task, 300)
            && task.net.open_places().is_empty()
            && reach.depths.keys().flatten().all(small)
        {
            for goal in reach.goals.keys() {
                prop_assert!(found.iter().any(|(g, _)| g == goal), "{:?} is missed", goal);
            }
        }
    }

    #[test]
    fn stored_tokens_are_read_again(markings in vec(vec((any::<u32>(), 1..u64::MAX), 0..8), 1..5)) {
        let mut seen = Seen::default();
        for (hash, marking) in (0u64..).zip(&markings) {
            let id = seen.add(None, 0, hash).expect("each hash is new");
            seen.store(id, marking.iter().copied());
        }
        for (id, marking) in (0u32..).zip(&markings) {
            prop_assert_eq!(&seen.stored(id).collect::<Vec<_>>(), marking);
        }
    }
}

#[test]
fn a_long_way_is_found_within_few_markings() {
    // Ten counters of which each counts to ten: there are 11 to the power of 10 markings.
    let counters = 10u32;
    let places = (0..2 * counters).map(|p| place(format!("p{p}"), Range::exactly(10 * (1 - p % 2)))).collect();
    let count = |i: u32| arcs(format!("count{i}"), &[(2 * i, 1)], &[(2 * i + 1, 1)]);
    let net = Net::new(places, (0..counters).map(count).collect()).unwrap();
    let full: Vec<_> = (0..counters).map(|i| (model::PlaceId(2 * i + 1), BigUint::from(10u8))).collect();
    let task = task(net, vec![model::Formula::cover(&full)], true);
    let found = claims(&task, 100_000);
    assert_eq!(found.iter().map(|(_, trace)| trace.len()).collect::<Vec<_>>(), [Some(100), Some(100)]);
}
