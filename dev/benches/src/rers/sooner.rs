//! From the source text to the complete answer about all error labels. Our answer is checked. SPIN and a plain
//! C search have to be compiled first. Times are CPU seconds of all processes involved.

use super::corpus::Problem;
use super::text::Text;
use super::{Context, Report};
use super::{pan, plain};
use crate::answer;
use crate::corpus::Verdict;
use crate::process;
use crate::table::Table;
use crate::units;
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;

/// Problems with a finite and large enough number of states.
const PROBLEMS: [&str; 2] = ["2012/16", "2012/10"];

/// A limit above the number of states of each of these problems.
const MOST_STATES: u64 = 8_000_000;

const HEAD: [&str; 8] =
    ["problem", "tool", "CPU s", "CPU s to compile", "states", "labels reached", "complete", "ratio to impasse"];

/// A way to the answer.
struct Route {
    tool: &'static str,
    make: f64,
    search: f64,
    states: u64,
    labels: BTreeSet<u32>,
    is_complete: bool,
}

/// Measures those of `problems` that belong to the table.
pub(super) fn measure(problems: &[&Problem], context: &Context<'_>, report: &mut Report) -> io::Result<()> {
    let mut table = Table::new(&HEAD);
    for problem in problems.iter().filter(|p| PROBLEMS.contains(&p.name().as_str())) {
        for _ in 0..context.repeat {
            one(problem, context, &mut table, report)?;
        }
    }
    report.table("From source text to complete answers about all labels", "sooner", &table, context)
}

fn one(problem: &Problem, context: &Context<'_>, table: &mut Table, report: &mut Report) -> io::Result<()> {
    let folder = tempfile::tempdir()?;
    let (path, _) = problem.unpack(folder.path())?;
    let name = problem.name();
    let _ = writeln!(io::stderr(), "sooner: {name}");
    let limits = context.bench.limits();
    let ours = match ask("impasse check", &path, &[], context)? {
        Ok(ours) => ours,
        Err(why) => {
            report.wrong.push(format!("{name}: {why}"));
            return Ok(());
        }
    };
    let text = Text::read(&path)?;
    let whole = ask("impasse check, whole space", &path, &["--engine", "explicit"], context)?;
    // `impasse check` may visit only a part of the states. The plain search gives the number of all states,
    // which limits the depth of SPIN's stack.
    let plain = plain::run(&text, folder.path(), MOST_STATES, limits)?;
    let expected = plain.as_ref().map_or(MOST_STATES, |found| found.states);
    let mut others = vec![("impasse check, whole space", whole)];
    for (tool, optimize) in [("SPIN and gcc -O2", "-O2"), ("SPIN and gcc -O0", "-O0")] {
        let options = pan::Options { is_broad: false, optimize, most: MOST_STATES, expected };
        others.push((tool, pan::run(&text, folder.path(), options, limits)?.map(|found| of_spin(tool, found))));
    }
    let tool = "plain C search and gcc -O2";
    others.push((tool, plain.map(|found| of_plain(tool, found))));
    table.push(row(&name, &ours, &ours));
    for (tool, other) in others {
        match other {
            Ok(other) => {
                if ours.is_complete && other.is_complete && ours.labels != other.labels {
                    report.wrong.push(format!("{name}: labels {:?}, {tool} has {:?}", ours.labels, other.labels));
                }
                table.push(row(&name, &other, &ours));
            }
            Err(why) => {
                let mut cells = vec![name.clone(), tool.to_owned(), why];
                cells.resize(HEAD.len(), String::new());
                table.push(cells);
            }
        }
    }
    Ok(())
}

/// Checks all labels in one run.
fn ask(tool: &'static str, program: &Path, args: &[&str], context: &Context<'_>) -> io::Result<Result<Route, String>> {
    let done = process::run(context.bench.command(program).args(args), context.bench.limits())?;
    let answers = match answer::Report::parse(&done.stdout) {
        Ok(answers) => answers,
        Err(why) => return Ok(Err(format!("{why} (exit code {:?})", done.code))),
    };
    let properties = &answers.properties;
    let is_checked = |p: &answer::Property| p.evidence.as_ref().is_some_and(|e| e.checked);
    Ok(Ok(Route {
        tool,
        make: 0.0,
        search: done.cpu,
        states: properties.iter().map(|p| p.stats.states).max().unwrap_or(0),
        labels: properties
            .iter()
            .filter(|p| p.verdict == Verdict::Unsafe)
            .filter_map(|p| p.id.strip_prefix("error:")?.parse().ok())
            .collect(),
        is_complete: properties.iter().all(|p| p.verdict != Verdict::Unknown && is_checked(p)),
    }))
}

fn of_spin(tool: &'static str, found: pan::Found) -> Route {
    let pan::Found { states, is_complete, seconds, make, labels, .. } = found;
    Route { tool, make, search: seconds, states, labels, is_complete }
}

fn of_plain(tool: &'static str, found: plain::Found) -> Route {
    let plain::Found { states, is_complete, seconds, compile, labels, .. } = found;
    Route { tool, make: compile, search: seconds, states, labels, is_complete }
}

fn row(name: &str, answer: &Route, ours: &Route) -> Vec<String> {
    let total = answer.make + answer.search;
    vec![
        name.to_owned(),
        answer.tool.to_owned(),
        units::seconds(total),
        units::seconds(answer.make),
        answer.states.to_string(),
        answer.labels.len().to_string(),
        if answer.is_complete { "yes" } else { "no" }.to_owned(),
        format!("{:.1}", total / (ours.make + ours.search).max(1e-3)),
    ]
}
