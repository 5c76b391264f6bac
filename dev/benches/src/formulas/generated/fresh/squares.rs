//! Latin squares, block designs and Sudoku.

use super::super::formula::{Formula, Lit};
use super::colourings::{pairs, subsets};
use model::cnf::Cnf;
use testkit::Random;

/// A cube of variables: row, column, symbol.
type Cube = Vec<Vec<Vec<Lit>>>;

/// Identities of idempotent quasigroups (Fujita, Slaney, Bennett 1993; Slaney, Fujita, Stickel 1995).
#[derive(Clone, Copy)]
pub(super) enum Identity {
    /// (a b) (b a) = a
    Three,
    /// ((b a) b) b = a
    Five,
    /// (b a) b = a (b a)
    Seven,
}

/// Adds that each cell has one symbol, and each symbol occurs once in each row and each column.
fn latin(formula: &mut Formula, n: usize) -> Cube {
    let cube: Cube = (0..n).map(|_| formula.grid(n, n)).collect();
    for i in 0..n {
        for j in 0..n {
            let row: Vec<Lit> = (0..n).map(|k| cube[i][k][j]).collect();
            let column: Vec<Lit> = (0..n).map(|k| cube[k][i][j]).collect();
            [&cube[i][j], &row, &column].into_iter().for_each(|lits| formula.exactly_one(lits));
        }
    }
    cube
}

/// An idempotent quasigroup of order `n` with an identity. Some isomorphic ones are excluded by x (n - 1) >= x - 1.
pub(super) fn quasigroup(identity: Identity, n: usize) -> Cnf {
    let mut formula = Formula::default();
    let is = latin(&mut formula, n);
    for a in 0..n {
        formula.clause(&[is[a][a][a]]);
        (0..a.saturating_sub(1)).for_each(|small| formula.clause(&[-is[a][n - 1][small]]));
        for b in 0..n {
            for c in 0..n {
                for d in 0..n {
                    let (premise, then) = match identity {
                        Identity::Three => ([is[a][b][c], is[b][a][d]], is[c][d][a]),
                        Identity::Five => ([is[b][a][c], is[c][b][d]], is[d][b][a]),
                        Identity::Seven => ([is[b][a][c], is[c][b][d]], is[a][c][d]),
                    };
                    formula.implies(&premise, &[then]);
                }
            }
        }
    }
    formula.finish()
}

/// Two orthogonal Latin squares of order `n`. The first rows are fixed.
pub(super) fn orthogonal(n: usize) -> Cnf {
    let mut formula = Formula::default();
    let squares = [latin(&mut formula, n), latin(&mut formula, n)];
    let mut seen: Vec<Vec<Lit>> = vec![Vec::new(); n * n];
    for row in 0..n {
        squares.iter().for_each(|square| formula.clause(&[square[0][row][row]]));
        formula.clause(&[squares[0][row][0][row]]);
        for column in 0..n {
            for (pair, lits) in seen.iter_mut().enumerate() {
                lits.push(formula.and(squares[0][row][column][pair / n], squares[1][row][column][pair % n]));
            }
        }
    }
    seen.iter().for_each(|lits| formula.exactly_one(lits));
    formula.finish()
}

/// A Steiner triple system: triples of `points` points such that each pair of points is in exactly one triple. It
/// exists if and only if the number of points is 1 or 3 modulo 6 (Kirkman 1847).
pub(super) fn steiner(points: usize) -> Cnf {
    let mut formula = Formula::default();
    let mut by_pair: Vec<Vec<Lit>> = vec![Vec::new(); points * points];
    for triple in subsets(points, 3) {
        let chosen = formula.var();
        pairs(3).into_iter().for_each(|(a, b)| by_pair[triple[a] * points + triple[b]].push(chosen));
    }
    by_pair.iter().filter(|lits| !lits.is_empty()).for_each(|lits| formula.exactly_one(lits));
    formula.finish()
}

/// A Sudoku of boxes of `side` times `side` with `percent` percent of the symbols of a random solution.
pub(super) fn sudoku(side: usize, percent: usize, seed: u64) -> Cnf {
    let mut rng = Random::new(seed);
    let n = side * side;
    let mut formula = Formula::default();
    let cube = latin(&mut formula, n);
    for block in 0..n {
        for symbol in 0..n {
            let cell = |i: usize| (block / side * side + i / side, block % side * side + i % side);
            let lits: Vec<Lit> = (0..n).map(cell).map(|(row, column)| cube[row][column][symbol]).collect();
            formula.exactly_one(&lits);
        }
    }
    let symbols = rng.sample(n, n);
    let [rows, columns] = [(); 2].map(|()| {
        let bands = rng.sample(side, side);
        bands.into_iter().flat_map(|band| rng.sample(side, side).into_iter().map(move |i| band * side + i)).collect()
    });
    let (rows, columns): (Vec<usize>, Vec<usize>) = (rows, columns);
    for (i, &row) in rows.iter().enumerate() {
        for (j, &column) in columns.iter().enumerate() {
            if rng.chance(percent) {
                formula.clause(&[cube[i][j][symbols[(row % side * side + row / side + column) % n]]]);
            }
        }
    }
    formula.finish()
}
