//! Tests that every program of the corpus has the expected numbers of threads, events, states and reachable
//! composite states.

use crate::explore::explore;
use impasse_readers::{Limits, Source, read};
use model::Goal;
use std::path::{Path, PathBuf};

/// The largest number of composite states that are explored here. Larger state spaces are left to the engines.
const MOST_STATES: usize = 50_000;

fn corpus() -> Option<PathBuf> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let root = std::env::var_os("IMPASSE_CORPUS").map_or(default, PathBuf::from).join("rwb");
    root.join("expected.csv").exists().then_some(root)
}

#[test]
fn corpus_programs_have_their_known_sizes() {
    let Some(root) = corpus() else {
        eprintln!("skipped: no corpus");
        return;
    };
    let table = std::fs::read_to_string(root.join("expected.csv")).unwrap();
    let mut lines = table.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let (mut programs, mut explored) = (0, 0);
    let mut wrong = Vec::new();
    for line in lines {
        let row: Vec<&str> = line.split(',').collect();
        let field = |name: &str| row[header.iter().position(|h| *h == name).unwrap()];
        let number = |name: &str| field(name).parse::<usize>().unwrap();
        let path = root.join(format!("{}.rwb", field("name")));
        let source = Source { name: path.display().to_string(), bytes: std::fs::read(&path).unwrap() };
        let result = read(source, None, &Limits::default()).unwrap_or_else(|e| panic!("{e}: {e:?}"));
        let program = result.problem.system().as_program().expect("a program");
        let sizes = (program.threads().len(), program.events().len());
        let states: usize = program.threads().iter().map(|t| t.states.len()).sum();
        if (sizes.0, sizes.1, states) != (number("threads"), number("events"), number("thread_states")) {
            wrong.push(format!("{}: {sizes:?} {states}, expected {line}", field("name")));
        }
        programs += 1;
        if number("states") > MOST_STATES {
            continue;
        }
        let (count, bad, deadlock) = explore(program, MOST_STATES).expect("no more states than expected");
        explored += 1;
        let kind = program.check().contains(&Goal::Deadlock) && deadlock;
        let unsafe_kind = if bad {
            "bad"
        } else if kind {
            "deadlock"
        } else {
            ""
        };
        if count != number("states") || (field("verdict") == "SAFE") == (bad || kind) || unsafe_kind != field("kind") {
            wrong.push(format!("{}: {count} states, {unsafe_kind:?}, expected {line}", field("name")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(programs > 100 && explored > 90, "{programs} programs, {explored} explored");
}
