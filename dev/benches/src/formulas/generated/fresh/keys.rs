//! Keys and states of ciphers.

use super::super::formula::{Formula, Lit};
use model::cnf::Cnf;
use testkit::Random;

const WORD: usize = 16;

/// The key of Speck with words of 16 bits (Beaulieu and others 2013), with fewer rounds, from `pairs` plaintexts
/// and their ciphertexts. `known` bits of the key are given, the last of them wrong if `wrong`.
pub(super) fn speck(rounds: usize, pairs: usize, known: usize, wrong: bool, seed: u64) -> Cnf {
    let mut rng = Random::new(seed);
    let secret: Vec<u16> = (0..4).map(|_| rng.bits() as u16).collect();
    let mut formula = Formula::default();
    let key: Vec<Vec<Lit>> = (0..4).map(|_| formula.vars(WORD)).collect();
    for (i, &lit) in key.iter().flatten().enumerate().take(known) {
        let value = (secret[i / WORD] >> (i % WORD) & 1 == 1) != (wrong && i + 1 == known);
        formula.clause(&[if value { lit } else { -lit }]);
    }
    let (mut own, mut rest) = (key[0].clone(), key[1..].to_vec());
    let (mut own_value, mut rest_value) = (secret[0], secret[1..].to_vec());
    let (mut schedule, mut values) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        schedule.push(own.clone());
        values.push(own_value);
        let number = formula.word(round as u64, WORD);
        let (next_rest, next_own) = speck_round(&mut formula, &rest[round % 3], &own, &number);
        (rest[round % 3], own) = (next_rest, next_own);
        (rest_value[round % 3], own_value) = speck_value(rest_value[round % 3], own_value, round as u16);
    }
    for _ in 0..pairs {
        let plain = [rng.bits() as u16, rng.bits() as u16];
        let [mut x, mut y] = plain.map(|word| formula.word(word.into(), WORD));
        let [mut x_value, mut y_value] = plain;
        for (key, &value) in schedule.iter().zip(&values) {
            (x, y) = speck_round(&mut formula, &x, &y, key);
            (x_value, y_value) = speck_value(x_value, y_value, value);
        }
        formula.fix(&x, x_value.into());
        formula.fix(&y, y_value.into());
    }
    formula.finish()
}

fn speck_round(formula: &mut Formula, x: &[Lit], y: &[Lit], key: &[Lit]) -> (Vec<Lit>, Vec<Lit>) {
    let (mut x, mut y) = (x.to_vec(), y.to_vec());
    x.rotate_left(7);
    let sum = formula.sum(&x, &y);
    let x = formula.xor_words(&sum, key);
    y.rotate_right(2);
    let y = formula.xor_words(&y, &x);
    (x, y)
}

/// Encrypts one block.
#[cfg(test)]
pub(super) fn speck_encrypted([mut key, rest @ ..]: [u16; 4], [mut x, mut y]: [u16; 2], rounds: u16) -> [u16; 2] {
    let mut rest: [u16; 3] = rest;
    for round in 0..rounds {
        (x, y) = speck_value(x, y, key);
        let own = &mut rest[usize::from(round) % 3];
        (*own, key) = speck_value(*own, key, round);
    }
    [x, y]
}

fn speck_value(x: u16, y: u16, key: u16) -> (u16, u16) {
    let x = x.rotate_right(7).wrapping_add(y) ^ key;
    (x, y.rotate_left(2) ^ x)
}

/// The state of Bivium B (Raddum 2006), a smaller Trivium, from `shown` bits of its output. `known` bits of the
/// state are given, the last of them wrong if `wrong`.
pub(super) fn bivium(shown: usize, known: usize, wrong: bool, seed: u64) -> Cnf {
    const FIRST: usize = 93;
    const ALL: usize = 177;
    let mut rng = Random::new(seed);
    let mut value: Vec<bool> = (0..ALL).map(|_| rng.chance(50)).collect();
    let mut formula = Formula::default();
    let mut state = formula.vars(ALL);
    for (i, &at) in rng.sample(ALL, known).iter().enumerate() {
        let bit = value[at] != (wrong && i + 1 == known);
        formula.clause(&[if bit { state[at] } else { -state[at] }]);
    }
    // Taps of the two registers, counted from 1 as in the paper: two for the output, two for the product, and
    // one in the other register.
    let taps = [([66, 93], [91, 92], 171), ([162, 177], [175, 176], 69)];
    for _ in 0..shown {
        let (mut ends, mut bits, mut output, mut shown) = (Vec::new(), Vec::new(), Vec::new(), false);
        for ([a, b], [c, d], e) in taps {
            let linear = formula.xor(state[a - 1], state[b - 1]);
            let product = formula.and(state[c - 1], state[d - 1]);
            let mixed = formula.xor(linear, product);
            ends.push(formula.xor(mixed, state[e - 1]));
            output.push(linear);
            let linear = value[a - 1] ^ value[b - 1];
            bits.push(linear ^ (value[c - 1] & value[d - 1]) ^ value[e - 1]);
            shown ^= linear;
        }
        formula.parity(&output, shown);
        state.rotate_right(1);
        value.rotate_right(1);
        (state[0], state[FIRST]) = (ends[1], ends[0]);
        (value[0], value[FIRST]) = (bits[1], bits[0]);
    }
    formula.finish()
}
