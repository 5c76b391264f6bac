//! Random small problems about nets and thread-transition systems: the parts that both have in common.

use crate::Random;
use model::{Formula, FormulaBuilder, FormulaId, Goal, NodeId, PlaceId, Problem, Property, Questions, SystemModel};
use num_bigint::{BigInt, BigUint};
use std::sync::Arc;

/// A problem, and a bound within which it is checked.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The system and its properties.
    pub problem: Problem,
    /// The greatest number of counted tokens.
    pub bound: u64,
}

/// Returns the net problem for `seed`.
#[must_use]
pub fn net(seed: u64) -> Sample {
    let random = &mut Random::new(seed.wrapping_mul(0x9e6d_62d0_6f6a_9a9b));
    let net = crate::net::net(random);
    let places = net.places().len();
    sample(random, SystemModel::Net(Arc::new(net)), Places { control: 0, all: places }, 6)
}

/// Returns a net problem for `seed` with up to 8 places, for checks without a bound.
#[must_use]
pub fn larger_net(seed: u64) -> Sample {
    let random = &mut Random::new(seed.wrapping_mul(0x94d0_49bb_1331_11eb));
    let net = crate::net::up_to(8, random);
    let places = net.places().len();
    sample(random, SystemModel::Net(Arc::new(net)), Places { control: 0, all: places }, 6)
}

/// Returns the problem about a thread-transition system for `seed`.
#[must_use]
pub fn thread_system(seed: u64) -> Sample {
    let random = &mut Random::new(seed.wrapping_mul(0xd134_2543_de82_ef95));
    let system = crate::threads::system(random);
    let places = Places { control: system.shared() as usize, all: system.places() };
    sample(random, SystemModel::Threads(Arc::new(system)), places, 5)
}

/// The places that goals can contain.
#[derive(Clone, Copy)]
struct Places {
    /// Number of places at the start that are shared states of a thread-transition system.
    control: usize,
    all: usize,
}

impl Places {
    fn any(self, random: &mut Random) -> PlaceId {
        PlaceId::new(random.below(self.all))
    }
}

fn sample(random: &mut Random, system: SystemModel, places: Places, most: usize) -> Sample {
    let count = random.between(1, 3);
    let formulas: Vec<Arc<Formula>> = (0..count).map(|_| Arc::new(formula(random, places))).collect();
    let mut properties: Vec<Property> =
        (0..count).map(|i| Property::never(format!("p{i}"), Goal::Formula(FormulaId::new(i)))).collect();
    if random.chance(50) {
        properties.push(Property::never("deadlock", Goal::Deadlock));
    }
    let bound = random.between(1, most) as u64;
    let asked = Questions { properties, formulas, ..Questions::default() };
    Sample { problem: Problem::new(system, asked).expect("formulas are about its places"), bound }
}

/// Returns a random goal: mostly a union of covers, sometimes a formula over linear inequalities.
fn formula(random: &mut Random, places: Places) -> Formula {
    let mut builder = FormulaBuilder::default();
    let mut parts = Vec::new();
    for _ in 0..random.between(1, 2) {
        let part = if random.chance(65) {
            cover(random, places, &mut builder)
        } else {
            anything(random, places, &mut builder)
        };
        parts.push(part);
    }
    let root = if random.chance(70) { builder.any(parts) } else { builder.all(parts) };
    builder.finish(root)
}

fn cover(random: &mut Random, places: Places, builder: &mut FormulaBuilder) -> NodeId {
    let mut marking: Vec<(PlaceId, BigUint)> =
        (0..random.between(1, 3)).map(|_| (places.any(random), BigUint::from(random.between(1, 3)))).collect();
    if places.control > 0 && random.chance(70) {
        // The targets of thread-transition systems have this form: a shared state and some threads.
        marking.retain(|(p, _)| p.index() >= places.control);
        marking.push((PlaceId::new(random.below(places.control)), BigUint::from(1u8)));
    }
    builder.cover(&marking)
}

fn anything(random: &mut Random, places: Places, builder: &mut FormulaBuilder) -> NodeId {
    let terms: Vec<(PlaceId, BigInt)> =
        (0..random.between(1, 3)).map(|_| (places.any(random), BigInt::from(random.between(0, 5)) - 2)).collect();
    let sum = builder.at_least(terms, BigInt::from(random.between(0, 5)) - 2);
    if random.chance(30) {
        let other = cover(random, places, builder);
        let both = builder.all(vec![sum, other]);
        return builder.negate(both);
    }
    sum
}
