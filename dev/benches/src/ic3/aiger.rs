//! Our IC3 against `pdr` of ABC on the same files. Answers are checked against each other and against the
//! corpus: a net that is safe is safe within every bound.

use super::Report;
use super::exports::{ALL, Export};
use super::run::{ABC, Ran, Runner, Said, geometric_mean, limits_of};
use crate::args::Ic3Args;
use crate::corpus::Verdict;
use crate::nets::{self, corpus};
use crate::table::{Table, optional};
use crate::units;
use std::io::{self, Write};
use std::path::Path;

/// Minimum seconds that one of the two sides must need for a file. Files that both sides solve faster show
/// nothing about speed.
const TELLING: f64 = 0.05;

/// Seconds below which the clock of the kernel is too coarse.
const LEAST: f64 = 0.002;

/// The results for one file.
struct Row {
    export: Export,
    /// Number of latches and of AND gates.
    size: Option<(u64, u64)>,
    ours: Ran,
    peer: Ran,
    known: Option<Verdict>,
}

impl Row {
    fn name(&self) -> String {
        format!("{} {} {}", self.export.net, self.export.bound, self.export.encoding)
    }

    /// Returns the ratio of our time to the peer's, if one of them is at least [`TELLING`] and one side
    /// answered. A side without an answer counts with at least the limit.
    fn ratio(&self, limit: f64) -> Option<f64> {
        let time = |ran: &Ran| if ran.said.is_answer() { ran.cpu } else { ran.cpu.max(limit) };
        let (ours, peer) = (time(&self.ours), time(&self.peer));
        let tells = ours.max(peer) >= TELLING && (self.ours.said.is_answer() || self.peer.said.is_answer());
        tells.then(|| ours.max(LEAST) / peer.max(LEAST))
    }
}

pub(super) fn measure(args: &Ic3Args, runner: &mut Runner, report: &mut Report) -> io::Result<()> {
    let Some(all) = corpus::petri(&args.net.corpus)? else {
        report.note("AIGER: skipped: no corpus");
        return Ok(());
    };
    if !Runner::has_abc() {
        report.note(&format!("AIGER: `{ABC}` is not installed; only times of impasse"));
    }
    let chosen: Vec<&Export> = ALL
        .iter()
        .filter(|e| !args.net.quick || e.quick)
        .filter(|e| nets::is_chosen(&args.net, &format!("{} {} {}", e.net, e.bound, e.encoding)))
        .collect();
    let mut rows = Vec::new();
    let mut lost = Vec::new();
    for (i, export) in chosen.iter().enumerate() {
        let Some(net) = all.iter().find(|n| format!("{}/{}", n.suite, n.name) == export.net) else {
            lost.push(format!("{}: not in the corpus", export.net));
            continue;
        };
        match one(runner, **export, &net.path, net.verdict)? {
            Ok(row) => {
                let cells = (row.ours.cell(), row.peer.cell());
                writeln!(io::stderr(), "[{}/{}] {}: {}, pdr {}", i + 1, chosen.len(), row.name(), cells.0, cells.1)?;
                report.runs += 2;
                rows.push(row);
            }
            Err(why) => lost.push(format!("{} {} {}: {why}", export.net, export.bound, export.encoding)),
        }
    }
    report.table(&format!("AIGER files of bounded nets, {}", limits_of(&runner.bench)), &table(&rows, runner.limit()));
    if let Some(path) = &args.net.csv {
        table(&rows, runner.limit()).write_csv(path)?;
    }
    summarise(&rows, &lost, runner.limit(), report);
    Ok(())
}

fn one(runner: &Runner, export: Export, net: &Path, verdict: Verdict) -> io::Result<Result<Row, String>> {
    let file = match runner.convert(net, export.bound, export.encoding)? {
        Ok(file) => file,
        Err(why) => return Ok(Err(why)),
    };
    let ours = runner.ours(&file, &["--engine", "ic3"])?;
    let peer = runner.abc(&file)?;
    let known = (verdict == Verdict::Safe).then_some(Verdict::Safe);
    let size = header(&file);
    Ok(Ok(Row { export, size, ours, peer, known }))
}

/// Returns the numbers of latches and of AND gates from the first line of the file.
fn header(file: &Path) -> Option<(u64, u64)> {
    let bytes = std::fs::read(file).ok()?;
    let line = bytes.split(|b| *b == b'\n').next()?;
    let mut fields = std::str::from_utf8(line).ok()?.split(' ').skip(3).map(|f| f.parse().ok());
    let latches = fields.next()??;
    Some((latches, fields.nth(1)??))
}

fn table(rows: &[Row], limit: f64) -> Table {
    let head = [
        "net",
        "bound",
        "encoding",
        "latches",
        "ANDs",
        "impasse",
        "CPU s",
        "MiB",
        "queries/s",
        "pdr",
        "CPU s",
        "MiB",
        "ratio",
    ];
    let mut table = Table::new(&head);
    for row in rows {
        let rate = row.ours.queries().and_then(|n| units::rate(n, row.ours.cpu));
        table.push(vec![
            row.export.net.to_owned(),
            row.export.bound.to_string(),
            row.export.encoding.to_owned(),
            optional(row.size, |s| s.0.to_string()),
            optional(row.size, |s| s.1.to_string()),
            row.ours.said.word().to_owned(),
            units::seconds(row.ours.cpu),
            units::mebibytes(row.ours.peak),
            optional(rate, units::short),
            row.peer.said.word().to_owned(),
            units::seconds(row.peer.cpu),
            units::mebibytes(row.peer.peak),
            optional(row.ratio(limit), |r| format!("{r:.2}")),
        ]);
    }
    table
}

fn summarise(rows: &[Row], lost: &[String], limit: f64, report: &mut Report) {
    let mean = |wanted: &dyn Fn(&Row) -> bool| {
        let ratios: Vec<f64> = rows.iter().filter(|r| wanted(r)).filter_map(|r| r.ratio(limit)).collect();
        let mean = geometric_mean(&ratios).map_or("-".to_owned(), |m| format!("{m:.2}"));
        format!("{mean} over {}", ratios.len())
    };
    let both = |r: &Row| r.ours.said.is_answer() && r.peer.said.is_answer();
    report.note(&format!(
        "Ratio of impasse's CPU time to pdr's, geometric mean over the files on which one of them takes {TELLING} s. \
         Solved by both: {}. Including files that only one of them solves, where the other counts with the limit: {}. \
         Solved by both and safe: {}, unsafe: {}.",
        mean(&both),
        mean(&|_| true),
        mean(&|r| both(r) && r.ours.said == Said::Safe),
        mean(&|r| both(r) && r.ours.said == Said::Unsafe),
    ));
    let queries: u64 = rows.iter().filter_map(|r| r.ours.queries()).sum();
    let seconds: f64 = rows.iter().filter(|r| r.ours.queries().is_some()).map(|r| r.ours.cpu).sum();
    let rate = units::rate(queries, seconds).map_or("-".to_owned(), units::short);
    report.note(&format!("impasse made {queries} queries, {rate} per second."));
    for (solver, ran) in [("impasse", (|r| &r.ours) as fn(&Row) -> &Ran), ("pdr", |r| &r.peer)] {
        let open: Vec<String> = rows
            .iter()
            .filter(|r| !ran(r).said.is_answer())
            .map(|r| format!("{} ({})", r.name(), ran(r).said.word()))
            .collect();
        report.note(&format!(
            "Not solved by {solver}: {}.",
            if open.is_empty() { "none".to_owned() } else { open.join(", ") }
        ));
    }
    if !lost.is_empty() {
        report.note(&format!("Left out: {}.", lost.join("; ")));
    }
    for row in rows {
        let answers = [("impasse", &row.ours.said), ("pdr", &row.peer.said)];
        if answers.iter().all(|(_, said)| said.is_answer()) && answers[0].1 != answers[1].1 {
            let [ours, peer] = answers.map(|(_, said)| said.word());
            report.wrong.push(format!("{}: impasse says {ours}, pdr says {peer}", row.name()));
        }
        for (solver, said) in answers {
            if row.known == Some(Verdict::Safe) && *said == Said::Unsafe {
                report.wrong.push(format!("{}: {solver} says unsafe; the net is safe", row.name()));
            }
        }
        if let Said::Failed(why) = &row.ours.said {
            report.wrong.push(format!("{}: {why}", row.name()));
        }
    }
}
