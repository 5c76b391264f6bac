//! Colourings and arrangements from combinatorics.

use super::formula::{Formula, Lit};
use model::cnf::Cnf;

/// Van der Waerden: a colouring of 1..=n in two colours without `k` equally spaced numbers of the first colour
/// and without `l` of the second.
pub(super) fn van_der_waerden(k: usize, l: usize, n: usize) -> Cnf {
    let mut formula = Formula::default();
    let first = formula.vars(n);
    for (length, sign) in [(k, -1), (l, 1)] {
        for start in 0..n {
            for step in (1..n).take_while(|step| start + step * (length - 1) < n) {
                let progression: Vec<Lit> = (0..length).map(|i| sign * first[start + i * step]).collect();
                formula.clause(&progression);
            }
        }
    }
    formula.finish()
}

/// Schur: a colouring of 1..=n in `colours` colours without a + b = c in one colour.
pub(super) fn schur(colours: usize, n: usize) -> Cnf {
    let mut formula = Formula::default();
    let has = formula.grid(n + 1, colours);
    // 1 and 2 must differ in colour. Colours are interchangeable, so the colours of 1 and 2 can be fixed.
    formula.clause(&[has[1][0]]);
    formula.clause(&[has[2][1]]);
    for a in 1..=n {
        formula.clause(&has[a]);
        for b in a..=n - a {
            for colour in 0..colours {
                formula.clause(&[-has[a][colour], -has[b][colour], -has[a + b][colour]]);
            }
        }
    }
    formula.finish()
}

/// Langford: an arrangement of 1, 1, 2, 2, .. n, n in a row with k numbers between the two k. It exists if and
/// only if n mod 4 is 0 or 3.
pub(super) fn langford(n: usize) -> Cnf {
    let mut formula = Formula::default();
    let mut by_place: Vec<Vec<Lit>> = vec![Vec::new(); 2 * n];
    for k in 1..=n {
        let starts = formula.vars(2 * n - k - 1);
        for (place, &lit) in starts.iter().enumerate() {
            by_place[place].push(lit);
            by_place[place + k + 1].push(lit);
        }
        formula.exactly_one(&starts);
    }
    by_place.iter().for_each(|lits| formula.exactly_one(lits));
    formula.finish()
}

/// Costas: n dots, one in each row and column, with different vectors between any two of them.
pub(super) fn costas(n: usize) -> Cnf {
    let mut formula = Formula::default();
    let dot = formula.grid(n, n);
    for i in 0..n {
        formula.exactly_one(&dot[i]);
        let column: Vec<Lit> = dot.iter().map(|row| row[i]).collect();
        formula.exactly_one(&column);
    }
    for distance in 1..n {
        for shift in 1 - n as isize..n as isize {
            let pairs: Vec<Lit> = (0..n - distance)
                .filter_map(|from| {
                    let some = |row: usize| usize::try_from(row as isize + shift).ok().filter(|&to| to < n);
                    let ends: Vec<(usize, usize)> = (0..n).filter_map(|row| Some((row, some(row)?))).collect();
                    let lits: Vec<Lit> =
                        ends.iter().map(|&(a, b)| formula.and(dot[from][a], dot[from + distance][b])).collect();
                    lits.into_iter().reduce(|a, b| formula.or(a, b))
                })
                .collect();
            formula.at_most_one(&pairs);
        }
    }
    formula.finish()
}

/// A cover by dominoes of a board without two opposite corners.
pub(super) fn mutilated_board(width: usize, height: usize) -> Cnf {
    let mut formula = Formula::default();
    let mut covers: Vec<Vec<Lit>> = vec![Vec::new(); width * height];
    let gone = |x: usize, y: usize| (x, y) == (0, 0) || (x, y) == (width - 1, height - 1);
    for y in 0..height {
        for x in 0..width {
            for (right, below) in [(x + 1, y), (x, y + 1)] {
                if right < width && below < height && !gone(x, y) && !gone(right, below) {
                    let domino = formula.var();
                    covers[y * width + x].push(domino);
                    covers[below * width + right].push(domino);
                }
            }
        }
    }
    covers.iter().filter(|lits| !lits.is_empty()).for_each(|lits| formula.exactly_one(lits));
    formula.finish()
}

/// Social golfers: in each of `weeks` weeks all players play in groups of `size`, and no two players meet
/// twice.
pub(super) fn golfers(groups: usize, size: usize, weeks: usize) -> Cnf {
    let mut formula = Formula::default();
    let players = groups * size;
    let plays: Vec<Vec<Vec<Lit>>> = (0..weeks).map(|_| formula.grid(players, groups)).collect();
    for week in &plays {
        week.iter().for_each(|own| formula.exactly_one(own));
        for group in 0..groups {
            let members: Vec<Lit> = week.iter().map(|own| own[group]).collect();
            formula.at_most(&members, size);
            formula.at_least(&members, size);
        }
    }
    // The first week can be fixed. The players of its first group are spread in order over the groups of the
    // other weeks.
    for player in 0..players {
        formula.clause(&[plays[0][player][player / size]]);
    }
    for week in &plays[1..] {
        (0..size.min(groups)).for_each(|player| formula.clause(&[week[player][player]]));
    }
    for b in 0..players {
        for a in 0..b {
            let meetings: Vec<Lit> = plays
                .iter()
                .map(|week| {
                    let meet = formula.var();
                    (0..groups).for_each(|g| formula.implies(&[week[a][g], week[b][g]], &[meet]));
                    meet
                })
                .collect();
            formula.at_most_one(&meetings);
        }
    }
    formula.finish()
}
