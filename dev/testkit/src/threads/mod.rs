//! Thread-transition systems: successors of markings from the documentation of [`model::threads`], computed for
//! each thread separately.
//!
//! A marking has one place for each shared state, followed by one place for each local state. Exactly one place
//! of a shared state holds a token.

mod generate;
mod strategy;

pub use generate::system;
pub use strategy::systems;

use crate::Count;
use model::{Act, LocalId, ThreadTransition, ThreadTransitionSystem};
use num_bigint::BigUint;
use std::collections::BTreeSet;

/// Returns the markings after the transition, ascending and each once. Empty if the transition is not enabled.
pub fn fire<N: Count>(system: &ThreadTransitionSystem, t: &ThreadTransition, marking: &[N]) -> Vec<Vec<N>> {
    let counts: Vec<usize> = marking.iter().map(|n| n.big().try_into().expect("few threads")).collect();
    let place = |l: LocalId| system.local_place(l).index();
    let (shared, active) = (system.shared_place(t.from.0).index(), place(t.from.1));
    if counts[shared] == 0 || counts[active] == 0 {
        return Vec::new();
    }
    let mut after = vec![0; counts.len()];
    after[system.shared_place(t.to.0).index()] = 1;
    after[place(t.to.1)] += 1;
    after[active] += usize::from(t.act == Act::Spawn);
    let mut found = BTreeSet::from([after]);
    for l in (0..system.locals()).map(LocalId) {
        let others = counts[place(l)] - usize::from(l == t.from.1);
        let targets: Vec<usize> = targets(t, l).iter().map(|to| place(*to)).collect();
        for _ in 0..others {
            let arrive = |m: &Vec<usize>, to: usize| {
                let mut m = m.clone();
                m[to] += 1;
                m
            };
            found = found.iter().flat_map(|m| targets.iter().map(move |to| arrive(m, *to))).collect();
        }
    }
    let counted = |m: Vec<usize>| m.into_iter().map(|n| N::of(&n.into())).collect();
    found.into_iter().map(counted).collect()
}

/// Returns the local states to which a passive thread in `l` may move.
fn targets(t: &ThreadTransition, l: LocalId) -> Vec<LocalId> {
    match t.passive.get(&l) {
        Some(targets) => targets.clone(),
        None if t.act == Act::Transfer && l == t.from.1 => vec![t.to.1],
        None => vec![l],
    }
}

/// Returns the initial marking with the fewest threads.
#[must_use]
pub fn least<N: Count>(system: &ThreadTransitionSystem) -> Vec<N> {
    let mut counts = vec![BigUint::ZERO; system.places()];
    counts[system.shared_place(system.initial().shared).index()] = 1u8.into();
    for (&l, n) in &system.initial().threads {
        counts[system.local_place(l).index()] = n.clone();
    }
    counts.iter().map(N::of).collect()
}

/// True if the marking is initial.
pub fn may_start<N: Count>(system: &ThreadTransitionSystem, marking: &[N]) -> bool {
    let is_open = |p: usize| system.initial().any.iter().any(|&l| system.local_place(l).index() == p);
    let least = least::<N>(system);
    (0..least.len()).all(|p| marking[p] == least[p] || is_open(p) && marking[p] > least[p])
}

/// True if `marking` is a marking of the system, i.e. has exactly one shared state.
pub fn is_marking<N: Count>(system: &ThreadTransitionSystem, marking: &[N]) -> bool {
    marking[..system.shared() as usize].iter().map(Count::big).sum::<BigUint>() == BigUint::from(1u8)
}

/// Returns the marking for the slots of a trace: the shared state, then the number of threads in each local
/// state.
#[must_use]
pub fn marking<N: Count>(system: &ThreadTransitionSystem, slots: &[u32]) -> Vec<N> {
    let shared = (0..system.shared()).map(|s| u32::from(s == slots[0]));
    shared.chain(slots[1..].iter().copied()).map(|n| N::of(&n.into())).collect()
}
