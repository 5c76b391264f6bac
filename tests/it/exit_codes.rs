//! Exit codes as documented in `docs/cli.md`: each code, and the choice among several.

use crate::tool::{code, command, run, run_with, scratch, stdout};
use std::fs;
use std::process::Stdio;

const SAFE: &str = "rwb 1  event a  thread T { state s { request a } }";
const BAD: &str = "rwb 1  event a  thread T { state s { request a on a -> v } state v { bad } }";
const DEADLOCK: &str = "rwb 1  event a  thread T { state s { request a on a -> t } state t {} }";
const BOTH: &str =
    "rwb 1  event a, b  thread T { state s { request a, b on a -> t on b -> v } state t {} state v { bad } }";

fn check(text: &str, more: &[&str]) -> i32 {
    let args = [&["check", "-", "--input-format", "rwb", "-q"], more].concat();
    code(&run_with(&args, text.as_bytes()))
}

#[test]
fn verdicts() {
    for engine in ["auto", "dpllt", "explicit"] {
        assert_eq!(check(SAFE, &["--engine", engine]), 0);
        assert_eq!(check(BAD, &["--engine", engine]), 10);
        assert_eq!(check(DEADLOCK, &["--engine", engine]), 11);
        assert_eq!(check(BOTH, &["--engine", engine]), 10, "of two violations the lower code wins");
    }
}

#[test]
fn one_property_alone() {
    assert_eq!(check(BOTH, &["--property", "deadlock"]), 11);
    assert_eq!(check(DEADLOCK, &["--property", "bad"]), 0);
    assert_eq!(check(BAD, &["--property", "deadlock"]), 0);
    assert_eq!(check(BAD, &["--property", "nonsense"]), 64);
}

#[test]
fn engines_say_what_they_cannot_be_asked() {
    let asked = |engine: &str, property: &str| {
        let args = [
            "check",
            "examples/coffee.c",
            "--properties",
            "examples/coffee.ltl",
            "--engine",
            engine,
            "--property",
            property,
        ];
        let output = run(&args);
        (code(&output), stdout(&output))
    };
    for (engine, property, other) in
        [("ltl", "error:1", "ltl:0"), ("explicit", "ltl:0", "error:2"), ("intervals", "ltl:0", "error:2")]
    {
        let (exit, text) = asked(engine, property);
        assert!(exit == 30 && text.contains("UNKNOWN (unsupported)"), "{engine}: {exit} {text}");
        let (exit, text) = asked(engine, other);
        assert!(exit == 0 && text.contains("SAFE"), "{engine}: {exit} {text}");
    }
}

#[test]
fn several_files_end_with_the_worst() {
    let dir = scratch("several_files");
    let file = |name: &str, text: &str| {
        let path = dir.join(name);
        fs::write(&path, text).expect("the scratch directory can be written");
        path.display().to_string()
    };
    let (safe, bad, deadlock) = (file("safe.rwb", SAFE), file("bad.rwb", BAD), file("deadlock.rwb", DEADLOCK));
    let wrong = file("wrong.rwb", "rwb 1  thread");
    assert_eq!(code(&run(&["check", &safe, &deadlock])), 11);
    assert_eq!(code(&run(&["check", &deadlock, &bad, &safe])), 10);
    assert_eq!(code(&run(&["check", &bad, &wrong, &safe])), 65);
    assert_eq!(code(&run(&["check", &safe, "no/such/file.rwb"])), 65);
}

#[test]
fn usage_errors() {
    for args in [
        &["check"][..],
        &["chekc", "x.rwb"],
        &["check", "x.rwb", "--engine", "concurrency"],
        &["check", "x.rwb", "--format", "mcc"],
        &["check", "x.rwb", "--patterns", "nonsense"],
        &["check", "x.rwb", "--trust", "nonsense"],
        &["check", "x.rwb", "--batch", "0"],
        &["check", "x.rwb", "--batch", "1", "--engine", "explicit"],
        &["check", "x.rwb", "--explore-all", "--engine", "dpllt"],
        &["check", "x.rwb", "--timeout", "soon"],
        &["check", "x.rwb", "--memory", "much"],
        &["check", "x.rwb", "--bound", "3"],
        &["check", "x.rwb", "--jobs", "0"],
        &["check", "x.rwb", "--jobs", "2", "--engine", "walk"],
        &["check", "-"],
        &["explain", "nonsense"],
        &["convert", "examples/task.rwb", "out.nonsense"],
    ] {
        assert_eq!(code(&run(args)), 64, "{args:?}");
    }
}

#[test]
fn help_and_version_are_answers() {
    for args in [&["--help"][..], &["--version"], &["check", "--help"], &["help", "sat"]] {
        let output = run(args);
        assert_eq!(code(&output), 0, "{args:?}");
        assert!(output.stderr.is_empty(), "{args:?}");
    }
}

#[test]
fn evidence_of_another_model_is_not_accepted() {
    let dir = scratch("replay_codes");
    let path = |name: &str| dir.join(name).display().to_string();
    fs::write(path("one.rwb"), BAD).expect("the scratch directory can be written");
    fs::write(path("two.rwb"), BAD.replace("request a on", "request a block a on")).expect("likewise");
    assert_eq!(code(&run(&["check", &path("one.rwb"), "--evidence", &path("evidence")])), 10);
    let evidence = path("evidence/one.bad.evidence.json");
    assert_eq!(code(&run(&["replay", &path("one.rwb"), &evidence])), 0);
    // In the second model the event is blocked. The reader or the checker must refuse the evidence.
    let other = code(&run(&["replay", &path("two.rwb"), &evidence]));
    assert!([1, 65].contains(&other), "exit {other}");
    assert_eq!(code(&run(&["replay", &path("one.rwb"), &path("one.rwb")])), 65);
}

#[test]
fn sat_codes() {
    let solve = |text: &str| code(&run_with(&["sat", "-"], text.as_bytes()));
    assert_eq!(solve("p cnf 2 2\n1 2 0\n-1 0\n"), 10);
    assert_eq!(solve("p cnf 1 2\n1 0\n-1 0\n"), 20);
    assert_eq!(solve("p cnf one two\n"), 65);
}

/// It is an error if results cannot be written. If this can be known in advance, the error is reported before
/// the work begins.
#[test]
fn results_that_cannot_be_written() {
    let dir = scratch("results_that_cannot_be_written");
    let path = |name: &str| dir.join(name).display().to_string();
    fs::write(path("file"), "in the way").expect("the scratch directory can be written");
    fs::write(path("no.cnf"), "p cnf 1 2\n1 0\n-1 0\n").expect("likewise");
    let place = path("file/evidence");
    let output = run(&["check", "examples/task.rwb", "--evidence", &place]);
    assert_eq!((code(&output), stdout(&output).as_str()), (65, ""), "nothing is checked");
    let output = run(&["sat", &path("no.cnf"), "--proof", &dir.display().to_string()]);
    assert_eq!((code(&output), stdout(&output).as_str()), (65, ""), "nothing is solved");
    for packed in ["task.rwb.xz", "task.json.gz"] {
        assert_eq!(code(&run(&["convert", "examples/task.rwb", &path(packed)])), 64);
        assert!(!dir.join(packed).exists(), "{packed}");
    }
}

/// Standard output is a full disk.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_no_success() {
    for args in [
        &["check", "examples/water_tank.rwb", "--property", "bad"][..],
        &["check", "examples/water_tank.rwb", "--property", "bad", "--format", "json"],
        &["info", "examples/task.rwb"],
        &["simulate", "examples/array.rwb", "--random", "3"],
        &["explain"],
        &["--help"],
    ] {
        let full = fs::File::options().write(true).open("/dev/full").expect("Linux has it");
        let output = command(args).stdout(full).stderr(Stdio::piped()).output().expect("the binary starts");
        assert_eq!(code(&output), 65, "{args:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("cannot write the results"), "{args:?}");
    }
}
