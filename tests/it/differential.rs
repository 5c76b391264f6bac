//! Random small programs, checked by every engine. `cargo run --release -p impasse-differential` checks
//! millions.

use crate::compare::{Tally, compare, compare_asked, text};
use crate::mutants;
use impasse::model::Program;
use impasse::patterns::kit;
use std::sync::Arc;
use testkit::program;

/// Number of programs. It suffices for some dozens of programs of every shape with every change, and takes
/// seconds.
const PROGRAMS: u64 = 3_000;

#[test]
fn engines_agree_with_brute_force() {
    let mut tally = Tally::default();
    for seed in 0..testkit::count(PROGRAMS) {
        let program = Arc::new(program::program(seed));
        if let Err(wrong) = compare(&program, seed, &mut tally) {
            panic!("seed {seed}: {wrong}\n{}", text(&program));
        }
    }
    if !testkit::are_full() {
        return;
    }
    // The generator must make all kinds of programs.
    assert!(tally.skipped * 20 < PROGRAMS, "{tally:?}");
    for (what, count) in [("bad", tally.unsafe_bad), ("deadlock", tally.unsafe_deadlock)] {
        assert!(count * 20 > PROGRAMS, "too few programs with {what}: {tally:?}");
        assert!(count * 20 < PROGRAMS * 19, "nearly all programs with {what}: {tally:?}");
    }
    assert!(tally.matched * 2 > PROGRAMS, "patterns have little to say: {tally:?}");
    assert!(tally.by_lemmas > 20, "lemmas alone prove next to nothing: {tally:?}");
}

/// Compares programs of one kind.
fn all_agree(count: u64, mut make: impl FnMut(u64) -> Program) -> Tally {
    let mut tally = Tally::default();
    for seed in 0..testkit::count(count) {
        let program = Arc::new(make(seed));
        if let Err(wrong) = compare(&program, seed, &mut tally) {
            panic!("seed {seed}: {wrong}\n{}", text(&program));
        }
    }
    assert!(!testkit::are_full() || tally.skipped * 20 < count && tally.unsafe_bad * 20 > count, "{tally:?}");
    tally
}

#[test]
fn engines_agree_on_tasks_and_cells() {
    for make in [kit::task_program, kit::cell_program] {
        let tally = all_agree(400, |seed| make(&mut kit::Random::new(seed)));
        assert!(!testkit::are_full() || tally.by_lemmas > 40, "{tally:?}");
    }
}

#[test]
fn engines_agree_on_mutants_of_the_examples() {
    let programs = mutants::programs(&crate::tool::root().join("examples")).expect("the examples are there");
    assert!(programs.len() >= 6, "{}", programs.len());
    all_agree(300, |seed| mutants::mutant(&programs, seed));
}

/// Programs with random final states. A state without enabled events in which all threads are in final states
/// is no deadlock. Every other state without enabled events is a deadlock.
#[test]
fn engines_agree_about_ends() {
    let mut tally = Tally::default();
    for seed in 0..testkit::count(600) {
        let program = Arc::new(program::program_with_ends(seed));
        if let Err(wrong) = compare(&program, seed, &mut tally) {
            panic!("seed {seed}: {wrong}\n{}", text(&program));
        }
    }
    let varied = tally.unsafe_deadlock > 60 && tally.safe > 400 && tally.by_lemmas > 4;
    assert!(!testkit::are_full() || varied, "{tally:?}");
}

/// Programs with priorities. Engines that know no priorities must not answer with runs against them.
#[test]
fn engines_agree_with_priorities() {
    let mut tally = Tally::default();
    for seed in 0..testkit::count(1_200) {
        let problem = program::questions_with_priorities(seed);
        let program = Arc::new(program::program_with_priorities(seed));
        let compared = match seed % 3 {
            0 => compare_asked(&problem, &mut tally),
            _ => compare(&program, seed, &mut tally),
        };
        if let Err(wrong) = compared {
            panic!("seed {seed}: {wrong}\n{:?}\n{}", problem.formulas(), text(&program));
        }
    }
    let varied = tally.priorities_matter > 200 && tally.avoided > 40 && tally.in_vain > 40 && tally.unsafe_bad > 60;
    assert!(!testkit::are_full() || varied, "{tally:?}");
}

#[test]
fn engines_agree_about_formulas() {
    let mut tally = Tally::default();
    for seed in 0..testkit::count(400) {
        let problem = program::questions(seed);
        if let Err(wrong) = compare_asked(&problem, &mut tally) {
            panic!(
                "seed {seed}: {wrong}\n{:?}\n{}",
                problem.formulas(),
                text(problem.system().as_program().expect("a program"))
            );
        }
    }
    assert!(!testkit::are_full() || tally.safe > 400 && tally.checks > tally.safe + 400, "{tally:?}");
}
