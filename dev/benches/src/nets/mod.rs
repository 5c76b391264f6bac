//! Benchmarks of nets and thread-transition systems: `impasse-bench petri`, `impasse-bench mcc` and
//! `impasse-bench workflows`.

pub(crate) mod ablation;
pub(crate) mod corpus;
pub(crate) mod examinations;
pub(crate) mod families;
pub(crate) mod judge;
pub(crate) mod large;
pub(crate) mod mcc;
pub(crate) mod petri;
pub(crate) mod prepare;
pub(crate) mod protocols;
pub(crate) mod workflows;

use crate::args::NetArgs;
use crate::judge::Status;
use crate::measure::{Bench, Row};
use crate::table::Table;
use crate::tool;
use std::io::{self, Write};

/// Returns the settings of the runs from the command line.
pub(crate) fn bench(args: &NetArgs) -> io::Result<Bench> {
    Ok(Bench { impasse: tool::find(args.impasse.as_deref())?, timeout: args.timeout, memory: args.memory, repeat: 1 })
}

/// Handles a missing corpus: the quick check skips it, otherwise it is an error.
pub(crate) fn no_corpus(args: &NetArgs, what: &str) -> io::Result<bool> {
    if args.quick {
        writeln!(io::stdout(), "skipped: no corpus")?;
        return Ok(true);
    }
    let hint = "name its folder with `--corpus DIR` or IMPASSE_CORPUS";
    Err(io::Error::other(format!("no {what} in {}; {hint}", args.corpus.display())))
}

/// True if the command line selects `name`.
pub(crate) fn is_chosen(args: &NetArgs, name: &str) -> bool {
    args.only.is_empty() || args.only.iter().any(|part| name.contains(part))
}

pub(crate) fn is_wrong(status: &Status) -> bool {
    matches!(status, Status::Wrong(_) | Status::Crash(_))
}

/// Returns a table of all wrong runs.
pub(crate) fn wrongs(rows: &[Row]) -> Table {
    let mut table = Table::new(&["model", "configuration", "status", "verdict", "CPU s"]);
    for row in rows.iter().filter(|r| is_wrong(&r.status)) {
        let cpu = crate::units::seconds(row.cpu);
        table.push(vec![row.program.clone(), row.config.to_owned(), row.status.to_string(), row.verdict.clone(), cpu]);
    }
    table
}
