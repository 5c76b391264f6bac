//! `impasse-bench ic3`: IC3 at bit level, each part a table of its own, with its peers in the same run.
//!
//! Time is CPU time of whole processes, from the start of the process to its end, reading and checking included.

mod aiger;
mod contest;
mod exports;
mod facts;
mod mist;
mod pnpv;
mod programs;
mod run;
mod ttscov;

use crate::args::Ic3Args;
use crate::nets;
use crate::publish::section;
use crate::table::Table;
use run::Runner;
use std::io::{self, Write};
use std::time::Duration;

/// What the quick check grants each run.
const QUICK: Duration = Duration::from_secs(2);

/// What a part has found.
#[derive(Default)]
pub(crate) struct Report {
    text: String,
    /// Answers that cannot be right.
    wrong: Vec<String>,
    runs: usize,
}

impl Report {
    fn table(&mut self, title: &str, table: &Table) {
        section(&mut self.text, title, table);
    }

    fn note(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push_str("\n\n");
    }
}

/// Runs what is asked for. False if something is wrong.
///
/// # Errors
/// It could not run.
pub(crate) fn run(args: &Ic3Args) -> io::Result<bool> {
    let mut bench = nets::bench(&args.net)?;
    if args.net.quick {
        bench.timeout = bench.timeout.min(QUICK);
    }
    let mut runner = Runner::new(bench, args.repeat)?;
    let chosen = args.aiger || args.pnpv || args.ttscov || args.facts || args.unsafe_nets || args.rwb || args.mcc;
    let wanted = |part: bool| part || !chosen;
    let mut report = Report::default();
    let mut parts: Vec<(&str, Part)> = Vec::new();
    for (is_wanted, name, part) in [
        (wanted(args.aiger), "aiger", aiger::measure as Part),
        (wanted(args.pnpv), "pnpv", pnpv::measure),
        (wanted(args.ttscov), "ttscov", ttscov::measure),
        (wanted(args.facts), "facts", facts::measure),
        (wanted(args.unsafe_nets), "unsafe", mist::measure),
        (wanted(args.rwb), "rwb", programs::measure),
        (wanted(args.mcc), "mcc", contest::measure),
    ] {
        if is_wanted {
            parts.push((name, part));
        }
    }
    for (name, part) in parts {
        writeln!(io::stderr(), "ic3 --{name}")?;
        part(args, &mut runner, &mut report)?;
    }
    for wrong in &report.wrong {
        report.text.push_str(&format!("WRONG: {wrong}\n"));
    }
    io::stdout().write_all(report.text.as_bytes())?;
    if let Some(path) = &args.net.markdown {
        std::fs::write(path, &report.text)?;
    }
    writeln!(io::stdout(), "{} runs, {} wrong", report.runs, report.wrong.len())?;
    Ok(report.wrong.is_empty())
}

type Part = fn(&Ic3Args, &mut Runner, &mut Report) -> io::Result<()>;
