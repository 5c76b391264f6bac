//! Identities and equations of numbers.

use super::super::formula::{Formula, Lit};
use model::cnf::Cnf;
use testkit::Random;

/// x (y + z) differs from x y + x z, modulo 2^bits. It is unsatisfiable.
pub(super) fn distributes(bits: usize) -> Cnf {
    let mut formula = Formula::default();
    let [x, y, z] = [(); 3].map(|()| formula.vars(bits));
    let sum = formula.sum(&y, &z);
    let whole = formula.product(&x, &sum, bits);
    let parts = [&y, &z].map(|part| formula.product(&x, part, bits));
    let total = formula.sum(&parts[0], &parts[1]);
    formula.differ(&whole, &total);
    formula.finish()
}

/// Two counts of the ones of a word differ: by a tree of adders, and by adding one bit after the other. It is
/// unsatisfiable.
pub(super) fn counts(bits: usize) -> Cnf {
    let mut formula = Formula::default();
    let word = formula.vars(bits);
    let width = bits.ilog2() as usize + 1;
    let mut parts: Vec<Vec<Lit>> = word.iter().map(|&bit| formula.widened(&[bit], width)).collect();
    let serial = parts.clone().into_iter().reduce(|a, b| formula.sum(&a, &b)).unwrap_or_default();
    while parts.len() > 1 {
        parts = parts.chunks(2).filter_map(|two| two.iter().cloned().reduce(|a, b| formula.sum(&a, &b))).collect();
    }
    formula.differ(&serial, &parts[0]);
    formula.finish()
}

/// Two squares with the sum `n`, the smaller first. They exist if and only if `n` has an even number of each prime
/// factor that is 3 modulo 4 (Fermat).
pub(super) fn two_squares(n: u64) -> Cnf {
    let bits = n.isqrt().ilog2() as usize + 1;
    let width = 2 * bits + 1;
    let mut formula = Formula::default();
    let [x, y] = [(); 2].map(|()| formula.vars(bits));
    descends(&mut formula, &x, &y);
    let squares = [x, y].map(|root| formula.product(&root, &root, width));
    let sum = formula.sum(&squares[0], &squares[1]);
    formula.fix(&sum, n);
    formula.finish()
}

/// x^3 + y^3 = z^3 with x, y > 0 and x at most y, all below 2^bits. It is unsatisfiable (Euler 1770).
pub(super) fn cubes(bits: usize) -> Cnf {
    let width = 3 * bits + 1;
    let mut formula = Formula::default();
    let [x, y, z] = [(); 3].map(|()| formula.vars(bits));
    formula.clause(&x);
    descends(&mut formula, &x, &y);
    let [a, b, c] = [&x, &y, &z].map(|root| {
        let square = formula.product(root, root, 2 * bits);
        formula.product(&square, root, width)
    });
    let sum = formula.sum(&a, &b);
    formula.equate(&sum, &c);
    formula.finish()
}

fn descends(formula: &mut Formula, small: &[Lit], large: &[Lit]) {
    let fits = formula.is_at_most(small, large);
    formula.clause(&[fits]);
}

/// Numbers of `bits` bits, a part of which has a given sum. The sum is that of a random half, or is random if not
/// `planted`.
pub(super) fn subset_sum(count: usize, bits: usize, planted: bool, seed: u64) -> Cnf {
    let mut rng = Random::new(seed);
    let width = bits + count.ilog2() as usize + 1;
    let mut number = || rng.bits() >> (64 - bits);
    let numbers: Vec<u64> = (0..count).map(|_| number()).collect();
    let half: u64 = numbers.iter().sum::<u64>() / 2;
    let goal = if planted { numbers.iter().step_by(2).sum() } else { half };
    let mut formula = Formula::default();
    let chosen = formula.vars(count);
    let mut total = formula.word(0, width);
    for (&number, &lit) in numbers.iter().zip(&chosen) {
        let no = formula.constant(false);
        let word: Vec<Lit> = (0..width).map(|i| if number >> i & 1 == 1 { lit } else { no }).collect();
        total = formula.sum(&total, &word);
    }
    formula.fix(&total, goal);
    formula.finish()
}
