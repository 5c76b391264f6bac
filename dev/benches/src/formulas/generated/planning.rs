//! Plans and schedules.

use super::formula::{Formula, Lit};
use model::cnf::Cnf;
use testkit::Random;

/// The towers of Hanoi in `moves` moves. 2^disks - 1 moves are needed.
pub(super) fn hanoi(disks: usize, moves: usize) -> Cnf {
    const PEGS: usize = 3;
    let mut formula = Formula::default();
    let on: Vec<Vec<Vec<Lit>>> = (0..=moves).map(|_| formula.grid(disks, PEGS)).collect();
    for time in &on {
        time.iter().for_each(|pegs| formula.exactly_one(pegs));
    }
    for disk in 0..disks {
        formula.clause(&[on[0][disk][0]]);
        formula.clause(&[on[moves][disk][PEGS - 1]]);
    }
    for time in 0..moves {
        let moved = formula.vars(disks);
        formula.exactly_one(&moved);
        for disk in 0..disks {
            for peg in 0..PEGS {
                let (before, after) = (on[time][disk][peg], on[time + 1][disk][peg]);
                formula.implies(&[moved[disk], before], &[-after]);
                formula.implies(&[-moved[disk], before], &[after]);
                for smaller in 0..disk {
                    formula.implies(&[moved[disk], before], &[-on[time][smaller][peg]]);
                    formula.implies(&[moved[disk], after], &[-on[time][smaller][peg]]);
                }
            }
        }
    }
    formula.finish()
}

/// The sliding puzzle of 3 x 3 fields: a way back from a position after `scramble` random moves in exactly
/// `moves` moves.
pub(super) fn sliding_puzzle(scramble: usize, moves: usize, seed: u64) -> Cnf {
    const SIDE: usize = 3;
    const FIELDS: usize = SIDE * SIDE;
    let near = |a: usize, b: usize| (a / SIDE).abs_diff(b / SIDE) + (a % SIDE).abs_diff(b % SIDE) == 1;
    let mut rng = Random::new(seed);
    let mut board: Vec<usize> = (0..FIELDS).collect();
    let (mut blank, mut last) = (0, FIELDS);
    for _ in 0..scramble {
        let ways: Vec<usize> = (0..FIELDS).filter(|&f| near(blank, f) && f != last).collect();
        let to = ways[rng.below(ways.len())];
        board.swap(blank, to);
        (last, blank) = (blank, to);
    }
    let mut formula = Formula::default();
    // Tile 0 is the blank.
    let has: Vec<Vec<Vec<Lit>>> = (0..=moves).map(|_| formula.grid(FIELDS, FIELDS)).collect();
    for field in 0..FIELDS {
        formula.clause(&[has[0][field][board[field]]]);
        formula.clause(&[has[moves][field][field]]);
    }
    for (time, now) in has.iter().enumerate() {
        now.iter().for_each(|tiles| formula.exactly_one(tiles));
        let Some(next) = has.get(time + 1) else { break };
        for from in 0..FIELDS {
            let ways: Vec<Lit> = (0..FIELDS).filter(|&to| near(from, to)).map(|to| next[to][0]).collect();
            formula.implies(&[now[from][0]], &ways);
            for to in (0..FIELDS).filter(|&to| near(from, to)) {
                for tile in 1..FIELDS {
                    formula.implies(&[now[from][0], next[to][0], now[to][tile]], &[next[from][tile]]);
                }
            }
            for tile in 1..FIELDS {
                formula.implies(&[now[from][tile], -next[from][0]], &[next[from][tile]]);
            }
        }
    }
    formula.finish()
}

/// A packing of rectangles without overlap into one of `width` x `height`. They are cut at random from a
/// rectangle that is `squeeze` higher.
pub(super) fn packing(width: usize, height: usize, pieces: usize, squeeze: usize, seed: u64) -> Cnf {
    let mut rng = Random::new(seed);
    let mut rectangles = vec![(width, height + squeeze)];
    while rectangles.len() < pieces {
        rectangles.sort_by_key(|&(w, h)| w * h);
        let Some((w, h)) = rectangles.pop() else { break };
        if w > h {
            let cut = 1 + rng.below(w - 1);
            rectangles.extend([(cut, h), (w - cut, h)]);
        } else {
            let cut = 1 + rng.below(h - 1);
            rectangles.extend([(w, cut), (w, h - cut)]);
        }
    }
    let mut formula = Formula::default();
    let placed: Vec<[(usize, Vec<Lit>); 2]> = rectangles
        .iter()
        .filter(|&&(w, h)| w <= width && h <= height)
        .map(|&(w, h)| [(w, formula.ordered(width - w)), (h, formula.ordered(height - h))])
        .collect();
    for (i, a) in placed.iter().enumerate() {
        for b in &placed[..i] {
            let mut sides = Vec::new();
            for axis in 0..2 {
                for (before, behind) in [(&a[axis], &b[axis]), (&b[axis], &a[axis])] {
                    let side = formula.var();
                    sides.push(side);
                    formula.ordered_before(&[side], &before.1, before.0, &behind.1);
                }
            }
            formula.clause(&sides);
        }
    }
    formula.finish()
}
