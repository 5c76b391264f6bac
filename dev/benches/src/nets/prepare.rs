//! The cost of reading and slicing alone. The hidden command `prepare` reads and slices many files in one
//! process, and this process is measured.

use crate::args::PrepareArgs;
use crate::nets::corpus::Net;
use crate::process::{self, Limits};
use crate::search;
use crate::table::Table;
use crate::units;
use model::MarkedTask;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// The result for one file.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Sliced {
    places: usize,
    transitions: usize,
    places_left: usize,
    transitions_left: usize,
    /// True if slicing settled every goal.
    settled: bool,
    /// Wall-clock seconds.
    read_seconds: f64,
    slice_seconds: f64,
}

/// Runs the hidden command: reads and slices each file, and prints a line of JSON about it.
///
/// # Errors
///
/// If a file cannot be read.
pub(crate) fn run(args: &PrepareArgs) -> io::Result<()> {
    for file in &args.files {
        let sliced = prepare(file)?;
        writeln!(io::stdout(), "{}", serde_json::to_string(&sliced)?)?;
    }
    Ok(())
}

fn prepare(file: &Path) -> io::Result<Sliced> {
    let start = Instant::now();
    let problem = search::read(file)?;
    let read_seconds = start.elapsed().as_secs_f64();
    let task = MarkedTask::of(&problem).ok_or_else(|| io::Error::other("this is no net"))?;
    let prepared = nets::reduce::prepare(&task, &nets::reduce::Options { slice: true, bound: None });
    Ok(Sliced {
        places: prepared.before.places,
        transitions: prepared.before.transitions,
        places_left: prepared.after.places,
        transitions_left: prepared.after.transitions,
        settled: prepared.task.goals.is_empty(),
        read_seconds,
        slice_seconds: start.elapsed().as_secs_f64() - read_seconds,
    })
}

/// Prepares the whole corpus in one process. Returns a table with a line for each suite, and the total cost as
/// text.
///
/// # Errors
///
/// If the process fails.
pub(crate) fn measure(nets: &[Net], limits: Limits) -> io::Result<(Table, String)> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("prepare").args(nets.iter().map(|n| &n.path));
    let run = process::run(&mut command, limits)?;
    let lines: Result<Vec<Sliced>, _> = run.stdout.lines().map(serde_json::from_str).collect();
    let lines = lines.map_err(|e| io::Error::other(format!("prepare: {e}; {}", run.stderr.trim())))?;
    if lines.len() != nets.len() || run.code != Some(0) {
        return Err(io::Error::other(format!(
            "prepare did {} of {} files: {}",
            lines.len(),
            nets.len(),
            run.stderr.trim()
        )));
    }
    let mut suites: Vec<&str> = nets.iter().map(|n| n.suite.as_str()).collect();
    suites.dedup();
    let mut table = Table::new(&[
        "suite",
        "nets",
        "settled",
        "places",
        "places left",
        "transitions",
        "transitions left",
        "reading s",
        "slicing s",
        "slowest",
    ]);
    for suite in suites {
        let own: Vec<(&Net, &Sliced)> = nets.iter().zip(&lines).filter(|(n, _)| n.suite == suite).collect();
        let sum = |count: fn(&Sliced) -> usize| own.iter().map(|(_, s)| count(s)).sum::<usize>().to_string();
        let seconds = |part: fn(&Sliced) -> f64| units::seconds(own.iter().map(|(_, s)| part(s)).sum());
        let total = |s: &Sliced| s.read_seconds + s.slice_seconds;
        let slowest = own.iter().max_by(|a, b| total(a.1).total_cmp(&total(b.1)));
        table.push(vec![
            suite.to_owned(),
            own.len().to_string(),
            own.iter().filter(|(_, s)| s.settled).count().to_string(),
            sum(|s| s.places),
            sum(|s| s.places_left),
            sum(|s| s.transitions),
            sum(|s| s.transitions_left),
            seconds(|s| s.read_seconds),
            seconds(|s| s.slice_seconds),
            slowest.map(|(n, s)| format!("{} {}", units::seconds(total(s)), n.name)).unwrap_or_default(),
        ]);
    }
    let (cpu, peak) = (units::seconds(run.cpu), units::mebibytes(run.peak));
    Ok((table, format!("All {} files in one process: {cpu} CPU seconds, peak {peak} MiB.", nets.len())))
}

/// Prepares one file in a separate process. Returns CPU seconds and peak memory in bytes.
///
/// # Errors
///
/// If the process fails.
pub(crate) fn measure_one(file: &Path, limits: Limits) -> io::Result<(f64, u64)> {
    let mut command = Command::new(std::env::current_exe()?);
    let run = process::run(command.arg("prepare").arg(file), limits)?;
    if run.code != Some(0) {
        return Err(io::Error::other(format!("prepare of {}: {}", file.display(), run.stderr.trim())));
    }
    Ok((run.cpu, run.peak))
}
