//! Random small thread-transition systems with moves, spawns, transfers and broadcasts. Broadcasts may have
//! several targets.

use crate::Random;
use model::{Act, LocalId, SharedId, ThreadInit, ThreadTransition, ThreadTransitionSystem};
use num_bigint::BigUint;
use std::collections::BTreeMap;

/// Returns a random thread-transition system with at most three shared and four local states.
pub fn system(random: &mut Random) -> ThreadTransitionSystem {
    let (shared, locals) = (random.between(1, 3), random.between(1, 4));
    let several_targets = random.chance(25);
    let mut transitions = Vec::new();
    while transitions.is_empty() || random.chance(75) && transitions.len() < 6 {
        let new = transition(random, shared, locals, several_targets);
        // Readers drop transitions without effect.
        if new.act != Act::Move || new.from != new.to || !new.passive.is_empty() {
            transitions.push(new);
        } else if shared == 1 && locals == 1 {
            transitions.push(ThreadTransition { act: Act::Spawn, ..new });
        }
    }
    let init = init(random, locals);
    ThreadTransitionSystem::new(shared as u32, locals as u32, init, transitions).expect("the generator keeps the rules")
}

fn init(random: &mut Random, locals: usize) -> ThreadInit {
    let mut threads: BTreeMap<LocalId, BigUint> = BTreeMap::new();
    for _ in 0..random.between(1, 2) {
        threads.insert(LocalId::new(random.below(locals)), random.between(1, 3).into());
    }
    let any = if random.chance(30) { vec![LocalId::new(random.below(locals))] } else { Vec::new() };
    if !any.is_empty() && random.chance(50) {
        threads.clear();
    }
    ThreadInit { shared: SharedId(0), threads, any }
}

fn transition(random: &mut Random, shared: usize, locals: usize, several_targets: bool) -> ThreadTransition {
    let state = |random: &mut Random| (SharedId::new(random.below(shared)), LocalId::new(random.below(locals)));
    let (from, to) = (state(random), state(random));
    let act = [Act::Move, Act::Move, Act::Move, Act::Move, Act::Spawn, Act::Transfer][random.below(6)];
    let mut passive: BTreeMap<LocalId, Vec<LocalId>> = BTreeMap::new();
    if act == Act::Move && random.chance(35) {
        for _ in 0..random.between(1, 2) {
            let mut targets = vec![LocalId::new(random.below(locals))];
            if several_targets && random.chance(60) {
                targets.push(LocalId::new(random.below(locals)));
            }
            targets.sort_unstable();
            targets.dedup();
            passive.insert(LocalId::new(random.below(locals)), targets);
        }
    }
    ThreadTransition { from, to, act, passive }
}
