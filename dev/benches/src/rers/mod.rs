//! `impasse-bench rers`: benchmarks of reactive C programs. Each part is one table, with the peers in the same
//! run.
//!
//! * `verdicts`: every property of a problem in one run, compared with the known answers.
//! * `speed`: plain exploration compared with a plain C search and SPIN. Both are built from the program's own
//!   text and compiled.
//! * `sooner`: the time from the source text to complete answers.
//! * `strategies`: labels found in different orders of search, only if selected.

pub(crate) mod alone;
mod corpus;
mod pan;
mod plain;
mod sooner;
mod speed;
mod strategies;
mod text;
mod verdicts;

use crate::args::RersArgs;
use crate::measure::Bench;
use crate::nets;
use crate::publish::section;
use crate::table::Table;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

/// Time limit of each run in the quick check.
const QUICK: Duration = Duration::from_secs(3);

/// Settings of the runs.
struct Context<'a> {
    bench: Bench,
    /// Number of repetitions of the parts with peers.
    repeat: u32,
    /// `<file>.csv` becomes `<file>.<part>.csv`.
    csv: Option<&'a Path>,
}

/// The results of the parts.
#[derive(Default)]
struct Report {
    text: String,
    /// Answers that cannot be right.
    wrong: Vec<String>,
}

impl Report {
    fn table(&mut self, title: &str, part: &str, table: &Table, context: &Context<'_>) -> io::Result<()> {
        section(&mut self.text, title, table);
        context.csv.map_or(Ok(()), |path| table.write_csv(&path.with_extension(format!("{part}.csv"))))
    }
}

type Section = fn(&[&corpus::Problem], &Context<'_>, &mut Report) -> io::Result<()>;

/// Runs the selected parts. Returns false if an answer is wrong.
///
/// # Errors
///
/// If the benchmark could not run.
pub(crate) fn run(args: &RersArgs) -> io::Result<bool> {
    let Some(problems) = corpus::read(&args.net.corpus)? else {
        return nets::no_corpus(&args.net, "reactive programs");
    };
    let mut bench: Bench = nets::bench(&args.net)?;
    if args.net.quick {
        bench.timeout = bench.timeout.min(QUICK);
    }
    let context = Context { bench, repeat: args.repeat, csv: args.net.csv.as_deref() };
    let chosen = |p: &&corpus::Problem| nets::is_chosen(&args.net, &p.name()) && (!args.net.quick || p.is_small());
    let problems: Vec<&corpus::Problem> = problems.iter().filter(chosen).collect();
    let is_all = !(args.verdicts || args.speed || args.sooner || args.strategies);
    let slow = is_all && !args.net.quick;
    let parts = [
        (args.verdicts || is_all, verdicts::measure as Section),
        (args.speed || slow, speed::measure),
        (args.sooner || slow, sooner::measure),
        (args.strategies, strategies::measure),
    ];
    let mut report = Report::default();
    for (_, part) in parts.iter().filter(|(is_wanted, _)| *is_wanted) {
        part(&problems, &context, &mut report)?;
    }
    for wrong in &report.wrong {
        report.text.push_str(&format!("WRONG: {wrong}\n"));
    }
    io::stdout().write_all(report.text.as_bytes())?;
    if let Some(path) = &args.net.markdown {
        std::fs::write(path, &report.text)?;
    }
    writeln!(io::stdout(), "{} problems, {} wrong", problems.len(), report.wrong.len())?;
    Ok(report.wrong.is_empty())
}
