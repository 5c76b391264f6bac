//! Random small thread-transition systems with broadcasts.

use model::{Act, LocalId, SharedId, ThreadInit, ThreadTransition, ThreadTransitionSystem};
use num_bigint::BigUint;
use proptest::collection::{btree_map, btree_set, vec};
use proptest::prelude::*;

const SHARED: u32 = 2;
const LOCALS: u32 = 3;

fn local() -> impl Strategy<Value = LocalId> + use<> {
    (0..LOCALS).prop_map(LocalId)
}

fn pair() -> impl Strategy<Value = (SharedId, LocalId)> {
    ((0..SHARED).prop_map(SharedId), local())
}

fn transition(targets: usize) -> impl Strategy<Value = ThreadTransition> {
    let act = prop_oneof![6 => Just(Act::Move), 1 => Just(Act::Spawn), 1 => Just(Act::Transfer)];
    let some = move || btree_set(local(), 1..=targets).prop_map(|s| s.into_iter().collect::<Vec<_>>());
    let passive = prop_oneof![1 => btree_map(local(), some(), 0..1), 1 => btree_map(local(), some(), 1..3)];
    (pair(), pair(), act, passive).prop_map(|(from, to, act, passive)| {
        let passive = if act == Act::Move { passive } else { Default::default() };
        ThreadTransition { from, to, act, passive }
    })
}

/// A strategy for thread-transition systems in which passive moves have at most `targets` targets.
pub fn systems(targets: usize) -> impl Strategy<Value = ThreadTransitionSystem> {
    let threads = btree_map(local(), (1u8..3).prop_map(BigUint::from), 1..3);
    let any = btree_set(local(), 0..2).prop_map(|s| s.into_iter().collect());
    let init = (threads, any).prop_map(|(threads, any)| ThreadInit { shared: SharedId(0), threads, any });
    (init, vec(transition(targets), 1..5))
        .prop_map(|(init, ts)| ThreadTransitionSystem::new(SHARED, LOCALS, init, ts).unwrap())
}
