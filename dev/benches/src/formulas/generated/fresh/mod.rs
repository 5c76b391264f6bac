//! A second set of generated formulas: families on which no heuristic of the solver has been tuned. It shows
//! whether the solver is as good on formulas that were not looked at. So heuristics must not be tuned to it.
//!
//! Each answer is known from the literature, or two of minisat 2.2.1, CaDiCaL 1.4.1 and kissat 4.0.4 agree about it.
//! minisat takes 0.2 to 60 seconds for most formulas, and longer for those that only newer solvers solve.

mod clauses;
mod colourings;
mod covers;
mod keys;
mod machines;
mod plans;
mod principles;
mod puzzles;
mod schedules;
mod squares;
mod synthesis;
#[cfg(test)]
mod tests;
mod words;

use super::Truth::{Sat, Unsat};
use super::{Recipe, recipe};
use machines::Processor;
use plans::Delivery;
use schedules::Shop;
use squares::Identity;

const fn shop(jobs: usize, machines: usize, open: bool, seed: u64) -> Shop {
    Shop { jobs, machines, longest: 20, open, seed }
}

const fn delivery(side: usize, trucks: usize, parcels: usize) -> Delivery {
    Delivery { side, trucks, parcels, capacity: 2, seed: 1 }
}

const fn processor(address: usize, bits: usize, stages: usize) -> Processor {
    Processor { address, bits, stages }
}

/// Recorded for formulas that minisat does not solve in a minute.
const LONG: f64 = 60.0;

pub(crate) const ALL: &[Recipe] = &[
    recipe("bivium-50", Sat, 0.36, || keys::bivium(177, 50, false, 1)),
    recipe("bivium-52-wrong", Unsat, 1.9, || keys::bivium(177, 52, true, 2)),
    recipe("blocks-20-23", Unsat, 1.1, || plans::blocks(20, 23, 1)),
    recipe("blocks-20-24", Sat, 0.88, || plans::blocks(20, 24, 1)),
    recipe("circuit-most-11", Sat, 4.1, || synthesis::circuit(5, 1, 11, |i| u32::from(i.count_ones() >= 3))),
    recipe("circuit-sum-6", Unsat, 0.27, || synthesis::circuit(4, 3, 6, |i| (i & 3) + (i >> 2))),
    recipe("counts-60", Unsat, 12.7, || words::counts(60)),
    recipe("cover-90-53", Unsat, 4.4, || covers::vertex_cover(90, 53, 1)),
    recipe("cubes-8", Unsat, 0.81, || words::cubes(8)),
    recipe("delivery-4-11", Unsat, 2.4, || delivery(4, 3, 8).plan(11)),
    recipe("delivery-5-14", Sat, 2.8, || delivery(5, 6, 8).plan(14)),
    recipe("distributes-7", Unsat, 8.6, || words::distributes(7)),
    recipe("dominating-70-10", Unsat, 4.2, || covers::dominating(70, 12, 10, 1)),
    recipe("even-32", Unsat, 0.8, || principles::even_colouring(32, 1)),
    recipe("golomb-10-55", Sat, 2.1, || covers::golomb(10, 55)),
    recipe("golomb-9-43", Unsat, 0.52, || covers::golomb(9, 43)),
    recipe("jobs-10-205", Sat, 0.33, || shop(10, 10, false, 3).binary(205)),
    recipe("jobs-14-195", Unsat, 4.3, || shop(14, 10, false, 3).binary(195)),
    recipe("jobs-14-195-order", Unsat, 0.35, || shop(14, 10, false, 3).ordered(195)),
    recipe("knights-10-15", Unsat, 3.7, || covers::knights(10, 15)),
    recipe("knights-10-16", Sat, 7.8, || covers::knights(10, 16)),
    recipe("lift-10-35", Unsat, 0.68, || machines::lift(10, 35)),
    recipe("lock-5-23-swapped", Unsat, 3.3, || machines::filter_lock(5, 23, true)),
    recipe("lock-5-24-swapped", Sat, 0.26, || machines::filter_lock(5, 24, true)),
    recipe("matching-47", Unsat, 1.4, || principles::matching(47, 1)),
    recipe("nonogram-50", Sat, 1.5, || puzzles::nonogram(50, 50, 1)),
    recipe("ordering-35", Unsat, LONG, || principles::ordering(35)),
    recipe("orthogonal-8", Sat, 44.3, || squares::orthogonal(8)),
    recipe("packages-20000", Unsat, 2.7, || clauses::packages(20_000, 8, 3, 400, 1)),
    recipe("packages-30000", Sat, 1.2, || clauses::packages(30_000, 4, 1, 2000, 2)),
    recipe("pancakes-11-9", Sat, 0.63, || plans::pancakes(11, 9, 1)),
    recipe("pebbles-50-3", Unsat, 0.31, || principles::pebbles(50, 3)),
    recipe("processor-150-stale", Sat, LONG, || processor(3, 16, 3).differs(150, true)),
    recipe("processor-4", Unsat, 5.6, || processor(2, 4, 2).differs(4, false)),
    recipe("pythagoras-5500", Sat, 0.52, || colourings::pythagoras(5500)),
    recipe("quasigroup-3-9", Unsat, 1.1, || squares::quasigroup(Identity::Three, 9)),
    recipe("quasigroup-5-13", Unsat, 3.1, || squares::quasigroup(Identity::Five, 13)),
    recipe("quasigroup-7-13", Sat, 0.41, || squares::quasigroup(Identity::Seven, 13)),
    recipe("queens-10-4", Unsat, 3.4, || covers::queens(10, 4)),
    recipe("rado-10-3-1000", Unsat, 1.2, || colourings::rado(10, 3, 3, 1000)),
    recipe("rado-9-2-728", Sat, 0.55, || colourings::rado(9, 2, 3, 728)),
    recipe("rado-9-2-729", Unsat, 0.57, || colourings::rado(9, 2, 3, 729)),
    recipe("ramsey-3-7-22", Sat, 5.8, || colourings::ramsey(3, 7, 22)),
    recipe("routes-20-25", Sat, 2.4, || plans::routes(20, 25, 12, 1)),
    recipe("snake-6-25", Sat, 1.8, || puzzles::snake(6, 25, false)),
    recipe("speck-22-52-wrong", Unsat, 1.2, || keys::speck(22, 2, 52, true, 2)),
    recipe("speck-8-44", Sat, 20.3, || keys::speck(8, 2, 44, false, 2)),
    recipe("steiner-39", Sat, 0.4, || squares::steiner(39)),
    recipe("stones-8-8", Unsat, 0.98, || principles::stones(8, 8)),
    recipe("subset-20-22", Unsat, 1.4, || words::subset_sum(20, 22, false, 1)),
    recipe("subset-24-20", Sat, 4.5, || words::subset_sum(24, 20, true, 1)),
    recipe("sudoku-5-40", Sat, 0.71, || squares::sudoku(5, 40, 1)),
    recipe("timetable-45-7", Unsat, 0.29, || schedules::timetable(45, 7, 50, false, 1)),
    recipe("torus-14", Unsat, 0.91, || covers::torus_queens(14)),
    recipe("tournament-14-11", Unsat, 0.44, || schedules::tournament(14, 11)),
    recipe("two-squares-1073741829", Unsat, 1.6, || words::two_squares(1_073_741_829)),
    recipe("two-squares-4720624057", Sat, 1.5, || words::two_squares(4_720_624_057)),
    recipe("uniform-3-400", Sat, LONG, || clauses::uniform(3, 400, 1680, 1)),
    recipe("uniform-5-50", Unsat, 0.87, || clauses::uniform(5, 50, 1100, 2)),
    recipe("uniform-7-38", Unsat, 9.8, || clauses::uniform(7, 38, 3400, 1)),
];
