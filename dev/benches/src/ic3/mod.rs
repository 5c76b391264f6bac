//! `impasse-bench ic3`: benchmarks of bit-level IC3. Each part is one table, with the peers in the same run.
//!
//! Times are CPU times of whole processes, reading and checking included.

mod aiger;
mod contest;
mod exports;
mod invariants;
mod mist;
mod pnpv;
mod programs;
pub(crate) mod run;
mod ttscov;

use crate::args::Ic3Args;
use crate::nets;
use crate::publish::section;
use crate::table::Table;
use run::Runner;
use std::io::{self, Write};
use std::time::Duration;

/// Time limit of each run in the quick check.
const QUICK: Duration = Duration::from_secs(2);

/// The results of the parts.
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

/// Runs the selected parts. Returns false if an answer is wrong.
///
/// # Errors
///
/// If the benchmark could not run.
pub(crate) fn run(args: &Ic3Args) -> io::Result<bool> {
    let mut bench = nets::bench(&args.net)?;
    if args.net.quick {
        bench.timeout = bench.timeout.min(QUICK);
    }
    let mut runner = Runner::new(bench, args.repeat)?;
    let chosen = args.aiger || args.pnpv || args.ttscov || args.invariants || args.unsafe_nets || args.rwb || args.mcc;
    let wanted = |part: bool| part || !chosen;
    let mut report = Report::default();
    let mut parts: Vec<(&str, Section)> = Vec::new();
    for (is_wanted, name, part) in [
        (wanted(args.aiger), "aiger", aiger::measure as Section),
        (wanted(args.pnpv), "pnpv", pnpv::measure),
        (wanted(args.ttscov), "ttscov", ttscov::measure),
        (wanted(args.invariants), "invariants", invariants::measure),
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

type Section = fn(&Ic3Args, &mut Runner, &mut Report) -> io::Result<()>;
