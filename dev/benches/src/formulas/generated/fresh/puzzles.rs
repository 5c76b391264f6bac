//! Pictures and snakes.

use super::super::formula::{Formula, Lit};
use model::cnf::Cnf;
use testkit::Random;

/// A nonogram: a picture with given lengths of the black runs of all rows and columns, those of a random picture.
pub(super) fn nonogram(side: usize, percent: usize, seed: u64) -> Cnf {
    let mut rng = Random::new(seed);
    let picture: Vec<Vec<bool>> = (0..side).map(|_| (0..side).map(|_| rng.chance(percent)).collect()).collect();
    let mut formula = Formula::default();
    let black = formula.grid(side, side);
    for i in 0..side {
        let column: Vec<Lit> = black.iter().map(|row| row[i]).collect();
        let bits: Vec<bool> = picture.iter().map(|row| row[i]).collect();
        line(&mut formula, &black[i], &picture[i]);
        line(&mut formula, &column, &bits);
    }
    formula.finish()
}

/// Adds that a line has runs of the same lengths as the pattern.
fn line(formula: &mut Formula, cells: &[Lit], pattern: &[bool]) {
    let runs: Vec<usize> = pattern.split(|&bit| !bit).map(<[bool]>::len).filter(|&length| length > 0).collect();
    let mut covers: Vec<Vec<Lit>> = vec![Vec::new(); cells.len()];
    let mut before: Option<(Vec<Lit>, usize)> = None;
    for length in runs {
        let start = formula.ordered(cells.len() - length);
        for (cell, lits) in covers.iter_mut().enumerate() {
            // The run covers the cell if it starts at most `length - 1` cells before it, and not behind it.
            let Some(&from) = start.get((cell + 1).saturating_sub(length)) else { continue };
            let cover = start.get(cell + 1).map_or(from, |&behind| formula.and(from, -behind));
            lits.push(cover);
        }
        if let Some((other, length)) = before {
            formula.ordered_before(&[], &other, length + 1, &start);
        }
        before = Some((start, length));
    }
    for (&cell, lits) in cells.iter().zip(&covers) {
        formula.implies(&[cell], lits);
        lits.iter().for_each(|&lit| formula.implies(&[lit], &[cell]));
    }
}

/// A snake in a box (Kautz 1958): a path of `length` edges in the cube of `dimension` dimensions without shortcuts.
/// If `coil`, it is a cycle. The longest snakes have 4, 7, 13, 26 edges in 3 to 6 dimensions, the longest coils 6,
/// 8, 14, 26.
pub(super) fn snake(dimension: usize, length: usize, coil: bool) -> Cnf {
    let mut formula = Formula::default();
    let count = if coil { length } else { length + 1 };
    let at = formula.grid(count, dimension);
    // The first corners can be fixed because coordinates are interchangeable.
    for (place, corner) in [0, 1, 3, 7].into_iter().enumerate().take(count) {
        formula.fix(&at[place], corner);
    }
    for b in 0..count {
        for a in 0..b {
            let differences = formula.xor_words(&at[a], &at[b]);
            let near = b - a == 1 || (coil && b - a == count - 1);
            if near {
                formula.exactly_one(&differences);
            } else {
                formula.at_least(&differences, 2);
            }
        }
    }
    formula.finish()
}
