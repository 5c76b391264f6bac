//! The examples: the verdicts in their first lines are right, and the Rust programs run and assert their own
//! claims.

use crate::tool::{code, root, run, stdout};
use impasse::formats::{Limits, Source, read};
use std::fs;

#[path = "../../examples/check_model.rs"]
mod check_model;
#[allow(unreachable_pub, dead_code, reason = "a crate of its own, included here for its tests")]
#[path = "../../examples/never_together/src/lib.rs"]
mod never_together;
#[path = "../../examples/own_model.rs"]
mod own_model;
#[path = "../../examples/own_pattern.rs"]
mod own_pattern;
#[path = "../../examples/own_system.rs"]
mod own_system;

#[test]
fn programs_in_rust_run() {
    check_model::main();
    own_model::main();
    own_pattern::main();
    own_system::main();
}

/// Each model states its verdicts in its comment: `# impasse check FILE OPTIONS  ->  PROPERTY: VERDICT, ..`.
#[test]
fn models_keep_their_promises() {
    let dir = fs::read_dir(root().join("examples")).expect("the examples are there");
    let mut names: Vec<String> = dir.filter_map(|e| e.ok()?.file_name().into_string().ok()).collect();
    names.retain(|n| n.ends_with(".rwb"));
    names.sort();
    assert!(names.len() >= 10, "{names:?}");
    for name in names {
        let path = format!("examples/{name}");
        let text = fs::read_to_string(root().join(&path)).expect("it is text");
        let promise = text.lines().find_map(|l| l.strip_prefix("# impasse check ")).expect("a promise");
        let (words, verdicts) = promise.split_once("->").expect("command -> verdicts");
        let words: Vec<&str> = std::iter::once("check").chain(words.split_whitespace()).collect();
        assert_eq!(words[1], path);
        let output = run(&words);
        let said = stdout(&output);
        for verdict in verdicts.split(',').map(str::trim) {
            assert!(said.contains(&format!("{path}: {verdict}")), "{path} promises `{verdict}` but says\n{said}");
        }
        let expected: &[i32] = match (verdicts.contains("UNSAFE"), verdicts.contains("UNKNOWN")) {
            (true, _) => &[10, 11],
            (false, true) => &[33],
            (false, false) => &[0],
        };
        assert!(expected.contains(&code(&output)), "{path}");
    }
}

/// Programs for arbitrarily many threads. The second text of each row is a part of the program without which
/// the program is unsafe.
const ANY: [(&str, &str); 3] = [
    ("semaphore_any", "when k == 0 { block acquire[*] } else { on acquire[*] -> free[k - 1] }"),
    ("readers_writers_any", "block start_read[*], start_write[*] "),
    ("web_guard_any", "when k == most { block syn[*] } else { on syn[*] -> open[k + 1] }"),
];

#[test]
fn without_its_guard_any_number_of_threads_is_unsafe() {
    for (name, guard) in ANY {
        let text = fs::read_to_string(root().join(format!("examples/{name}.rwb"))).expect("it is text");
        assert!(text.contains(guard), "{name}");
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join(format!("{name}.rwb"));
        fs::write(&path, text.replace(guard, "")).expect("it can be written");
        let path = path.to_str().expect("a plain name");
        for options in [&["--bound", "6"][..], &["--engine", "explicit", "--timeout", "60s"], &["--engine", "walk"]] {
            let words: Vec<&str> = ["check", path, "--property", "bad"].iter().chain(options).copied().collect();
            let output = run(&words);
            assert_eq!(code(&output), 10, "{name} {options:?}: {}", stdout(&output));
        }
        // With a number of threads instead of `*`, the same text is an ordinary program.
        for threads in 1..=3 {
            let number = |text: &str| text.replace("= *", &format!("= {threads}"));
            fs::write(path, number(&text)).expect("it can be written");
            assert_eq!(code(&run(&["check", path])), 0, "{name}, {threads}");
            fs::write(path, number(&text.replace(guard, ""))).expect("it can be written");
            let least = if name == "readers_writers_any" { 1 } else { 3 };
            assert_eq!(code(&run(&["check", path])), if threads < least { 0 } else { 10 }, "{name}, {threads}");
        }
    }
}

#[test]
fn any_number_of_threads_can_be_fixed_from_outside() {
    let path = "examples/semaphore_any.rwb";
    let output = run(&["check", path, "--init", "Process[i].outside=5"]);
    assert_eq!(code(&output), 0, "{}", stdout(&output));
    let output = run(&["check", path, "--patterns", "none", "--bound", "3"]);
    assert_eq!(code(&output), 33, "{}", stdout(&output));
}

#[test]
fn a_sum_with_a_place_that_is_never_marked_keeps_its_bound() {
    let text = "vars p0 p1\nrules\n  p1 in [1, 3] -> p1' = p1 + p0;\n  p1 >= 1 -> p1' = p1 + 2;\ninit\n p0 = 0, p1 = \
                1\ntarget\n p1 >= 3\n";
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("sum.spec");
    fs::write(&path, text).expect("it can be written");
    let output = run(&["check", path.to_str().expect("a plain name"), "--bound", "2"]);
    assert_eq!(code(&output), 33, "{}", stdout(&output));
}

/// For each model: the numbers of reachable states and of transitions.
const COUNTS: [(&str, u64, u64); 7] = [
    ("array", 65, 140),
    ("clocks_clash", 12, 12),
    ("numbers", 7, 7),
    ("philosophers", 35, 75),
    ("task", 5, 8),
    ("water_tank", 13, 13),
    ("water_tank_free", 40, 44),
];

#[test]
fn models_have_their_sizes() {
    for (name, states, transitions) in COUNTS {
        let path = root().join(format!("examples/{name}.rwb"));
        let bytes = fs::read(&path).expect("it is there");
        let problem =
            read(Source { name: name.to_owned(), bytes }, Some("rwb"), &Limits::default()).expect("it is well formed");
        let truth = testkit::program::truth(problem.problem.system().as_program().expect("a program"), 10_000)
            .expect("it is small");
        assert_eq!((truth.states, truth.transitions), (states, transitions), "{name}");
    }
}
