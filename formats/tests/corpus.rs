//! Every program of the corpus has the threads, events, states and reachable composite states it is known to have.
#![allow(clippy::print_stderr, reason = "a test that is skipped says so")]

use impasse_formats::{Limits, Source, read};
use model::{EventSet, Goal, LocalId, Program, Thread};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Spaces beyond this are left to the engines.
const MOST_STATES: usize = 50_000;

fn corpus() -> Option<PathBuf> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus");
    let root = std::env::var_os("IMPASSE_CORPUS").map_or(default, PathBuf::from).join("rwb");
    root.join("expected.csv").exists().then_some(root)
}

/// Calls `visit` with every choice of one state from each thread's list.
fn product(lists: &[&[LocalId]], visit: &mut dyn FnMut(&[LocalId])) {
    let mut at = vec![0; lists.len()];
    loop {
        let state: Vec<LocalId> = at.iter().zip(lists).map(|(i, list)| list[*i]).collect();
        visit(&state);
        let Some(t) = (0..at.len()).find(|t| at[*t] + 1 < lists[*t].len()) else { return };
        at[t] += 1;
        at[..t].fill(0);
    }
}

fn enabled(program: &Program, state: &[LocalId]) -> EventSet {
    let mut enabled = EventSet::empty(program.events().len());
    let locals = || program.threads().iter().zip(state).map(|(t, s)| t.state(*s));
    locals().for_each(|s| enabled.union_with(&s.request));
    locals().for_each(|s| enabled.subtract(&s.block));
    enabled
}

/// The number of reachable composite states, and whether bad states and deadlocks are among them, by brute force.
fn explore(program: &Program) -> Option<(usize, bool, bool)> {
    let mut seen: HashSet<Box<[LocalId]>> = HashSet::new();
    let mut work: Vec<Box<[LocalId]>> = Vec::new();
    let mut add = |state: &[LocalId], work: &mut Vec<Box<[LocalId]>>| {
        if !seen.contains(state) {
            seen.insert(state.into());
            work.push(state.into());
        }
        seen.len()
    };
    let initial: Vec<&[LocalId]> = program.threads().iter().map(|t| t.initial.as_slice()).collect();
    let mut count = 0;
    product(&initial, &mut |state| count = add(state, &mut work));
    let (mut bad, mut deadlock) = (false, false);
    while let Some(state) = work.pop() {
        let events = enabled(program, &state);
        for event in events.iter() {
            let stay: Vec<[LocalId; 1]> = state.iter().map(|s| [*s]).collect();
            let targets = |(t, thread): (usize, &'_ Thread)| thread.state(state[t]).on.get(&event).cloned();
            let moved: Vec<_> = program.threads().iter().enumerate().map(targets).collect();
            let lists: Vec<&[LocalId]> = moved.iter().zip(&stay).map(|(m, s)| m.as_deref().unwrap_or(s)).collect();
            product(&lists, &mut |next| count = add(next, &mut work));
        }
        let is_bad = program.threads().iter().zip(&state).any(|(t, s)| t.state(*s).bad);
        bad |= events.is_empty() && is_bad;
        deadlock |= events.is_empty() && !is_bad;
        if count > MOST_STATES {
            return None;
        }
    }
    Some((count, bad, deadlock))
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
        for warning in &result.warnings {
            eprintln!("{}: {:?} {warning}", field("name"), warning.line_column());
        }
        let program = result.problem.program();
        let sizes = (program.threads().len(), program.events().len());
        let states: usize = program.threads().iter().map(|t| t.states.len()).sum();
        if (sizes.0, sizes.1, states) != (number("threads"), number("events"), number("thread_states")) {
            wrong.push(format!("{}: {sizes:?} {states}, expected {line}", field("name")));
        }
        programs += 1;
        if number("states") > MOST_STATES {
            continue;
        }
        let (count, bad, deadlock) = explore(program).expect("no more states than expected");
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
