//! `impasse-bench rwb --families`: generated programs with too many states for any search. The shape of their
//! threads proves them safe. Each program is run once with all engines in turns. The verdict must be safe, and
//! its evidence must be checked.

use crate::answer::Property;
use crate::args::RwbArgs;
use crate::configs::AUTO;
use crate::corpus::Verdict;
use crate::judge::{self, Judged, Status};
use crate::measure::{Bench, Row, row, show_progress};
use crate::process::{self, Finished};
use crate::publish::{publish, section};
use crate::table::Table;
use crate::{generated, units};
use patterns::{kit, tasks::conjuncts};
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

/// The two time limits in the report, in seconds: a time that users hardly notice, and a time that they accept.
const SOON: f64 = 1.0;
const PATIENCE: f64 = 10.0;

/// Runs the families and prints a report. Returns false if an answer is wrong.
///
/// # Errors
///
/// If the benchmark could not run.
pub(crate) fn report(args: &RwbArgs, bench: &Bench) -> io::Result<bool> {
    let chosen = |name: &str| args.only.is_empty() || args.only.iter().any(|part| name.contains(part));
    let families: Vec<(String, String)> = generated::all().into_iter().filter(|(name, _)| chosen(name)).collect();
    let bench = Bench { timeout: bench.timeout.min(Duration::from_secs_f64(PATIENCE)), ..bench.clone() };
    let folder = tempfile::tempdir()?;
    let mut rows = Vec::new();
    for (i, (name, text)) in families.iter().enumerate() {
        let path = folder.path().join(format!("{name}.rwb"));
        std::fs::write(&path, text)?;
        let measured = once(&bench, name, &path)?;
        show_progress(i + 1, families.len(), std::slice::from_ref(&measured.0));
        rows.push(measured);
    }
    let table = table(&rows);
    let mut text = String::new();
    section(&mut text, "Families", &table);
    let title = "Tasks of Katz, Barrett and Harel 2015: possible times of three slots in a row for the fourth task";
    section(&mut text, title, &candidates());
    publish(&text, args.markdown.as_deref(), &table, args.csv.as_deref())?;
    let solved = rows.iter().filter(|(row, _)| row.status == Status::Ok).count();
    writeln!(io::stdout(), "{solved} of {} proved", rows.len())?;
    Ok(!rows.iter().any(|(row, _)| matches!(row.status, Status::Wrong(_) | Status::Crash(_))))
}

/// Returns the table for the worked example of Katz, Barrett and Harel 2015, the tasks (5,1) > (6,1) > (9,3),
/// (11,2). It shows how many of the 990 points in time of a hyper-period remain after each condition.
fn candidates() -> Table {
    let tasks = [(5, 1, 0), (6, 1, 1), (9, 3, 2), (11, 2, 2)];
    let mut table = Table::new(&["conditions", "candidates"]);
    for (what, conjuncts) in conjuncts::conjuncts(&kit::task_set(&tasks, &[&[3], &[3], &[3]])) {
        table.push(vec![what.to_owned(), conjuncts::count(&conjuncts, 990).to_string()]);
    }
    table
}

/// Runs one program. Also returns the engines that answered.
fn once(bench: &Bench, name: &str, path: &Path) -> io::Result<(Row, String)> {
    let mut command = bench.command(path);
    command.args(["--engine", AUTO.engine]);
    let finished = process::run(&mut command, bench.limits())?;
    let (status, report) = match judge::read(&finished) {
        Ok(report) => (status(&report.properties), Some(report)),
        Err(status) => (status, None),
    };
    let mut engines: Vec<&str> = report.iter().flat_map(|r| &r.properties).map(|p| p.engine.as_str()).collect();
    engines.dedup();
    let engines = engines.join(", ");
    let runs: [(Finished, Judged); 1] = [(finished, Judged { status, report })];
    Ok((row(name, AUTO.name, &runs), engines))
}

/// Returns the status of the answers. All properties must be safe.
fn status(properties: &[Property]) -> Status {
    let of = |property: &Property| match (property.verdict, property.reason.as_deref()) {
        (Verdict::Unsafe, _) => Status::Wrong(format!("{} is reported as violated", property.id)),
        (Verdict::Safe, _) => judge::evidence_wrong(property).map_or(Status::Ok, Status::Wrong),
        (Verdict::Unknown, Some("timeout")) => Status::Timeout,
        (Verdict::Unknown, reason) => Status::Unknown(reason.unwrap_or("no reason given").to_owned()),
    };
    properties.iter().map(of).max().unwrap_or(Status::Ok)
}

fn table(rows: &[(Row, String)]) -> Table {
    let mut table = Table::new(&[
        "program", "status", "verdict", "engine", "evidence", "checked", "states", "wall s", "in 1 s", "in 10 s",
        "peak MiB",
    ]);
    let yes = |holds: bool| if holds { "yes" } else { "no" }.to_owned();
    for (row, engines) in rows {
        let proved = row.status == Status::Ok;
        table.push(vec![
            row.program.clone(),
            row.status.to_string(),
            row.verdict.clone(),
            engines.clone(),
            row.evidence.clone(),
            yes(proved),
            row.states.to_string(),
            units::seconds(row.wall),
            yes(proved && row.wall <= SOON),
            yes(proved && row.wall <= PATIENCE),
            units::mebibytes(row.peak),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Report;
    use crate::answer::tests::report;

    fn status_of(rows: &[(&str, &str, Option<&str>)], unchecked: bool) -> Status {
        let text = report(rows, 1, 1, 1);
        let text = if unchecked { text.replace("\"checked\":true", "\"checked\":false") } else { text };
        status(&Report::parse(&text).expect("well-formed").properties)
    }

    #[test]
    fn only_safe_is_right() {
        assert_eq!(status_of(&[("bad", "safe", None), ("deadlock", "safe", None)], false), Status::Ok);
        assert_eq!(status_of(&[("bad", "safe", None), ("deadlock", "unsafe", None)], false).word(), "WRONG");
        assert_eq!(status_of(&[("bad", "safe", None)], true).word(), "WRONG");
        assert_eq!(
            status_of(&[("bad", "safe", None), ("deadlock", "unknown", Some("timeout"))], false),
            Status::Timeout
        );
        assert_eq!(status_of(&[("bad", "unknown", Some("memory"))], false), Status::Unknown("memory".to_owned()));
    }
}
