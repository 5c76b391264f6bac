//! Two-phase commit as a Rust model of impasse and as a model of stateright: states per second and memory.
//!
//! `cargo run --release --manifest-path dev/benches/stateright/Cargo.toml -- [PARTICIPANTS] [ROUNDS]`. Both tools
//! step the same Rust type with the same function. Each run is a separate process, and the tools take turns.
//! `search` is only our search, which corresponds to what stateright does. `check` also includes the checker's
//! pass over the closed set of states. stateright has no such check: it stores hashes of states, and its answer
//! assumes that they do not collide.

mod two_phase;

use impasse_model::own::Typed;
use impasse::Options;
use impasse::check;
use impasse::model::Problem;
use model::{Budget, Engine, Goal, Turn};
use stateright::{Checker, Model};
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;
use two_phase::TwoPhase;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize, usual: usize| args.get(i).and_then(|text| text.parse().ok()).unwrap_or(usual);
    match args.first().map(String::as_str) {
        Some("search") => measured(|| search(number(1, 7), 1)),
        Some("search, 2 workers") => measured(|| search(number(1, 7), 2)),
        Some("check") => measured(|| checked(number(1, 7))),
        Some("stateright") => measured(|| peer(number(1, 7), 1)),
        Some("stateright, 2 threads") => measured(|| peer(number(1, 7), 2)),
        _ => compare(number(0, 7), number(1, 5)),
    }
}

/// Prints states, seconds and peak memory in KiB.
fn measured(run: impl FnOnce() -> u64) {
    let begun = Instant::now();
    let states = run();
    let seconds = begun.elapsed().as_secs_f64();
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0 kB");
    let peak: u64 = peak.trim().trim_end_matches("kB").trim().parse().unwrap_or(0);
    println!("{states} {seconds} {peak}");
}

fn search(participants: usize, jobs: usize) -> u64 {
    let system = Arc::new(Typed::new(TwoPhase(participants)));
    let task = model::OwnTask::new(system, [Goal::Predicate(model::PredicateId(0))]);
    let options = ::search::explicit::Options { explore_all: true, jobs, disk: None };
    let mut engine = ::search::explicit::explore_own(&task, &options);
    let mut budget = Budget::unlimited(Arc::default());
    while matches!(engine.run(&mut budget), Turn::More) {}
    engine.stats().states
}

fn checked(participants: usize) -> u64 {
    let problem = Problem::of_own(Typed::new(TwoPhase(participants)));
    let outcome = check(&problem, &Options::default());
    assert!(outcome.answers[0].is_safe(), "{:?}", outcome.answers[0].finding);
    outcome.answers[0].stats.states
}

fn peer(participants: usize, threads: usize) -> u64 {
    let checker = TwoPhase(participants).checker().threads(threads).spawn_bfs().join();
    assert!(checker.discovery("not torn").is_none());
    checker.unique_state_count() as u64
}

fn compare(participants: usize, rounds: usize) {
    let ways = ["search", "search, 2 workers", "check", "stateright", "stateright, 2 threads"];
    let mut runs: Vec<Vec<(u64, f64, u64)>> = vec![Vec::new(); ways.len()];
    for _ in 0..rounds {
        for (way, runs) in ways.iter().zip(&mut runs) {
            runs.push(child(way, participants));
        }
    }
    println!("| two-phase commit, {participants} participants | states | s | states/s | peak MiB \
              |\n|---|---|---|---|---|");
    for (way, runs) in ways.iter().zip(&mut runs) {
        let states = runs[0].0;
        let seconds = median(runs.iter().map(|run| run.1).collect());
        let peak = median(runs.iter().map(|run| run.2 as f64).collect());
        println!("| {way} | {states} | {seconds:.3} | {:.0} | {:.1} |", states as f64 / seconds, peak / 1024.0);
    }
}

fn child(way: &str, participants: usize) -> (u64, f64, u64) {
    let me = std::env::current_exe().expect("the bench has a path");
    let output = Command::new(me).args([way, &participants.to_string()]).output().expect("it runs");
    assert!(output.status.success(), "{way}: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let words: Vec<&str> = text.split_whitespace().collect();
    let [states, seconds, peak] = words[..] else { panic!("{text}") };
    (states.parse().expect("a number"), seconds.parse().expect("a number"), peak.parse().expect("a number"))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
