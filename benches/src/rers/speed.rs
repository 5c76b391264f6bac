//! Plain exploration beside a plain C search: states a second, bytes a state, two jobs against one.

use super::Report;
use super::corpus::Problem;
use super::peer;
use crate::answer;
use crate::measure::Bench;
use crate::process::{self, Finished};
use crate::table::Table;
use crate::units;
use std::io;
use std::path::Path;

/// Wide spaces, a chain, and two with many variables.
const PROBLEMS: [&str; 5] = ["2012/10", "2012/14", "2012/16", "2014/1403", "2017/3"];

/// Spaces without an end are explored so far.
const MOST_STATES: u64 = 4_000_000;

/// The problems of the table among `problems`.
pub(super) fn measure(problems: &[&Problem], bench: &Bench, report: &mut Report) -> io::Result<()> {
    let head = ["problem", "who", "states", "complete", "seconds", "states/s", "bytes/state", "tight calls/s"];
    let mut table = Table::new(&head);
    for problem in problems.iter().filter(|p| PROBLEMS.contains(&p.name().as_str())) {
        let folder = tempfile::tempdir()?;
        let (program, _) = problem.unpack(folder.path())?;
        for jobs in [1, 2] {
            let finished = explore(bench, &program, jobs)?;
            table.push(ours(&problem.name(), jobs, &finished));
        }
        match peer::run(&program, folder.path(), MOST_STATES, bench.limits())? {
            Some(found) => table.push(vec![
                problem.name(),
                "plain C".to_owned(),
                found.states.to_string(),
                yes(found.is_complete),
                units::seconds(found.seconds),
                units::short(found.states as f64 / found.seconds.max(1e-6)),
                format!("{:.1}", found.peak as f64 / found.states.max(1) as f64),
                units::short(found.tight),
            ]),
            None => table.push(vec![problem.name(), "plain C: no gcc, or it failed".to_owned()]),
        }
    }
    report.table("Speed of plain exploration", &table);
    Ok(())
}

fn explore(bench: &Bench, program: &Path, jobs: u32) -> io::Result<Finished> {
    let mut command = bench.command(program);
    command.args(["--engine", "explicit", "--explore-all", "--jobs", &jobs.to_string()]);
    command.args(["--max-states", &MOST_STATES.to_string()]);
    process::run(&mut command, bench.limits())
}

/// The whole process counts, checking of runs included: it is short.
fn ours(name: &str, jobs: u32, finished: &Finished) -> Vec<String> {
    let who = format!("impasse, {jobs} job{}", if jobs == 1 { "" } else { "s" });
    let Ok(answers) = answer::Report::parse(&finished.stdout) else {
        let why = finished.stderr.lines().next().unwrap_or("no answer");
        return vec![name.to_owned(), format!("{who}: {why}")];
    };
    let states = answers.properties.iter().map(|p| p.stats.states).max().unwrap_or(0);
    let is_complete = answers.properties.iter().all(|p| p.reason.is_none());
    vec![
        name.to_owned(),
        who,
        states.to_string(),
        yes(is_complete),
        units::seconds(finished.wall),
        units::short(states as f64 / finished.wall.max(1e-6)),
        format!("{:.1}", finished.peak as f64 / states.max(1) as f64),
        String::new(),
    ]
}

fn yes(is: bool) -> String {
    if is { "yes" } else { "no" }.to_owned()
}
