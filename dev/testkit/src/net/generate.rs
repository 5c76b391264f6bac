//! Random small nets from seeds. They have weights, transfers, resets, assignments, zero tests, guards with
//! ranges, and places with an open initial count.

use crate::Random;
use model::{Effect, Guard, Net, Place, PlaceId, Range, Transition};
use num_bigint::{BigInt, BigUint};
use std::collections::BTreeMap;

/// Frequencies of the unusual features of a random net.
#[derive(Clone, Copy)]
struct Flavour {
    /// Percentage of effects that are transfers, resets or assignments.
    odd_effects: usize,
    /// Percentage of guards with an upper end.
    upper_ends: usize,
    /// Percentage of places with an open initial count.
    open: usize,
    /// Percentage of numbers that are huge.
    huge: usize,
}

/// Returns a random net with at most six places and six transitions.
pub fn net(random: &mut Random) -> Net {
    up_to(6, random)
}

/// Returns a random net with at most `size` places and `size` transitions.
pub fn up_to(size: usize, random: &mut Random) -> Net {
    let flavour = Flavour {
        odd_effects: [0, 0, 30, 60][random.below(4)],
        upper_ends: [0, 0, 30, 60][random.below(4)],
        open: [0, 0, 10, 30][random.below(4)],
        huge: if random.chance(3) { 15 } else { 0 },
    };
    let places = (0..random.between(1, size)).map(|i| place(random, i, flavour)).collect::<Vec<_>>();
    let transitions = (0..random.between(1, size)).map(|i| transition(random, i, places.len(), flavour)).collect();
    Net::new(places, transitions).expect("the generator keeps the rules")
}

fn place(random: &mut Random, i: usize, flavour: Flavour) -> Place {
    let least = [0, 0, 0, 1, 1, 2][random.below(6)];
    let initial = match random.chance(flavour.open) {
        true if random.chance(50) => Range::from(least as u32),
        true => Range { at_least: least.into(), at_most: Some((least + random.between(1, 3)).into()) },
        false => Range::exactly(least as u32),
    };
    Place { name: format!("p{i}"), initial }
}

fn weight(random: &mut Random, flavour: Flavour) -> BigUint {
    if random.chance(flavour.huge) {
        return BigUint::from(1u8) << [31, 32, 33, 63, 64, 90][random.below(6)];
    }
    [1u8, 1, 1, 1, 2, 3][random.below(6)].into()
}

fn transition(random: &mut Random, i: usize, places: usize, flavour: Flavour) -> Transition {
    let mut least: BTreeMap<usize, BigUint> = BTreeMap::new();
    let mut effects: BTreeMap<usize, (Vec<usize>, BigInt)> = BTreeMap::new();
    for _ in 0..random.between(0, 2) {
        // A read arc, an input arc, or an input arc that takes less than its guard requires.
        let (p, w) = (random.below(places), weight(random, flavour));
        if random.chance(80) {
            let takes = if random.chance(80) { w.clone() } else { BigUint::from(1u8) };
            effects.insert(p, (vec![p], -BigInt::from(takes)));
        }
        let asked = least.entry(p).or_default();
        *asked = w.max(asked.clone());
    }
    for _ in 0..random.between(0, 2) {
        let (p, w) = (random.below(places), BigInt::from(weight(random, flavour)));
        effects.entry(p).and_modify(|e| e.1 += &w).or_insert((vec![p], w));
    }
    for p in 0..places {
        if random.chance(flavour.odd_effects / 2) {
            let sources: Vec<usize> = (0..random.below(4)).map(|_| random.below(places)).collect();
            let ensured: BigUint = sources.iter().filter_map(|s| least.get(s)).sum();
            let add = if random.chance(30) { -BigInt::from(ensured) } else { random.below(3).into() };
            effects.insert(p, (sources, add));
        }
    }
    let mut guards: BTreeMap<usize, Range> = least.into_iter().map(|(p, n)| (p, Range::from(n))).collect();
    if random.chance(flavour.upper_ends) {
        let p = random.below(places);
        let range = guards.entry(p).or_insert(Range::from(0u8));
        range.at_most = Some(&range.at_least + random.below(3));
    }
    let effect = |(p, (mut sources, add)): (usize, (Vec<usize>, BigInt))| {
        sources.sort_unstable();
        Effect { place: PlaceId::new(p), sources: sources.into_iter().map(PlaceId::new).collect(), add }
    };
    Transition {
        name: format!("r{}", i + 1),
        guards: guards.into_iter().map(|(p, range)| Guard { place: PlaceId::new(p), range }).collect(),
        effects: effects.into_iter().map(effect).collect(),
    }
}
