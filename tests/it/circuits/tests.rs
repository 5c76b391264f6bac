//! Thousands of random circuits. `cargo run --release -p impasse-differential -- --kind circuits` checks
//! millions.

use crate::circuits::compare::{Tally, compare, is_supported, text};
use crate::circuits::{abc, abc_justice, justice, memories};
use impasse::formats;
use impasse::model::{JusticeId, Stop, Translation};
use std::sync::Arc;
use testkit::circuit::{circuit, circuit_with_justice, justice_problem, problem, truth};

const CIRCUITS: u64 = 1_500;

/// The generator makes all kinds of circuits.
#[test]
fn random_circuits_are_varied() {
    let (mut outputs, mut violated, mut deep, mut constrained, mut silent) = (0, 0, 0, 0, 0);
    for seed in 0..CIRCUITS {
        let circuit = circuit(seed);
        let truth = truth(&circuit, 1_000).expect("at most 2^8 states");
        assert!(circuit.latches().len() <= 8 && circuit.inputs().len() <= 5, "seed {seed}");
        outputs += circuit.outputs().len();
        violated += truth.shortest.len();
        deep += truth.shortest.values().filter(|frames| **frames > 3).count();
        constrained += usize::from(!circuit.constraints().is_empty());
        silent += usize::from(truth.states.is_empty());
    }
    let counts =
        format!("{outputs} outputs, {violated} violated, {deep} deep, {constrained} constrained, {silent} silent");
    assert!(violated * 5 > outputs && violated * 5 < outputs * 4, "{counts}");
    assert!(deep * 25 > outputs && constrained > 300 && silent < 150, "{counts}");
}

#[test]
fn circuits_agree_with_brute_force() {
    let engine = is_supported();
    let mut tally = Tally::default();
    for seed in 0..testkit::count(CIRCUITS) {
        let problem = problem(circuit(seed));
        if let Err(wrong) = compare(&problem, seed, engine, &mut tally) {
            panic!("seed {seed}: {wrong}\n{}", text(&problem));
        }
    }
    if !testkit::are_full() {
        return;
    }
    assert!(tally.mutants["nothing"][0] > CIRCUITS / 4, "{tally:?}");
    if !engine {
        return;
    }
    assert!(tally.safe > CIRCUITS / 3 && tally.violated > CIRCUITS / 3, "{tally:?}");
    assert!(tally.clauses * 2 > tally.safe && tally.mutants.len() > 6, "{tally:?}");
}

#[test]
fn memories_agree_with_latches() {
    let mut tally = memories::Tally::default();
    for seed in 0..testkit::count(CIRCUITS) {
        if let Err(wrong) = memories::compare(seed, &mut tally) {
            panic!("seed {seed}: {wrong}");
        }
    }
    if testkit::are_full() {
        assert!(tally.safe > 50 && tally.violated > 50 && tally.followed[1] > 5 && tally.followed[2] > 5, "{tally:?}");
        assert!(tally.open * 20 < tally.safe + tally.violated, "{tally:?}");
    }
}

/// Systems that were refused, because their arrays have 2^37 bits, or that no engine decided.
#[test]
fn memories_of_many_words_are_decided() {
    for (name, text, is_safe) in [
        ("bypass", include_str!("models/bypass.btor2"), true),
        ("no bypass", include_str!("models/no_bypass.btor2"), false),
        ("cache", include_str!("models/cache.btor2"), true),
        ("no write through", include_str!("models/no_write_through.btor2"), false),
        ("queue", include_str!("models/queue.btor2"), false),
    ] {
        let problem = memories::read(text, formats::Limits::default().array_bits);
        let answers = impasse::check(&problem, &impasse::Options::default()).answers;
        assert_eq!(
            (answers[0].is_safe(), answers[0].is_unsafe()),
            (is_safe, !is_safe),
            "{name}: {:?}",
            answers[0].finding
        );
    }
}

/// The bound of the size of a tracked circuit must count the conditions of all outputs.
#[test]
fn many_outputs_about_one_word() {
    let mut text =
        "1 sort bitvec 1\n2 sort bitvec 7\n3 sort array 2 1\n4 zero 1\n5 one 1\n6 input 2 at\n7 input 1 word\n\
                    8 state 3 mem\n9 write 3 8 6 7\n10 next 3 8 9\n11 state 2 last_at\n12 next 2 11 6\n\
                    13 state 1 last_word\n14 next 1 13 7\n15 state 1 begun\n16 init 1 15 4\n17 next 1 15 5\n\
                    18 read 1 8 11\n19 neq 1 18 13\n20 and 1 19 15\n"
            .to_owned();
    for line in (21..21 + 3 * 500).step_by(3) {
        text += &format!("{line} input 1\n{} and 1 20 {line}\n{} bad {}\n", line + 1, line + 2, line + 1);
    }
    let answers = impasse::check(&memories::read(&text, 64), &impasse::Options::default()).answers;
    assert_eq!(answers.iter().filter(|answer| answer.is_safe()).count(), 500);
}

#[test]
fn justice_agrees_with_brute_force() {
    let mut tally = justice::Tally::default();
    for seed in 0..testkit::count(CIRCUITS) {
        let problem = justice_problem(circuit_with_justice(seed));
        if let Err(wrong) = justice::compare(&problem, seed, &mut tally) {
            panic!("seed {seed}: {wrong}\n{}", text(&problem));
        }
    }
    if !testkit::are_full() {
        return;
    }
    assert!(tally.safe > CIRCUITS && tally.violated > CIRCUITS && tally.fair > CIRCUITS / 2, "{tally:?}");
    assert!(tally.counted > 100 && tally.highest > 3 && tally.longest > 5, "{tally:?}");
    assert!(tally.witnesses > tally.violated / 2 && tally.mutants.len() > 6, "{tally:?}");
}

#[test]
fn another_tool_reads_files_of_circuits_alike() {
    if !abc::is_there() {
        let _ = std::io::Write::write_all(&mut std::io::stderr(), b"skipped: no berkeley-abc\n");
        return;
    }
    let mut tally = abc::Tally::default();
    for seed in 0..testkit::count(150) {
        if let Err(wrong) = abc::compare(seed, &mut tally) {
            panic!("seed {seed}: {wrong}");
        }
    }
    if !testkit::are_full() {
        return;
    }
    assert!(tally.violated > 50 && tally.violated + 50 < tally.outputs && tally.deepest > 3, "{tally:?}");
    assert!(tally.silent * 10 < tally.circuits && tally.constrained > 10, "{tally:?}");
}

#[test]
fn another_tool_decides_justice_alike() {
    if !abc::is_there() {
        let _ = std::io::Write::write_all(&mut std::io::stderr(), b"skipped: no berkeley-abc\n");
        return;
    }
    let mut tally = abc_justice::Tally::default();
    for seed in 0..testkit::count(150) {
        if let Err(wrong) = abc_justice::compare(&circuit_with_justice(seed), &mut tally) {
            panic!("seed {seed}: {wrong}");
        }
    }
    if !testkit::are_full() {
        return;
    }
    assert!(tally.violated > 30 && tally.violated + 30 < tally.properties && tally.constrained > 10, "{tally:?}");
    assert!(tally.silent * 10 < tally.properties, "{tally:?}");
}

/// The engines and the kernel of the checker translate justice properties by code of their own.
#[test]
fn the_kernel_makes_the_same_circuits() {
    let translations = [Translation::Loop, Translation::Count(0), Translation::Count(1), Translation::Count(5)];
    let stop = Stop::default();
    for seed in 0..testkit::count(1_000) {
        let circuit = Arc::new(circuit_with_justice(seed));
        for justice in (0..circuit.justices().len()).map(JusticeId::new) {
            for translation in translations {
                let mut work = kernel::Work::new(u64::MAX, &stop);
                let theirs = kernel::circuit::justice::translated(&circuit, justice, translation, &mut work);
                let ours = circuits::encode::justice::translate(&circuit, justice, translation);
                assert_eq!(**ours.task().circuit(), theirs.expect("it is small"), "seed {seed}, {translation:?}");
                let nodes = ours.task().circuit().gates().len();
                assert!(
                    nodes <= circuits::encode::justice::nodes(&circuit, justice, translation),
                    "{seed}, {translation:?}"
                );
            }
        }
    }
}
