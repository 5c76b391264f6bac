//! Orders of search: error labels found after 10, 60 and 600 s by breadth-first search, depth-first search,
//! restarts and jumpstarts, the last three with several seeds.
//!
//! Other load on the machine extends wall-clock times. So the time at which a label was found is scaled by the
//! ratio of CPU time to wall-clock time of the whole run. A run with less CPU time than the time of a column
//! has no entry there, unless it ended on its own.

use super::corpus::Problem;
use super::{Context, Report};
use crate::answer::{self, Property};
use crate::corpus::Verdict;
use crate::measure::Bench;
use crate::process::{self, Finished};
use crate::table::Table;
use crate::units;
use std::io::{self, Write};
use std::path::Path;

/// Problems with more states than any search has explored.
const PROBLEMS: [&str; 4] = ["2012/11", "2012/13", "2012/17", "2014/1403"];

const STRATEGIES: [&str; 4] = ["explicit", "explicit.dfs", "explicit.restart", "explicit.jumpstart"];

const SEEDS: [u64; 3] = [1, 2, 3];

/// Seconds after which labels are counted.
const AFTER: [f64; 3] = [10.0, 60.0, 600.0];

/// The results of a run.
struct Found {
    /// For each label: the CPU seconds after which it was found.
    times: Vec<f64>,
    /// CPU seconds of the process.
    cpu: f64,
    /// True if the run ended on its own.
    is_complete: bool,
    longest: u64,
    states: u64,
    peak: u64,
}

/// Measures those of `problems` that belong to the table.
pub(super) fn measure(problems: &[&Problem], context: &Context<'_>, report: &mut Report) -> io::Result<()> {
    let head =
        ["problem", "reachable", "engine", "10 s", "60 s", "600 s", "last label", "longest run", "states", "peak MiB"];
    let mut table = Table::new(&head);
    for problem in problems.iter().filter(|p| PROBLEMS.contains(&p.name().as_str())) {
        let folder = tempfile::tempdir()?;
        let (program, _) = problem.unpack(folder.path())?;
        for strategy in STRATEGIES {
            let seeds = if strategy == "explicit" { &[0][..] } else { &SEEDS };
            let mut runs = Vec::new();
            for &seed in seeds {
                let finished = search(&context.bench, &program, strategy, seed)?;
                match found(problem, &finished, report) {
                    Ok(found) => runs.push(found),
                    Err(why) => report.wrong.push(format!("{} {strategy} seed {seed}: {why}", problem.name())),
                }
            }
            let times = runs.iter().map(|run| run.times.len().to_string()).collect::<Vec<_>>().join(" ");
            writeln!(io::stderr(), "{} {strategy}: {times} labels", problem.name())?;
            table.push(row(problem, strategy, &runs));
        }
    }
    report.table("Labels found in different orders of search (a value for each seed)", "strategies", &table, context)
}

fn search(bench: &Bench, program: &Path, strategy: &str, seed: u64) -> io::Result<Finished> {
    let mut command = bench.command(program);
    command.args(["--engine", strategy]);
    if strategy != "explicit" {
        command.args(["--seed", &seed.to_string()]);
    }
    process::run(&mut command, bench.limits())
}

fn found(problem: &Problem, finished: &Finished, report: &mut Report) -> Result<Found, String> {
    let answers = answer::Report::parse(&finished.stdout)?;
    let rate = finished.cpu / finished.wall.max(1e-6);
    let reached: Vec<&Property> = answers.properties.iter().filter(|p| p.verdict == Verdict::Unsafe).collect();
    for property in &reached {
        if problem.known.get(&property.id).is_some_and(|known| known.is_official && !known.is_violated) {
            report.wrong.push(format!("{} {} is not reachable", problem.name(), property.id));
        }
    }
    let length = |p: &&Property| p.evidence.as_ref().and_then(|e| e.length);
    Ok(Found {
        times: reached.iter().map(|p| p.seconds * rate).collect(),
        cpu: finished.cpu,
        is_complete: answers.properties.iter().all(|p| p.verdict != Verdict::Unknown),
        longest: reached.iter().filter_map(length).max().unwrap_or(0),
        states: answers.properties.iter().map(|p| p.stats.states).max().unwrap_or(0),
        peak: finished.peak,
    })
}

/// Returns a row in which each cell lists the values of all seeds.
fn row(problem: &Problem, strategy: &str, runs: &[Found]) -> Vec<String> {
    let each = |cell: &dyn Fn(&Found) -> String| runs.iter().map(cell).collect::<Vec<_>>().join(" ");
    let known: Vec<_> = problem.known.iter().filter(|(id, _)| id.starts_with("error:")).collect();
    let reachable = known.iter().filter(|(_, known)| known.is_violated).count();
    let mut cells = vec![problem.name(), if reachable == 0 { "?".to_owned() } else { reachable.to_string() }];
    cells.push(strategy.to_owned());
    cells.extend(AFTER.iter().map(|&after| each(&|run| labels(run, after))));
    cells.push(each(&|run| run.times.iter().copied().reduce(f64::max).map_or("-".to_owned(), units::seconds)));
    cells.push(each(&|run| run.longest.to_string()));
    cells.push(each(&|run| units::short(run.states as f64)));
    cells.push(each(&|run| units::mebibytes(run.peak)));
    cells
}

/// Returns the number of labels found after this time, or `-` if the run was shorter. A run may be up to 10 %
/// shorter than this time, because reading and checking take time, too.
fn labels(run: &Found, after: f64) -> String {
    if !run.is_complete && run.cpu < 0.9 * after {
        return "-".to_owned();
    }
    run.times.iter().filter(|&&time| time <= after).count().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_run_says_nothing_about_a_long_one() {
        let mut run = Found { times: vec![1.0, 30.0], cpu: 60.0, is_complete: false, longest: 7, states: 9, peak: 1 };
        assert_eq!(AFTER.map(|after| labels(&run, after)), ["1", "2", "-"]);
        run.is_complete = true;
        assert_eq!(AFTER.map(|after| labels(&run, after)), ["1", "2", "2"]);
    }
}
