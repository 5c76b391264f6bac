//! Thread systems: what a marking is followed by, from the documentation of [`model::threads`], every thread by itself.
//!
//! Markings have a place per shared state (one of them holds a token) before those of the local states.

mod generate;
mod strategy;

pub use generate::system;
pub use strategy::systems;

use crate::Count;
use model::{Act, LocalId, ThreadSystem, ThreadTransition};
use num_bigint::BigUint;
use std::collections::BTreeSet;

/// The markings after the transition, ascending, each once; none if it is not enabled.
pub fn fire<N: Count>(system: &ThreadSystem, t: &ThreadTransition, marking: &[N]) -> Vec<Vec<N>> {
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

/// Where a thread in `l` may go that is not the active one.
fn targets(t: &ThreadTransition, l: LocalId) -> Vec<LocalId> {
    match t.passive.get(&l) {
        Some(targets) => targets.clone(),
        None if t.act == Act::Transfer && l == t.from.1 => vec![t.to.1],
        None => vec![l],
    }
}

/// The initial marking with the fewest threads.
#[must_use]
pub fn least<N: Count>(system: &ThreadSystem) -> Vec<N> {
    let mut counts = vec![BigUint::ZERO; system.places()];
    counts[system.shared_place(system.initial().shared).index()] = 1u8.into();
    for (&l, n) in &system.initial().threads {
        counts[system.local_place(l).index()] = n.clone();
    }
    counts.iter().map(N::of).collect()
}

/// May runs start in the marking?
pub fn may_start<N: Count>(system: &ThreadSystem, marking: &[N]) -> bool {
    let is_open = |p: usize| system.initial().any.iter().any(|&l| system.local_place(l).index() == p);
    let least = least::<N>(system);
    (0..least.len()).all(|p| marking[p] == least[p] || is_open(p) && marking[p] > least[p])
}

/// Is it a marking of the system: is there one shared state?
pub fn is_marking<N: Count>(system: &ThreadSystem, marking: &[N]) -> bool {
    marking[..system.shared() as usize].iter().map(Count::big).sum::<BigUint>() == BigUint::from(1u8)
}

/// The marking that the slots of a trace name: the shared state, then the threads in each local state.
#[must_use]
pub fn marking<N: Count>(system: &ThreadSystem, slots: &[u32]) -> Vec<N> {
    let shared = (0..system.shared()).map(|s| u32::from(s == slots[0]));
    shared.chain(slots[1..].iter().copied()).map(|n| N::of(&n.into())).collect()
}
