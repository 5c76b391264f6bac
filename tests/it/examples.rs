//! The examples: what their first lines promise is true, and the programs in Rust run and assert their own claims.

use crate::tool::{code, root, run, stdout};
use impasse::formats::{Limits, Source, read};
use std::fs;

#[path = "../../examples/check_model.rs"]
mod check_model;
#[path = "../../examples/own_model.rs"]
mod own_model;
#[path = "../../examples/own_pattern.rs"]
mod own_pattern;

#[test]
fn programs_in_rust_run() {
    check_model::main();
    own_model::main();
    own_pattern::main();
}

/// Each model says `# impasse check FILE  ->  PROPERTY: VERDICT, ..` in its comment.
#[test]
fn models_keep_their_promises() {
    let dir = fs::read_dir(root().join("examples")).expect("the examples are there");
    let mut names: Vec<String> = dir.filter_map(|e| e.ok()?.file_name().into_string().ok()).collect();
    names.retain(|n| n.ends_with(".rwb"));
    names.sort();
    assert!(names.len() >= 7, "{names:?}");
    for name in names {
        let path = format!("examples/{name}");
        let text = fs::read_to_string(root().join(&path)).expect("it is text");
        let promise = text.lines().find_map(|l| l.strip_prefix("# impasse check ")).expect("a promise");
        let (file, verdicts) = promise.split_once("->").expect("command -> verdicts");
        assert_eq!(file.trim(), path);
        let output = run(&["check", &path]);
        let said = stdout(&output);
        for verdict in verdicts.split(',').map(str::trim) {
            assert!(said.contains(&format!("{path}: {verdict}")), "{path} promises `{verdict}` but says\n{said}");
        }
        assert_eq!(code(&output) == 0, !verdicts.contains("UNSAFE"), "{path}");
    }
}

/// `(model, states, transitions)` of the whole space.
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
        let truth = crate::brute::truth(problem.problem.program(), 10_000).expect("it is small");
        assert_eq!((truth.states, truth.transitions), (states, transitions), "{name}");
    }
}
