//! Output of the commands about circuits, as snapshots, and the effects of their options.
//!
//! After an intended change: `INSTA_UPDATE=always cargo test --test it`, and read the diff.

use crate::cli::{golden, golden_with};
use crate::tool::{code, root, run, run_with, scratch, stdout};
use std::fs;

/// A row of latches, filled from the front. The second latch is initially open, and a constraint keeps the
/// second input false.
const ROW: &str = "aag 5 2 3 0 0 1 1\n2\n4\n6 2\n8 6 8\n10 8\n10\n5\ni0 put\nl0 first\nb0 through\n";

#[test]
fn reports() {
    golden("circuit_info", &["info", "examples/careless_ring.aag"]);
    golden("circuit_safe", &["check", "examples/ring.aag"]);
    golden("circuit_unsafe", &["check", "examples/careless_ring.aag"]);
    golden("circuit_verbose", &["check", "examples/careless_ring.aag", "--property", "two_granted", "-v"]);
    golden("circuit_json", &["check", "examples/careless_ring.aag", "--format", "json"]);
    golden("circuit_hwmcc", &["check", "examples/careless_ring.aag", "examples/round_robin.aag", "--format", "hwmcc"]);
    golden("circuit_format_of_a_net", &["check", "examples/lock.spec", "--format", "hwmcc"]);
    golden("justice_info", &["info", "examples/by_priority.aag"]);
    golden("justice_violated", &["check", "examples/by_priority.aag", "--engine", "bmc"]);
    golden("justice_holds", &["check", "examples/round_robin.aag", "--engine", "k-liveness"]);
    golden("justice_holds_by_loops", &["check", "examples/round_robin.aag", "--engine", "ic3"]);
    golden("justice_json", &["check", "examples/by_priority.aag", "--engine", "bmc", "--format", "json"]);
    golden("circuit_simulated", &["simulate", "examples/careless_ring.aag", "--random", "5", "--seed", "3"]);
    let row = |name: &str, args: &[&str]| {
        golden_with(name, &[args, &["-", "--input-format", "aag"]].concat(), ROW);
    };
    row("circuit_info_row", &["info"]);
    row("circuit_check_row", &["check"]);
    row("circuit_no_property", &["check", "--property", "deadlock"]);
    // The first input must be true infinitely often, in a justice property and on each run that counts. The latch holds
    // the input of the frame before, and both latches have to be set in the same loop.
    let both = "aag 3 1 2 0 0 1 0 2 1\n2\n4 2\n6 4\n6\n2\n1\n4\n7\n6\n2\ni0 go\nb0 late\nj1 again\n";
    for (name, args) in [("justice_all", &["check"][..]), ("justice_chosen", &["check", "--property", "j0"])] {
        golden_with(name, &[args, &["-", "--input-format", "aag", "--engine", "bmc"]].concat(), both);
    }
    let fair = "aag 1 1 0 0 0 1 0 0 1\n2\n2\n2\n";
    golden_with("justice_fairness_alone", &["info", "-", "--input-format", "aag"], fair);
}

#[test]
fn simulation_asks_for_inputs() {
    let file = scratch("simulated_circuit").join("row.aag");
    fs::write(&file, ROW).expect("it can be written");
    let answers = "1\n10\n00\n11\nu\n00\n00\nq\n";
    golden_with("circuit_asked", &["simulate", file.to_str().expect("a plain path")], answers);
}

#[test]
fn options_of_other_kinds_are_refused() {
    let options: &[&[&str]] = &[
        &["--bound", "3"],
        &["--target", "x.prop"],
        &["--properties", "x.xml"],
        &["--init", "0|0"],
        &["--patterns", "none"],
        &["--trust", "looped"],
        &["--format", "mcc"],
        &["--explore-all"],
        &["--engine", "dpllt"],
        &["--engine", "explicit"],
        &["--engine", "equation"],
    ];
    for option in options {
        let output = run(&[&["check", "examples/ring.aag"], *option].concat());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(code(&output), 64, "{option:?}: {said}");
        assert!(said.contains("circuit"), "{option:?}: {said}");
    }
    for command in ["info", "simulate"] {
        assert_eq!(code(&run(&[command, "examples/ring.aag", "--init", "0|0"])), 64, "{command}");
    }
}

/// Each example circuit states its verdicts in its comment, as other examples do.
#[test]
fn examples_keep_their_promises() {
    for name in ["ring", "careless_ring", "round_robin", "by_priority"] {
        let path = format!("examples/{name}.aag");
        let text = fs::read_to_string(root().join(&path)).expect("it is text");
        let promise = text.lines().find_map(|l| l.strip_prefix("# impasse check ")).expect("a promise");
        let (file, verdicts) = promise.split_once("->").expect("command -> verdicts");
        assert_eq!(file.trim(), path);
        let said = stdout(&run(&["check", &path]));
        for verdict in verdicts.split(',').map(str::trim) {
            assert!(said.contains(&format!("{path}: {verdict}")), "{path} promises `{verdict}` but says\n{said}");
        }
    }
}

/// Conversion through both forms and back gives the same file.
#[test]
fn converted_circuits_are_the_same() {
    let dir = scratch("converted_circuits");
    let at = |name: &str| dir.join(name).to_str().expect("a plain path").to_owned();
    for (from, to) in [("examples/ring.aag", "a.aig"), ("a.aig", "b.aag"), ("b.aag", "c.aig")] {
        let from = if from.starts_with("examples") { from.to_owned() } else { at(from) };
        assert_eq!(code(&run(&["convert", &from, &at(to)])), 0, "{to}");
    }
    assert_eq!(fs::read(at("a.aig")).expect("written"), fs::read(at("c.aig")).expect("written"));
    let text = fs::read_to_string(at("b.aag")).expect("written");
    let example = fs::read_to_string(root().join("examples/ring.aag")).expect("it is there");
    assert_eq!(example.split("c\n").next(), Some(text.as_str()), "the example is as we write it");
    for refused in ["x.spec", "x.rwb", "x.pnml"] {
        assert_eq!(code(&run(&["convert", "examples/ring.aag", &at(refused)])), 65, "{refused}");
        assert!(!dir.join(refused).exists());
    }
}

/// Evidence is accepted when it is checked again, and files for other tools are written beside it.
#[test]
fn evidence_is_accepted_and_written_for_others() {
    let dir = scratch("circuit_evidence");
    let place = dir.to_str().expect("a plain path");
    let checked = run(&["check", "examples/careless_ring.aag", "examples/ring.aag", "-q", "--evidence", place]);
    assert_eq!(code(&checked), 10);
    for (model, property) in
        [("careless_ring", "two_granted"), ("careless_ring", "token_lost"), ("ring", "two_granted")]
    {
        let evidence = format!("{place}/{model}.{property}.evidence.json");
        let replayed = run(&["replay", &format!("examples/{model}.aag"), &evidence]);
        assert_eq!(code(&replayed), 0, "{}", stdout(&replayed));
    }
    let run_of = fs::read_to_string(dir.join("careless_ring.two_granted.aiw")).expect("a witness");
    assert!(run_of.starts_with("1\nb0\n") && run_of.ends_with("\n.\n"), "{run_of}");
    let witness = format!("{place}/ring.two_granted.witness.aag");
    let again = run_with(&["check", &witness, "-q"], b"");
    assert_eq!(code(&again), 0, "the witness circuit is safe, too: {}", stdout(&again));
}

/// A counter of three bits that an input increases. The property `four` is violated, `never` is not: the step to 7
/// is missing.
const COUNTER: &str = "1 sort bitvec 1\n2 sort bitvec 3\n3 zero 2\n4 state 2 count\n5 init 2 4 3\n6 input 1 go\n\
                       7 inc 2 4\n8 constd 2 6\n9 eq 1 4 8\n10 ite 2 9 4 7\n11 ite 2 6 10 4\n12 next 2 4 11\n\
                       13 constd 2 4\n14 eq 1 4 13\n15 bad 14 four\n16 redand 1 4\n17 bad 16 never\n";

/// Runs of systems over words are written as BTOR2 witnesses. Proofs are about the circuit that `convert` writes.
#[test]
fn words_have_witnesses_of_their_own() {
    let dir = scratch("word_evidence");
    let at = |name: &str| dir.join(name).to_str().expect("a plain path").to_owned();
    fs::write(at("counter.btor2"), COUNTER).expect("it can be written");
    golden_with(
        "words_check",
        &["check", "-", "--input-format", "btor2", "-v", "--engine", "bmc", "--property", "four"],
        COUNTER,
    );
    golden_with(
        "words_simulated",
        &["simulate", "-", "--input-format", "btor2", "--random", "5", "--seed", "3"],
        COUNTER,
    );
    let checked = run(&["check", &at("counter.btor2"), "-q", "--evidence", &at("")]);
    assert_eq!(code(&checked), 10, "{}", stdout(&checked));
    let witness = fs::read_to_string(at("counter.four.wit")).expect("a witness");
    assert!(witness.starts_with("sat\nb0\n#0\n@0\n0 ") && witness.ends_with("\n.\n"), "{witness}");
    assert!(!dir.join("counter.four.aiw").exists());
    assert_eq!(code(&run(&["replay", &at("counter.btor2"), &at("counter.never.evidence.json")])), 0);
    for to in ["plain.aag", "plain.btor2"] {
        assert_eq!(code(&run(&["convert", &at("counter.btor2"), &at(to)])), 0);
        let again = run(&["check", &at(to), "-q"]);
        let said = stdout(&again);
        assert!(said.contains("four: UNSAFE") && said.contains("never: SAFE"), "{said}");
    }
    // The witness circuit has the inputs, latches and gates of the converted file, and further gates.
    let [plain, proof] =
        ["plain.aag", "counter.never.witness.aag"].map(|name| fs::read_to_string(at(name)).expect("there"));
    let latches = |text: &str| text.lines().skip(1).take(4).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(latches(&plain), latches(&proof));
    assert_eq!(code(&run(&["check", &at("counter.never.witness.aag"), "-q"])), 0);
}
