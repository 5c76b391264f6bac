//! `impasse-bench rers`: reactive C programs, each part a table of its own, with its peers in the same run.
//!
//! (verdicts) every question of a problem in one run, against what is known of it. (speed) plain exploration beside a plain C
//! search that the bench writes around the program's text and compiles. (strategies) labels found in different orders of search. (answers) from the source text to checked answers.

mod corpus;
mod peer;
mod speed;
mod strategies;
mod verdicts;

use crate::args::RersArgs;
use crate::measure::Bench;
use crate::nets;
use crate::publish::section;
use crate::table::Table;
use std::io::{self, Write};

/// What the parts have found.
#[derive(Default)]
struct Report {
    text: String,
    /// Answers that cannot be right.
    wrong: Vec<String>,
}

impl Report {
    fn table(&mut self, title: &str, table: &Table) {
        section(&mut self.text, title, table);
    }
}

/// Runs what is asked for. False if something is wrong.
///
/// # Errors
/// It could not run.
pub(crate) fn run(args: &RersArgs) -> io::Result<bool> {
    let Some(problems) = corpus::read(&args.net.corpus)? else {
        return nets::no_corpus(&args.net, "reactive programs");
    };
    let bench: Bench = nets::bench(&args.net)?;
    let chosen = |p: &&corpus::Problem| nets::is_chosen(&args.net, &p.name()) && (!args.net.quick || p.is_small());
    let problems: Vec<&corpus::Problem> = problems.iter().filter(chosen).collect();
    let is_all = !(args.verdicts || args.speed || args.strategies);
    let mut report = Report::default();
    if args.verdicts || is_all {
        verdicts::measure(&problems, &bench, &mut report)?;
    }
    if args.speed || is_all && !args.net.quick {
        speed::measure(&problems, &bench, &mut report)?;
    }
    if args.strategies {
        strategies::measure(&problems, &bench, &mut report)?;
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
