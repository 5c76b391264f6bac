//! `impasse-bench rers`: reactive C programs, each part a table of its own, with its peers in the same run.
//!
//! (verdicts) every question of a problem in one run, against what is known of it. (speed) plain exploration beside a plain C
//! search and SPIN, both made from the program's own text and compiled. (sooner) from the source text to complete answers.
//! (strategies) labels found in different orders of search, only if asked for.

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

/// What the quick check grants each run.
const QUICK: Duration = Duration::from_secs(3);

/// How to run.
struct Context<'a> {
    bench: Bench,
    /// Measure the parts with peers this often.
    repeat: u32,
    /// `<file>.csv` becomes `<file>.<part>.csv`.
    csv: Option<&'a Path>,
}

/// What the parts have found.
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

type Part = fn(&[&corpus::Problem], &Context<'_>, &mut Report) -> io::Result<()>;

/// Runs what is asked for. False if something is wrong.
///
/// # Errors
/// It could not run.
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
        (args.verdicts || is_all, verdicts::measure as Part),
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
