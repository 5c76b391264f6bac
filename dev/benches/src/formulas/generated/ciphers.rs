//! Formulas that ask for the input of a computation with a given output: ciphers, hashes, the game of life.

use super::formula::{Formula, Lit};
use model::cnf::Cnf;
use testkit::Random;

/// Returns a formula for the preimage of a hash, which uses additions, rotations and exclusive ors of 16-bit
/// words. `known` bits of the message are given.
pub(super) fn hash_preimage(rounds: usize, known: usize, seed: u64) -> Cnf {
    const WORD: usize = 16;
    let mut rng = Random::new(seed);
    let mut formula = Formula::default();
    let secret: Vec<u16> = (0..2).map(|_| rng.bits() as u16).collect();
    let message: Vec<Vec<Lit>> = (0..2).map(|_| formula.vars(WORD)).collect();
    let bit_of = |word: u16, bit: usize| word >> bit & 1 == 1;
    for (i, &lit) in message.iter().flatten().enumerate().take(known) {
        formula.clause(&[if bit_of(secret[i / WORD], i % WORD) { lit } else { -lit }]);
    }
    let start: Vec<u16> = (0..4).map(|_| rng.bits() as u16).collect();
    let constant = |formula: &mut Formula, word: u16| -> Vec<Lit> {
        (0..WORD).map(|i| formula.constant(bit_of(word, i))).collect()
    };
    let mut state: Vec<Vec<Lit>> = start.iter().map(|&word| constant(&mut formula, word)).collect();
    let mut value = start.clone();
    for round in 0..rounds {
        let key = rng.bits() as u16;
        let own = constant(&mut formula, key);
        let added = formula.sum(&state[0], &message[round % 2]);
        let added = formula.sum(&added, &own);
        let mixed: Vec<Lit> = (0..WORD).map(|i| formula.choose(state[1][i], state[2][i], state[3][i])).collect();
        let mut new = formula.sum(&added, &mixed);
        new.rotate_right(5);
        let new: Vec<Lit> = (0..WORD).map(|i| formula.xor(new[i], state[1][i])).collect();
        let mixed = (value[1] & value[2]) | (!value[1] & value[3]);
        let sum = value[0].wrapping_add(secret[round % 2]).wrapping_add(key).wrapping_add(mixed);
        let word = sum.rotate_left(5) ^ value[1];
        state = vec![state[3].clone(), new, state[1].clone(), state[2].clone()];
        value = vec![value[3], word, value[1], value[2]];
    }
    for (lits, word) in state.iter().zip(&value) {
        for (i, &lit) in lits.iter().enumerate() {
            formula.clause(&[if bit_of(*word, i) { lit } else { -lit }]);
        }
    }
    formula.finish()
}

/// Returns a formula for the predecessor of a board in the game of life. A predecessor exists: the given board
/// is computed from a random one, where each cell is alive with `percent` percent probability.
pub(super) fn life_before(side: usize, percent: usize, seed: u64) -> Cnf {
    let mut rng = Random::new(seed);
    let alive: Vec<Vec<bool>> = (0..side + 2).map(|_| (0..side + 2).map(|_| rng.chance(percent)).collect()).collect();
    let mut formula = Formula::default();
    let cells = formula.grid(side + 2, side + 2);
    for y in 1..=side {
        for x in 1..=side {
            let around = neighbours(x, y);
            let count = around.iter().filter(|&&(x, y)| alive[y][x]).count();
            let lives = count == 3 || (count == 2 && alive[y][x]);
            let lits: Vec<Lit> = around.iter().map(|&(x, y)| cells[y][x]).collect();
            rule(&mut formula, cells[y][x], &lits, lives);
        }
    }
    formula.finish()
}

/// Returns a formula for a board that does not change, with no living cell outside and at least `least` living
/// cells.
pub(super) fn still_life(side: usize, least: usize) -> Cnf {
    let mut formula = Formula::default();
    // Two rows and columns of dead cells surround the board. No cell may become alive in the inner ones.
    let cells = formula.grid(side + 4, side + 4);
    let inside = |i: usize| (2..side + 2).contains(&i);
    let mut own = Vec::new();
    for y in 0..side + 4 {
        for x in 0..side + 4 {
            if inside(x) && inside(y) {
                own.push(cells[y][x]);
            } else {
                formula.clause(&[-cells[y][x]]);
            }
            if (1..side + 3).contains(&x) && (1..side + 3).contains(&y) {
                let lits: Vec<Lit> = neighbours(x, y).iter().map(|&(x, y)| cells[y][x]).collect();
                stays(&mut formula, cells[y][x], &lits);
            }
        }
    }
    formula.at_least(&own, least);
    formula.finish()
}

fn neighbours(x: usize, y: usize) -> Vec<(usize, usize)> {
    let all = (y - 1..=y + 1).flat_map(|b| (x - 1..=x + 1).map(move |a| (a, b)));
    all.filter(|&place| place != (x, y)).collect()
}

/// Adds that the cell is alive in the next step, or is not. Every assignment of the cell and its neighbours
/// with another result is excluded.
fn rule(formula: &mut Formula, cell: Lit, around: &[Lit], lives: bool) {
    exclude(formula, cell, around, |alive, count| (count == 3 || (count == 2 && alive)) != lives);
}

fn stays(formula: &mut Formula, cell: Lit, around: &[Lit]) {
    exclude(formula, cell, around, |alive, count| (count == 3 || (count == 2 && alive)) != alive);
}

fn exclude(formula: &mut Formula, cell: Lit, around: &[Lit], is_wrong: impl Fn(bool, u32) -> bool) {
    for bits in 0u32..1 << around.len() {
        for alive in [false, true] {
            if is_wrong(alive, bits.count_ones()) {
                let lits = around.iter().enumerate().map(|(i, &l)| if bits >> i & 1 == 1 { -l } else { l });
                let clause: Vec<Lit> = lits.chain([if alive { -cell } else { cell }]).collect();
                formula.clause(&clause);
            }
        }
    }
}
