//! Sets of few or many places: domination, covers, independent queens, rulers.

use super::super::formula::{Formula, Lit};
use super::colourings::pairs;
use model::cnf::Cnf;
use testkit::Random;

/// `size` places such that each place is in the neighbourhood of one of them.
fn dominated(neighbours: &[Vec<usize>], size: usize) -> Cnf {
    let mut formula = Formula::default();
    let chosen = formula.vars(neighbours.len());
    for own in neighbours {
        let lits: Vec<Lit> = own.iter().map(|&place| chosen[place]).collect();
        formula.clause(&lits);
    }
    formula.at_most(&chosen, size);
    formula.finish()
}

/// `count` queens that attack or occupy all squares of a board.
pub(super) fn queens(side: usize, count: usize) -> Cnf {
    board(side, count, &|down, across| down == 0 || across == 0 || down == across)
}

/// `count` knights that attack or occupy all squares of a board.
pub(super) fn knights(side: usize, count: usize) -> Cnf {
    board(side, count, &|down, across| down * across == 2 || down + across == 0)
}

fn board(side: usize, count: usize, attacks: &dyn Fn(usize, usize) -> bool) -> Cnf {
    let squares = side * side;
    let seen = |a: usize, b: usize| attacks((a / side).abs_diff(b / side), (a % side).abs_diff(b % side));
    let all: Vec<Vec<usize>> = (0..squares).map(|a| (0..squares).filter(|&b| seen(a, b)).collect()).collect();
    dominated(&all, count)
}

/// A dominating set of `size` vertices of a random graph.
pub(super) fn dominating(vertices: usize, percent: usize, size: usize, seed: u64) -> Cnf {
    let mut rng = Random::new(seed);
    let mut all: Vec<Vec<usize>> = (0..vertices).map(|v| vec![v]).collect();
    for (a, b) in pairs(vertices) {
        if rng.chance(percent) {
            all[a].push(b);
            all[b].push(a);
        }
    }
    dominated(&all, size)
}

/// A vertex cover of `size` vertices of a random graph with three cycles through all vertices.
pub(super) fn vertex_cover(vertices: usize, size: usize, seed: u64) -> Cnf {
    let mut rng = Random::new(seed);
    let mut formula = Formula::default();
    let chosen = formula.vars(vertices);
    for _ in 0..3 {
        let order = rng.sample(vertices, vertices);
        (0..vertices).for_each(|i| formula.clause(&[chosen[order[i]], chosen[order[(i + 1) % vertices]]]));
    }
    formula.at_most(&chosen, size);
    formula.finish()
}

/// Queens that do not attack each other on a torus, one in each row. They exist if and only if 2 and 3 do not divide
/// `n` (Pólya 1918).
pub(super) fn torus_queens(n: usize) -> Cnf {
    let mut formula = Formula::default();
    let at = formula.grid(n, n);
    for line in 0..n {
        formula.exactly_one(&at[line]);
        for slope in [0, 1, n - 1] {
            let lits: Vec<Lit> = (0..n).map(|row| at[row][(line + slope * row) % n]).collect();
            formula.exactly_one(&lits);
        }
    }
    formula.finish()
}

/// A Golomb ruler: `marks` marks from 0 to `length` with different distances. The shortest rulers of 7 to 11 marks
/// have the lengths 25, 34, 44, 55, 72.
pub(super) fn golomb(marks: usize, length: usize) -> Cnf {
    let mut formula = Formula::default();
    let mark = formula.vars(length + 1);
    formula.clause(&[mark[0]]);
    for distance in 1..=length {
        let starts = length + 1 - distance;
        for (i, j) in pairs(starts) {
            let mut clause: Vec<Lit> = [i, i + distance, j, j + distance].map(|place| -mark[place]).to_vec();
            clause.sort_unstable();
            clause.dedup();
            formula.clause(&clause);
        }
    }
    formula.at_least(&mark, marks);
    formula.finish()
}
