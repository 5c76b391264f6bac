//! Algorithm TTSCov (Zhang et al. 2018) on the nets of the corpus. The algorithm increases the bound until the
//! proof for one bound is a proof for all bounds. Three ways are compared: the algorithm as in the paper, the
//! same algorithm with invariants, and `ic3.bits`. The engine `ic3.bits` creates a bit `[place >= k]` (a
//! threshold) when the search first needs it, and needs no bound.

use super::Report;
use super::run::{Ran, Runner, Said, limits_of};
use crate::args::Ic3Args;
use crate::corpus::Verdict;
use crate::nets::{self, corpus};
use crate::table::Table;
use crate::units;
use std::io::{self, Write};

/// Number of nets that the paper solves within an hour and 10 GB each, of 177 nets in total.
const PAPER: usize = 147;

/// The quick check takes files of at most this many bytes.
const QUICK_BYTES: u64 = 1_500;

/// A name, and the arguments that select an engine and its options.
pub(super) type Way = (&'static str, &'static [&'static str]);

/// The compared ways.
const WAYS: [Way; 3] = [
    ("ic3.ttscov", &["--engine", "ic3.ttscov", "--patterns", "none"]),
    ("ic3.ttscov, with invariants", &["--engine", "ic3.ttscov"]),
    ("ic3.bits, with invariants", &["--engine", "ic3.bits"]),
];

/// Percentages of the runs for which the memory is shown.
const SHARES: [usize; 4] = [50, 90, 97, 100];

pub(super) fn measure(args: &Ic3Args, runner: &mut Runner, report: &mut Report) -> io::Result<()> {
    let title = format!("TTSCov, {} each (Zhang et al. 2018: {PAPER} of 177)", limits_of(&runner.bench));
    compare(&WAYS, &title, args, runner, report)
}

/// Runs the nets of the corpus in several ways.
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
        "total CPU s",
        "MiB: 50%",
        "90%",
        "97%",
        "100%",
        "reasons for no answer",
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
                break; // unknown engine
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
