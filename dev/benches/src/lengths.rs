//! `impasse-bench rwb --lengths`: the lengths of the runs in reports, compared with the lengths of shortest
//! runs.

use crate::answer::Report;
use crate::args::RwbArgs;
use crate::corpus::{Program, Verdict};
use crate::measure::Bench;
use crate::process;
use crate::publish::{publish, section};
use crate::table::Table;
use crate::units;
use std::cmp::Ordering;
use std::io;

/// Maximum ratio of the length of a run to that of a shortest run. Longer runs miss the goal.
const GOAL: f64 = 1.2;

/// A run that was shown.
struct Shown {
    program: String,
    shortest: u64,
    length: u64,
    engine: String,
    cpu: f64,
}

impl Shown {
    fn ratio(&self) -> f64 {
        self.length as f64 / self.shortest.max(1) as f64
    }
}

/// Runs `auto` on every program with a known shortest run. Returns false if a run is missing, or shorter than
/// the known shortest run.
///
/// # Errors
///
/// If the benchmark could not run.
pub(crate) fn report(args: &RwbArgs, bench: &Bench, programs: &[Program]) -> io::Result<bool> {
    let (mut shown, mut missing) = (Vec::new(), Vec::new());
    for program in programs {
        let (Some(shortest), Some(kind)) = (program.expected.shortest_trace, &program.expected.kind) else { continue };
        let mut command = bench.command(&program.path);
        command.args(["--property", kind]);
        let finished = process::run(&mut command, bench.limits())?;
        let report = Report::parse(&finished.stdout).ok();
        let property = report.as_ref().and_then(|r| r.about(kind));
        let length = property.and_then(|p| p.evidence.as_ref()?.length);
        let name = program.expected.name.clone();
        match (property, length) {
            (Some(p), Some(length)) if p.verdict == Verdict::Unsafe => {
                shown.push(Shown { program: name, shortest, length, engine: p.engine.clone(), cpu: finished.cpu });
            }
            _ => missing.push(name),
        }
    }
    shown.sort_by(|a, b| b.ratio().partial_cmp(&a.ratio()).unwrap_or(Ordering::Equal).then(a.program.cmp(&b.program)));
    let mut table = Table::new(&["program", "shortest", "shown", "ratio", "engine", "CPU s"]);
    for run in &shown {
        table.push(vec![
            run.program.clone(),
            run.shortest.to_string(),
            run.length.to_string(),
            format!("{:.2}", run.ratio()),
            run.engine.clone(),
            units::seconds(run.cpu),
        ]);
    }
    let mut text = String::new();
    section(&mut text, "Lengths of runs", &table);
    let longer = shown.iter().filter(|run| run.ratio() > GOAL).count();
    text.push_str(&format!("{} runs, {longer} of them longer than {GOAL} times the shortest.\n", shown.len()));
    if !missing.is_empty() {
        text.push_str(&format!("No run within the limits: {}.\n", missing.join(", ")));
    }
    publish(&text, args.markdown.as_deref(), &table, args.csv.as_deref())?;
    Ok(missing.is_empty() && shown.iter().all(|run| run.length >= run.shortest))
}
