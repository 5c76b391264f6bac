//! Algorithm TTSCov (Zhang et al. 2018) on the nets of the corpus: bounds grow until a proof for one bound is one for all. As the
//! paper describes it; and thresholds without a bound, with what is known of pairs of places and of bounds.

use super::Report;
use super::run::{Ran, Runner, Said, limits_of};
use crate::args::Ic3Args;
use crate::corpus::Verdict;
use crate::nets::{self, corpus};
use crate::table::Table;
use crate::units;
use std::io::{self, Write};

/// The paper solves this many of the 177, within an hour and 10 GB each.
const PAPER: usize = 147;

/// The quick check takes files up to this many bytes.
const QUICK_BYTES: u64 = 1_500;

/// An engine and how it goes about it, with the arguments that say so.
pub(super) type Way = (&'static str, &'static [&'static str]);

/// The ways that are compared.
const WAYS: [Way; 3] = [
    ("ic3.ttscov", &["--engine", "ic3.ttscov", "--patterns", "none"]),
    ("ic3.ttscov, with facts", &["--engine", "ic3.ttscov"]),
    ("ic3.bits, with facts", &["--engine", "ic3.bits"]),
];

/// How much of the runs the memory figures are about, in percent.
const SHARES: [usize; 4] = [50, 90, 97, 100];

pub(super) fn measure(args: &Ic3Args, runner: &mut Runner, report: &mut Report) -> io::Result<()> {
    let title = format!("TTSCov, {} each (the paper: {PAPER} of 177)", limits_of(&runner.bench));
    compare(&WAYS, &title, args, runner, report)
}

/// The nets of the corpus, in several ways.
pub(super) fn compare(
    ways: &[Way],
    title: &str,
    args: &Ic3Args,
    runner: &mut Runner,
    report: &mut Report,
) -> io::Result<()> {
    let Some(mut all) = corpus::petri(&args.net.corpus)? else {
        report.note(&format!("{title}: skipped: no corpus"));
        return Ok(());
    };
    all.retain(|n| n.suite != "protocols" && nets::is_chosen(&args.net, &format!("{}/{}", n.suite, n.name)));
    if args.net.quick {
        all.retain(|n| n.path.metadata().is_ok_and(|m| m.len() <= QUICK_BYTES));
    }
    let mut table = Table::new(&[
        "way",
        "nets",
        "solved",
        "safe",
        "unsafe",
        "CPU s in all",
        "MiB: half",
        "90%",
        "97%",
        "all",
        "not solved by",
    ]);
    let mut open = Table::new(&["way", "net", "why", "CPU s", "MiB"]);
    for &(way, arguments) in ways {
        let mut runs: Vec<(String, Ran)> = Vec::new();
        for (i, net) in all.iter().enumerate() {
            let ran = runner.ours(&net.path, arguments)?;
            report.runs += 1;
            let name = format!("{}/{}", net.suite, net.name);
            writeln!(io::stderr(), "[{}/{}] {way} {name}: {}", i + 1, all.len(), ran.cell())?;
            if let (Said::Safe, Verdict::Unsafe) | (Said::Unsafe, Verdict::Safe) = (&ran.said, net.verdict) {
                report.wrong.push(format!("{way} {name}: {}", ran.said.word()));
            }
            runs.push((name, ran));
            if i == 2 && runs.iter().all(|(_, r)| matches!(r.said, Said::Failed(_))) {
                break; // nobody knows this engine
            }
        }
        table.push(row(way, &runs));
        for (name, ran) in runs.iter().filter(|(_, r)| !r.said.is_answer()) {
            let (cpu, peak) = (units::seconds(ran.cpu), units::mebibytes(ran.peak));
            open.push(vec![way.to_owned(), name.clone(), ran.said.word().to_owned(), cpu, peak]);
        }
    }
    report.table(title, &table);
    if !open.is_empty() {
        report.table(&format!("{title}: not solved"), &open);
    }
    Ok(())
}

fn row(way: &str, runs: &[(String, Ran)]) -> Vec<String> {
    let count = |said: Said| runs.iter().filter(|(_, r)| r.said == said).count();
    let (safe, violated) = (count(Said::Safe), count(Said::Unsafe));
    let mut peaks: Vec<u64> = runs.iter().map(|(_, r)| r.peak).collect();
    peaks.sort_unstable();
    let at = |share: usize| {
        let place = (peaks.len() * share).div_ceil(100).max(1) - 1;
        units::mebibytes(peaks.get(place).copied().unwrap_or(0))
    };
    let mut reasons: Vec<&str> = runs.iter().filter(|(_, r)| !r.said.is_answer()).map(|(_, r)| r.said.word()).collect();
    reasons.sort_unstable();
    let counts = reasons.chunk_by(|a, b| a == b).map(|same| format!("{} {}", same.len(), same[0]));
    let mut cells = vec![
        way.to_owned(),
        runs.len().to_string(),
        (safe + violated).to_string(),
        safe.to_string(),
        violated.to_string(),
        units::seconds(runs.iter().map(|(_, r)| r.cpu).sum()),
    ];
    cells.extend(SHARES.map(at));
    cells.push(counts.collect::<Vec<_>>().join(", "));
    cells
}
