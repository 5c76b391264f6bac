//! Behavioral programs: bit-level IC3 against plain search, and the engine that answers first in the portfolio.

use super::Report;
use super::run::{Ran, Runner, Said, geometric_mean, limits_of};
use crate::args::Ic3Args;
use crate::corpus::{self, Verdict};
use crate::nets;
use crate::table::Table;
use crate::units;
use std::io::{self, Write};

/// The quick check takes programs with at most this many states.
const QUICK_STATES: u64 = 2_000;

/// Seconds to which shorter times are raised in comparisons.
const LEAST: f64 = 0.01;

/// A side wins if the other side takes at least this many times as long.
const WINS: f64 = 1.5;

struct Row {
    name: String,
    states: u64,
    bits: Ran,
    plain: Ran,
    auto: Ran,
}

impl Row {
    fn winner(&self) -> &'static str {
        match (self.bits.said.is_answer(), self.plain.said.is_answer()) {
            (false, false) => "neither",
            (true, false) => "ic3",
            (false, true) => "explicit",
            (true, true) if self.bits.cpu.max(LEAST) * WINS < self.plain.cpu.max(LEAST) => "ic3",
            (true, true) if self.plain.cpu.max(LEAST) * WINS < self.bits.cpu.max(LEAST) => "explicit",
            (true, true) => "equal",
        }
    }
}

pub(super) fn measure(args: &Ic3Args, runner: &mut Runner, report: &mut Report) -> io::Result<()> {
    let Some(mut programs) = corpus::read(&args.net.corpus)? else {
        report.note("Programs: skipped: no corpus");
        return Ok(());
    };
    programs.retain(|p| nets::is_chosen(&args.net, &p.expected.name));
    if args.net.quick {
        programs.retain(|p| p.expected.states <= QUICK_STATES);
    }
    let mut rows = Vec::new();
    for (i, program) in programs.iter().enumerate() {
        let expected = &program.expected;
        // The property for which the corpus records the answer.
        let property = expected.kind.as_deref().unwrap_or("deadlock");
        let ask = |engine: &str| runner.ours(&program.path, &["--engine", engine, "--property", property]);
        let row = Row {
            name: expected.name.clone(),
            states: expected.states,
            bits: ask("ic3")?,
            plain: ask("explicit")?,
            auto: ask("auto")?,
        };
        report.runs += 3;
        for (engine, ran) in [("ic3", &row.bits), ("explicit", &row.plain), ("auto", &row.auto)] {
            let wrong = matches!(
                (&ran.said, expected.verdict),
                (Said::Safe, Verdict::Unsafe) | (Said::Unsafe, Verdict::Safe) | (Said::Failed(_), _)
            );
            if wrong {
                report.wrong.push(format!("{engine} {}: {property} is {}", row.name, ran.said.word()));
            }
        }
        let line = format!("ic3 {}, explicit {}, auto {}", row.bits.cell(), row.plain.cell(), row.auto.cell());
        writeln!(io::stderr(), "[{}/{}] {}: {line}", i + 1, programs.len(), row.name)?;
        rows.push(row);
    }
    report.table(&format!("Programs, {} each", limits_of(&runner.bench)), &table(&rows));
    if let Some(path) = &args.net.csv {
        table(&rows).write_csv(path)?;
    }
    let count = |winner: &str| rows.iter().filter(|r| r.winner() == winner).count();
    let both = rows.iter().filter(|r| r.bits.said.is_answer() && r.plain.said.is_answer());
    let ratios: Vec<f64> = both.map(|r| r.bits.cpu.max(LEAST) / r.plain.cpu.max(LEAST)).collect();
    let mean = geometric_mean(&ratios).map_or("-".to_owned(), |m| format!("{m:.2}"));
    report.note(&format!(
        "{} programs: ic3 is {WINS} times as fast or answers alone on {}, explicit on {}, both are equal on {}, \
         neither answers on {}. Ratio of CPU times of ic3 to explicit where both answer: {mean} (geometric mean).",
        rows.len(),
        count("ic3"),
        count("explicit"),
        count("equal"),
        count("neither"),
    ));
    let lost = rows.iter().filter(|r| r.winner() == "ic3" && !r.auto.said.is_answer());
    let lost: Vec<&str> = lost.map(|r| r.name.as_str()).collect();
    if !lost.is_empty() {
        report.note(&format!("Decided by ic3 and not by auto: {}.", lost.join(", ")));
    }
    Ok(())
}

fn table(rows: &[Row]) -> Table {
    let mut table = Table::new(&[
        "program",
        "states",
        "ic3",
        "CPU s",
        "queries",
        "explicit",
        "CPU s",
        "auto",
        "CPU s",
        "engine of auto",
        "faster",
    ]);
    for row in rows {
        table.push(vec![
            row.name.clone(),
            row.states.to_string(),
            row.bits.said.word().to_owned(),
            units::seconds(row.bits.cpu),
            row.bits.queries().map_or(String::new(), |n| n.to_string()),
            row.plain.said.word().to_owned(),
            units::seconds(row.plain.cpu),
            row.auto.said.word().to_owned(),
            units::seconds(row.auto.cpu),
            row.auto.first().map_or(String::new(), |p| p.engine.clone()),
            row.winner().to_owned(),
        ]);
    }
    table
}
