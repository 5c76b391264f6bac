//! Plans: blocks, deliveries, flips of stacks.

use super::super::formula::{Formula, Lit};
use model::cnf::Cnf;
use testkit::Random;

/// Returns random towers: for each block the block below it, or `blocks` for the table.
fn towers(blocks: usize, rng: &mut Random) -> Vec<usize> {
    let order = rng.sample(blocks, blocks);
    let mut below = vec![blocks; blocks];
    for two in order.windows(2) {
        if !rng.one_in(4) {
            below[two[1]] = two[0];
        }
    }
    below
}

/// The blocks world: random towers become other random towers in `moves` moves of one block each.
pub(super) fn blocks(blocks: usize, moves: usize, seed: u64) -> Cnf {
    let mut rng = Random::new(seed);
    let (start, goal) = (towers(blocks, &mut rng), towers(blocks, &mut rng));
    let table = blocks;
    let mut formula = Formula::default();
    let on: Vec<Vec<Vec<Lit>>> = (0..=moves).map(|_| formula.grid(blocks, blocks + 1)).collect();
    for block in 0..blocks {
        formula.clause(&[on[0][block][start[block]]]);
        formula.clause(&[on[moves][block][goal[block]]]);
    }
    for (time, now) in on.iter().enumerate() {
        now.iter().for_each(|own| formula.exactly_one(own));
        for below in 0..blocks {
            let above: Vec<Lit> = (0..blocks).map(|block| now[block][below]).collect();
            formula.at_most_one(&above);
            formula.clause(&[-now[below][below]]);
        }
        let Some(next) = on.get(time + 1) else { break };
        let moved = formula.vars(blocks);
        formula.exactly_one(&moved);
        for block in 0..blocks {
            for below in 0..=table {
                formula.implies(&[-moved[block], now[block][below]], &[next[block][below]]);
                formula.implies(&[moved[block], now[block][below]], &[-next[block][below]]);
            }
            // Nothing is on the moved block, and nothing was on the block that it is moved to.
            for other in (0..blocks).filter(|&other| other != block) {
                formula.clause(&[-moved[block], -now[other][block]]);
                for third in 0..blocks {
                    formula.clause(&[-moved[block], -next[block][other], -now[third][other]]);
                }
            }
        }
    }
    formula.finish()
}

/// A random delivery task on a square grid of towns.
#[derive(Clone, Copy)]
pub(super) struct Delivery {
    pub(super) side: usize,
    pub(super) trucks: usize,
    pub(super) parcels: usize,
    /// Parcels that a truck can carry.
    pub(super) capacity: usize,
    pub(super) seed: u64,
}

impl Delivery {
    /// A plan of `steps` steps. In one step each truck drives to a neighbouring town, or stays while parcels are
    /// loaded and unloaded.
    pub(super) fn plan(self, steps: usize) -> Cnf {
        let towns = self.side * self.side;
        let mut rng = Random::new(self.seed);
        let mut formula = Formula::default();
        // A parcel is in a town or, behind the towns, in a truck.
        let truck: Vec<Vec<Vec<Lit>>> = (0..=steps).map(|_| formula.grid(self.trucks, towns)).collect();
        let parcel: Vec<Vec<Vec<Lit>>> = (0..=steps).map(|_| formula.grid(self.parcels, towns + self.trucks)).collect();
        (0..self.trucks).for_each(|t| formula.clause(&[truck[0][t][rng.below(towns)]]));
        for p in 0..self.parcels {
            formula.clause(&[parcel[0][p][rng.below(towns)]]);
            formula.clause(&[parcel[steps][p][rng.below(towns)]]);
        }
        for time in 0..=steps {
            truck[time].iter().chain(&parcel[time]).for_each(|own| formula.exactly_one(own));
            for t in 0..self.trucks {
                let load: Vec<Lit> = parcel[time].iter().map(|own| own[towns + t]).collect();
                formula.at_most(&load, self.capacity);
            }
        }
        for time in 0..steps {
            (0..self.trucks).for_each(|t| self.drive(&mut formula, &truck[time][t], &truck[time + 1][t]));
            for (now, next) in parcel[time].iter().zip(&parcel[time + 1]) {
                self.carry(&mut formula, [now, next], [&truck[time], &truck[time + 1]]);
            }
        }
        formula.finish()
    }

    fn drive(self, formula: &mut Formula, now: &[Lit], next: &[Lit]) {
        let near =
            |a: usize, b: usize| (a / self.side).abs_diff(b / self.side) + (a % self.side).abs_diff(b % self.side) <= 1;
        for (from, &here) in now.iter().enumerate() {
            let ways: Vec<Lit> = (0..now.len()).filter(|&to| near(from, to)).map(|to| next[to]).collect();
            formula.implies(&[here], &ways);
        }
    }

    /// A parcel moves only between a town and a truck that stays there.
    fn carry(self, formula: &mut Formula, [now, next]: [&[Lit]; 2], trucks: [&[Vec<Lit>]; 2]) {
        let towns = self.side * self.side;
        for town in 0..towns {
            let choices: Vec<Lit> = [next[town]].into_iter().chain(next[towns..].iter().copied()).collect();
            formula.implies(&[now[town]], &choices);
            for t in 0..self.trucks {
                for (own, other) in [(now[town], next[towns + t]), (now[towns + t], next[town])] {
                    trucks.iter().for_each(|time| formula.implies(&[own, other], &[time[t][town]]));
                }
            }
        }
        for t in 0..self.trucks {
            let choices: Vec<Lit> = [next[towns + t]].into_iter().chain(next[..towns].iter().copied()).collect();
            formula.implies(&[now[towns + t]], &choices);
        }
    }
}

/// Pancakes: a random stack of `n` is sorted by `flips` reversals of its upper part, or by fewer.
pub(super) fn pancakes(n: usize, flips: usize, seed: u64) -> Cnf {
    let stack = Random::new(seed).sample(n, n);
    let mut formula = Formula::default();
    let at: Vec<Vec<Vec<Lit>>> = (0..=flips).map(|_| formula.grid(n, n)).collect();
    for place in 0..n {
        formula.clause(&[at[0][place][stack[place]]]);
        formula.clause(&[at[flips][place][place]]);
    }
    for (time, now) in at.iter().enumerate() {
        for i in 0..n {
            formula.exactly_one(&now[i]);
            let places: Vec<Lit> = now.iter().map(|row| row[i]).collect();
            formula.exactly_one(&places);
        }
        let Some(next) = at.get(time + 1) else { break };
        // The flip of one pancake changes nothing.
        let flip = formula.vars(n);
        formula.exactly_one(&flip);
        for (upper, &chosen) in flip.iter().enumerate() {
            for place in 0..n {
                let from = if place <= upper { upper - place } else { place };
                (0..n).for_each(|cake| formula.implies(&[chosen, now[from][cake]], &[next[place][cake]]));
            }
        }
    }
    formula.finish()
}

/// Paths on a square grid that join given pairs of fields and do not touch each other. The ends are those of
/// disjoint random walks, with some walks shortened.
pub(super) fn routes(side: usize, nets: usize, length: usize, seed: u64) -> Cnf {
    let mut rng = Random::new(seed);
    let fields = side * side;
    let near = |a: usize| {
        let (y, x) = (a / side, a % side);
        let ways = [(y.wrapping_sub(1), x), (y + 1, x), (y, x.wrapping_sub(1)), (y, x + 1)];
        ways.into_iter().filter(|&(y, x)| y < side && x < side).map(|(y, x)| y * side + x).collect::<Vec<usize>>()
    };
    let mut free = vec![true; fields];
    let mut ends: Vec<(usize, usize)> = Vec::new();
    while ends.len() < nets {
        let start = rng.below(fields);
        let (mut path, mut here) = (vec![start], start);
        while free[start] && path.len() < length {
            let ways: Vec<usize> = near(here).into_iter().filter(|&f| free[f] && !path.contains(&f)).collect();
            if ways.is_empty() {
                break;
            }
            here = *rng.pick(&ways);
            path.push(here);
        }
        if free[start] && path.len() > 2 {
            path.iter().for_each(|&f| free[f] = false);
            ends.push((start, here));
        }
    }
    let mut formula = Formula::default();
    let uses = formula.grid(fields, nets);
    for field in 0..fields {
        formula.at_most_one(&uses[field]);
        for (net, &(from, to)) in ends.iter().enumerate() {
            let own = uses[field][net];
            let around: Vec<Lit> = near(field).into_iter().map(|other| uses[other][net]).collect();
            let is_end = field == from || field == to;
            if is_end {
                formula.clause(&[own]);
            }
            let wanted = if is_end { 1 } else { 2 };
            degree(&mut formula, own, &around, wanted);
        }
    }
    formula.finish()
}

/// Adds that exactly `wanted` (one or two) of the few literals are true if `own` is.
fn degree(formula: &mut Formula, own: Lit, around: &[Lit], wanted: usize) {
    for mask in 0u32..1 << around.len() {
        let ones = mask.count_ones() as usize;
        let positive: Vec<Lit> = (0..around.len()).filter(|i| mask >> i & 1 == 1).map(|i| around[i]).collect();
        if ones == wanted + 1 {
            let lits: Vec<Lit> = positive.iter().map(|l| -l).chain([-own]).collect();
            formula.clause(&lits);
        }
        if ones + wanted == around.len() + 1 {
            let lits: Vec<Lit> = positive.iter().copied().chain([-own]).collect();
            formula.clause(&lits);
        }
    }
}
