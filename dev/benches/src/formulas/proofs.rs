//! The cost of proofs: unsatisfiable formulas without a proof, with a proof written to a file, and with a proof
//! that is checked.
//!
//! Solving and writing happen in one process, so the cost of writing is the ratio of two whole runs, which take
//! turns. Checking happens in the process that solved. The process reports how long solving and checking took.

use super::compare::{Bench, Run, judge, middle};
use super::instance::{Instance, Truth};
use super::solvers::{Counts, Solver};
use crate::judge::Status;
use crate::process;
use crate::publish::section;
use crate::table::{Table, optional};
use crate::units;
use std::io::{self, Write};
use std::path::Path;
use std::process::Command;

/// Seconds to which shorter times are raised in ratios.
const SHORTEST: f64 = 0.05;

/// Ways to run `impasse sat`: a name and its arguments. `PROOF` stands for a file.
const PLAIN: Way = Way { name: "no proof", args: &[] };
const WAYS: [Way; 4] = [
    Way { name: "drat", args: &["--proof", PROOF] },
    Way { name: "lrat", args: &["--proof", PROOF, "--proof-format", "lrat"] },
    Way { name: "lrat-binary", args: &["--proof", PROOF, "--proof-format", "lrat-binary"] },
    Way { name: "check", args: &["--check"] },
];
const PROOF: &str = "PROOF";

#[derive(Clone, Copy)]
struct Way {
    name: &'static str,
    args: &'static [&'static str],
}

/// The results for one formula in all ways.
struct Row {
    instance: String,
    plain: f64,
    /// For each way: CPU seconds, and bytes of the proof.
    ways: Vec<(f64, u64)>,
    /// Seconds of solving and of checking, as reported by the process.
    told: Option<(f64, f64)>,
}

/// Measures the unsatisfiable formulas of `all`.
///
/// # Errors
///
/// If a process does not start.
pub(crate) fn measure(bench: &Bench, all: &[Instance], folder: &Path, text: &mut String) -> io::Result<Vec<Run>> {
    let ours = &bench.solvers[0];
    let known = known_ways(ours)?;
    let proof = folder.join("proof");
    let mut runs = Vec::new();
    let mut rows = Vec::new();
    for instance in all.iter().filter(|i| i.truth == Some(Truth::Unsat)) {
        let mut told = None;
        let mut by_way: Vec<(Vec<Run>, u64)> = vec![(Vec::new(), 0); known.len() + 1];
        for _ in 0..bench.repeat {
            for (way, (runs, bytes)) in std::iter::once(&PLAIN).chain(&known).zip(&mut by_way) {
                let (run, seconds) = once(bench, ours, instance, *way, &proof)?;
                told = seconds.or(told);
                *bytes = std::fs::metadata(&proof).map_or(0, |m| m.len());
                runs.push(run);
            }
        }
        let middles: Vec<(Run, u64)> = by_way.into_iter().filter_map(|(r, b)| Some((middle(r)?, b))).collect();
        let plain = middles[0].0.cpu;
        let ways: Vec<(f64, u64)> = middles[1..].iter().map(|(r, b)| (r.cpu, *b)).collect();
        let _ = writeln!(io::stderr(), "proofs {}: {} CPU s without", instance.name, units::seconds(plain));
        rows.push(Row { instance: instance.name.clone(), plain, ways, told });
        runs.extend(middles.into_iter().map(|(r, _)| r));
    }
    section(text, "Proofs", &table(&known, &rows));
    text.push_str(&summary(&known, &rows));
    Ok(runs)
}

/// Returns the ways that this `impasse` supports.
fn known_ways(ours: &Solver) -> io::Result<Vec<Way>> {
    let Solver::Ours(path) = ours else { return Ok(Vec::new()) };
    let help = Command::new(path).args(["sat", "--help"]).output()?;
    let help = String::from_utf8_lossy(&help.stdout).into_owned();
    let knows = |way: &Way| way.args.iter().filter(|a| a.starts_with("--")).all(|a| help.contains(a));
    Ok(WAYS.into_iter().filter(knows).collect())
}

fn once(
    bench: &Bench,
    ours: &Solver,
    instance: &Instance,
    way: Way,
    proof: &Path,
) -> io::Result<(Run, Option<(f64, f64)>)> {
    // Removes the proof of the previous run, if there is one.
    let _ = std::fs::remove_file(proof);
    let mut command = ours.command(instance, bench.timeout, bench.memory, proof);
    for arg in way.args {
        if *arg == PROOF {
            command.arg(proof)
        } else {
            command.arg(arg)
        };
    }
    let done = process::run(&mut command, bench.limits)?;
    let (mut status, truth) = judge(instance, &ours.said(&done, proof))?;
    if status == Status::Ok && way.args.contains(&PROOF) && !proof.is_file() {
        status = Status::Wrong("no proof was written".to_owned());
    }
    let told = seconds_after(&done.stderr, "solve_seconds").zip(seconds_after(&done.stderr, "check_seconds"));
    if status == Status::Ok && way.name == "check" && told.is_none() {
        status = Status::Wrong("the check is not reported".to_owned());
    }
    let run = Run {
        instance: instance.name.clone(),
        solver: way.name,
        status,
        truth,
        cpu: done.cpu,
        wall: done.wall,
        peak: done.peak,
        counts: Counts::default(),
    };
    Ok((run, told))
}

/// Returns the number in `c NAME 1.5`.
fn seconds_after(text: &str, name: &str) -> Option<f64> {
    let line = text.lines().find_map(|l| l.strip_prefix("c ").unwrap_or(l).trim().strip_prefix(name))?;
    line.trim().parse().ok()
}

fn table(known: &[Way], rows: &[Row]) -> Table {
    let mut head = vec!["formula".to_owned(), "no proof CPU s".to_owned()];
    for way in known {
        head.extend([format!("{} CPU s", way.name), format!("{} over none", way.name)]);
        if way.args.contains(&PROOF) {
            head.push(format!("{} MiB", way.name));
        }
    }
    head.extend(["solving s", "checking s", "checking over solving"].map(str::to_owned));
    let mut table = Table::new(&head.iter().map(String::as_str).collect::<Vec<_>>());
    for row in rows {
        let mut cells = vec![row.instance.clone(), units::seconds(row.plain)];
        for (way, (cpu, bytes)) in known.iter().zip(&row.ways) {
            cells.extend([units::seconds(*cpu), format!("{:.2}", over(*cpu, row.plain))]);
            if way.args.contains(&PROOF) {
                cells.push(units::mebibytes(*bytes));
            }
        }
        cells.push(optional(row.told, |t| units::seconds(t.0)));
        cells.push(optional(row.told, |t| units::seconds(t.1)));
        cells.push(optional(row.told, |t| format!("{:.2}", over(t.1, t.0))));
        table.push(cells);
    }
    table
}

fn over(one: f64, other: f64) -> f64 {
    one.max(SHORTEST) / other.max(SHORTEST)
}

fn summary(known: &[Way], rows: &[Row]) -> String {
    let mut lines = String::new();
    let mut line = |name: &str, ratios: Vec<f64>| {
        let worst = ratios.iter().copied().fold(0.0, f64::max);
        let (median, mean) = (units::median(ratios.iter().copied()), units::geometric_mean(ratios));
        let show = |value: Option<f64>| optional(value, |v| format!("{v:.2}"));
        lines.push_str(&format!(
            "* {name}: median {}, geometric mean {}, worst {worst:.2}\n",
            show(median),
            show(mean)
        ));
    };
    for (at, way) in known.iter().enumerate() {
        let name = format!("{} over no proof", way.name);
        line(&name, rows.iter().map(|r| over(r.ways[at].0, r.plain)).collect());
    }
    let checked: Vec<f64> = rows.iter().filter_map(|r| r.told.map(|t| over(t.1, t.0))).collect();
    if !checked.is_empty() {
        line("checking over solving", checked);
    }
    lines
        + &format!(
            "\nTimes below {SHORTEST} s count as {SHORTEST} s. Seconds of solving and checking are wall-clock times \
             that the process reports.\n\n"
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn told_seconds_are_found() {
        let text = "noise\nc solve_seconds 1.25\nc check_seconds 0.5\n";
        assert_eq!(seconds_after(text, "solve_seconds"), Some(1.25));
        assert_eq!(seconds_after(text, "check_seconds"), Some(0.5));
        assert_eq!(seconds_after("c solve_seconds soon", "solve_seconds"), None);
    }

    #[test]
    fn medians_of_ratios_are_told() {
        let row = |plain: f64, proof: f64| Row {
            instance: "i".to_owned(),
            plain,
            ways: vec![(proof, 3 << 20)],
            told: Some((plain, 2.0 * plain)),
        };
        let rows = [row(1.0, 1.5), row(2.0, 2.2), row(0.01, 0.04)];
        let text = summary(&[WAYS[0]], &rows);
        assert!(text.contains("drat over no proof: median 1.10,"), "{text}");
        assert!(text.contains("checking over solving: median 2.00,"), "{text}");
        assert!(table(&[WAYS[0]], &rows).markdown().contains("| i | 1.000 | 1.500 | 1.50 | 3.0 |"));
    }
}
