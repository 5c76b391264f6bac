//! The README's commands work: those that run the tool are run, those that run examples name examples that exist.

use crate::tool::{code, root, run};
use std::fs;

/// Lines of the `sh` blocks of a page.
fn commands(page: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join(page)).expect("the page is there");
    let blocks = text.split("```").skip(1).step_by(2).filter_map(|b| b.strip_prefix("sh\n").map(str::to_owned));
    let lines: Vec<String> = blocks.flat_map(|b| b.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
    lines.into_iter().map(|l| l.split(" #").next().unwrap_or("").trim().to_owned()).filter(|l| !l.is_empty()).collect()
}

#[test]
fn commands_work() {
    let commands = commands("README.md");
    let mut run_any = 0;
    for line in &commands {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["cargo", "run", "--release", "--example", name, ..] | ["cargo", "run", "--example", name, ..] => {
                assert!(root().join(format!("examples/{name}.rs")).exists(), "{line}");
            }
            ["cargo", "run", "--profile", "dist", "-p", "impasse-bench", ..] => {}
            ["cargo", "run", "--release", "-p", _, ..]
            | ["cargo", "test" | "build", ..]
            | [".ci/run"]
            | [".ci/run", "--fast"] => {}
            ["cargo", "run", "--release", "--", ref args @ ..] | ["impasse", ref args @ ..] => {
                let exit = code(&run(args));
                assert!([0, 10, 11].contains(&exit), "`{line}` ends with {exit}");
                run_any += 1;
            }
            _ => panic!("a command that nobody tests: {line}"),
        }
    }
    assert!(run_any > 0, "the README shows no command");
    assert!(commands.iter().any(|c| c.starts_with("cargo test")), "the README does not say how to run the tests");
}
