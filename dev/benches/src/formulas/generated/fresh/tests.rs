//! Small members of the families, with answers from the literature.

use super::super::formula::Formula;
use super::super::tests::truth;
use super::*;
use model::cnf::Cnf;

fn check(known: &[(&str, Cnf, super::super::Truth)]) {
    for (what, cnf, expected) in known {
        assert_eq!(truth(cnf), *expected, "{what}");
    }
}

#[test]
fn small_colourings_are_as_known() {
    check(&[
        ("the Rado number of 3 (x - y) = z is 27", colourings::rado(3, 1, 3, 26), Sat),
        ("the Rado number of 3 (x - y) = z is 27", colourings::rado(3, 1, 3, 27), Unsat),
        ("Pythagoras", colourings::pythagoras(200), Sat),
        ("R(3, 3) is 6", colourings::ramsey(3, 3, 5), Sat),
        ("R(3, 3) is 6", colourings::ramsey(3, 3, 6), Unsat),
        ("R(3, 4) is 9", colourings::ramsey(3, 4, 8), Sat),
        ("R(3, 4) is 9", colourings::ramsey(3, 4, 9), Unsat),
    ]);
}

#[test]
fn small_squares_are_as_known() {
    check(&[
        ("QG3 of order 8", squares::quasigroup(Identity::Three, 8), Sat),
        ("QG5 of order 7", squares::quasigroup(Identity::Five, 7), Sat),
        ("QG5 of order 9", squares::quasigroup(Identity::Five, 9), Unsat),
        ("QG7 of order 9", squares::quasigroup(Identity::Seven, 9), Sat),
        ("QG7 of order 10", squares::quasigroup(Identity::Seven, 10), Unsat),
        ("orthogonal squares of order 4", squares::orthogonal(4), Sat),
        ("orthogonal squares of order 2", squares::orthogonal(2), Unsat),
        ("the plane of 7 points", squares::steiner(7), Sat),
        ("6 points", squares::steiner(6), Unsat),
        ("8 points", squares::steiner(8), Unsat),
        ("9 points", squares::steiner(9), Sat),
        ("a Sudoku", squares::sudoku(3, 30, 2), Sat),
    ]);
}

#[test]
fn small_circuits_are_as_known() {
    let ones = |inputs: u32| inputs.count_ones();
    let sum = |inputs: u32| (inputs & 3) + (inputs >> 2);
    let most = |inputs: u32| u32::from(inputs.count_ones() >= 2);
    check(&[
        ("a half adder has two gates", synthesis::circuit(2, 2, 2, ones), Sat),
        ("a half adder has two gates", synthesis::circuit(2, 2, 1, ones), Unsat),
        ("a full adder has five gates", synthesis::circuit(3, 2, 5, ones), Sat),
        ("a full adder has five gates", synthesis::circuit(3, 2, 4, ones), Unsat),
        ("a sum of two bits twice", synthesis::circuit(4, 3, 7, sum), Sat),
        ("a filter lock", machines::filter_lock(3, 12, false), Unsat),
        ("a filter lock with swapped writes", machines::filter_lock(2, 12, true), Sat),
        ("most of three", synthesis::circuit(3, 1, 4, most), Sat),
        ("most of three", synthesis::circuit(3, 1, 3, most), Unsat),
        ("a lift comes late", machines::lift(3, 3), Sat),
        ("a lift comes", machines::lift(3, 12), Unsat),
        ("a pipeline", Processor { address: 1, bits: 2, stages: 2 }.differs(3, false), Unsat),
        ("a stale pipeline", Processor { address: 1, bits: 2, stages: 2 }.differs(3, true), Sat),
    ]);
}

#[test]
fn small_equations_are_as_known() {
    check(&[
        ("distributivity", words::distributes(3), Unsat),
        ("counts", words::counts(7), Unsat),
        ("13 is 4 + 9", words::two_squares(13), Sat),
        ("21 has 3 and 7 once", words::two_squares(21), Unsat),
        ("45 is 9 + 36", words::two_squares(45), Sat),
        ("no cube is the sum of two", words::cubes(3), Unsat),
        ("a sum of a half", words::subset_sum(9, 8, true, 1), Sat),
        ("Speck", keys::speck(4, 1, 50, false, 3), Sat),
        ("Speck with a wrong key", keys::speck(4, 1, 64, true, 3), Unsat),
        ("Bivium", keys::bivium(177, 150, false, 3), Sat),
        ("Bivium with a wrong state", keys::bivium(177, 177, true, 3), Unsat),
    ]);
}

#[test]
fn small_puzzles_are_as_known() {
    check(&[
        ("5 queens cover 8 x 8", covers::queens(8, 5), Sat),
        ("4 queens do not", covers::queens(8, 4), Unsat),
        ("4 knights cover 4 x 4", covers::knights(4, 4), Sat),
        ("3 knights do not", covers::knights(4, 3), Unsat),
        ("all vertices", covers::dominating(9, 30, 9, 1), Sat),
        ("no vertices", covers::dominating(9, 30, 0, 1), Unsat),
        ("a cover by all but one", covers::vertex_cover(9, 8, 1), Sat),
        ("a cover by fewer than half", covers::vertex_cover(9, 4, 1), Unsat),
        ("a torus of side 7", covers::torus_queens(7), Sat),
        ("a torus of side 6", covers::torus_queens(6), Unsat),
        ("a ruler of 5 marks", covers::golomb(5, 11), Sat),
        ("a ruler of 5 marks", covers::golomb(5, 10), Unsat),
        ("a picture", puzzles::nonogram(8, 50, 1), Sat),
        ("a snake of 7 in 4 dimensions", puzzles::snake(4, 7, false), Sat),
        ("a snake of 8 in 4 dimensions", puzzles::snake(4, 8, false), Unsat),
        ("a coil of 8 in 4 dimensions", puzzles::snake(4, 8, true), Sat),
        ("a coil of 10 in 4 dimensions", puzzles::snake(4, 10, true), Unsat),
        ("packages without roots", clauses::packages(50, 4, 3, 0, 1), Sat),
    ]);
}

#[test]
fn small_plans_are_as_known() {
    check(&[
        ("one flip more than none", plans::pancakes(4, 0, 1), Unsat),
        ("4 pancakes need 4 flips at most", plans::pancakes(4, 4, 1), Sat),
        ("blocks", plans::blocks(4, 8, 1), Sat),
        ("blocks without moves", plans::blocks(4, 0, 1), Unsat),
        ("a delivery", delivery(2, 2, 2).plan(12), Sat),
        ("a delivery without time", delivery(2, 2, 2).plan(1), Unsat),
        ("routes", plans::routes(8, 4, 6, 1), Sat),
        ("4 teams have 2 breaks", schedules::tournament(4, 2), Sat),
        ("4 teams have 2 breaks", schedules::tournament(4, 1), Unsat),
        ("6 teams have 4 breaks", schedules::tournament(6, 4), Sat),
        ("6 teams have 4 breaks", schedules::tournament(6, 3), Unsat),
        ("a timetable", schedules::timetable(12, 4, 60, true, 1), Sat),
        ("too few slots", schedules::timetable(12, 4, 100, false, 1), Unsat),
    ]);
}

/// Both codes of times have the same schedules, and longer horizons only help.
#[test]
fn codes_of_schedules_agree() {
    for seed in 1..4 {
        for open in [false, true] {
            let shop = Shop { longest: 5, ..shop(3, 3, open, seed) };
            let answers: Vec<_> = (5..18).map(|horizon| truth(&shop.ordered(horizon))).collect();
            assert!(answers.is_sorted_by_key(|&answer| answer == Sat), "{answers:?}");
            assert_eq!(answers, (5..18).map(|horizon| truth(&shop.binary(horizon))).collect::<Vec<_>>());
            assert_eq!(answers.last(), Some(&Sat));
        }
    }
}

/// The principles are unsatisfiable, but not without their first clause.
#[test]
fn principles_need_their_clauses() {
    let all = [
        ("ordering", principles::ordering(5)),
        ("matching", principles::matching(9, 1)),
        ("even colouring", principles::even_colouring(9, 1)),
        ("stones", principles::stones(3, 4)),
        ("pebbles", principles::pebbles(4, 2)),
    ];
    for (what, mut cnf) in all {
        assert_eq!(truth(&cnf), Unsat, "{what}");
        cnf.clauses.remove(0);
        assert_eq!(truth(&cnf), Sat, "{what}");
    }
}

/// The rounds of Speck give the ciphertext that its paper gives for a key.
#[test]
fn speck_is_speck() {
    assert_eq!(keys::speck_encrypted([0x0100, 0x0908, 0x1110, 0x1918], [0x6574, 0x694c], 22), [0xa868, 0x42f2]);
}

/// Words are computed as numbers are.
#[test]
fn words_are_numbers() {
    for (a, b) in [(0, 0), (3, 5), (7, 7), (6, 1), (2, 6)] {
        let mut formula = Formula::default();
        let [x, y] = [a, b].map(|value| formula.word(value, 3));
        let product = formula.product(&x, &y, 6);
        formula.fix(&product, a * b);
        let low = formula.product(&x, &y, 2);
        formula.fix(&low, a * b % 4);
        let fits = formula.is_at_most(&x, &y);
        formula.clause(&[if a <= b { fits } else { -fits }]);
        assert_eq!(truth(&formula.finish()), Sat, "{a} {b}");
    }
}

/// The names of both sets are different, and formulas repeat.
#[test]
fn fresh_recipes_repeat_and_names_are_unique() {
    let names: Vec<&str> = ALL.iter().chain(super::super::FIRST).map(|r| r.name).collect();
    for (i, name) in names.iter().enumerate() {
        assert!(!names[..i].contains(name), "{name}");
    }
    assert_eq!(ALL.len(), 60);
    assert!(ALL.is_sorted_by_key(|r| r.name));
    for recipe in ALL.iter().filter(|r| r.minisat_seconds < 0.5) {
        assert_eq!((recipe.make)(), (recipe.make)(), "{}", recipe.name);
    }
}
