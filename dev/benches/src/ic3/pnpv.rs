//! Cache protocols with growing numbers of processes (the experiment of Zhang et al., PNPV, 2017). For each way
//! of proving, the table shows the greatest number of processes for which safety is proved within the limits.
//! There are two kinds of ways:
//! * The engine `ic3.bounded` proves the net safe, in one run that increases the bound, or in a fresh run for
//!   each bound. The engine creates a bit `[place >= k]` (a threshold) when the search first needs it.
//! * IC3 proves a circuit safe. The circuit is the net with a bound, and contains all bits from the start, in
//!   one of three encodings.
//!
//! `ic3.bounded` uses no invariants of the net. It also does not test whether the proof for one bound holds for
//! every number of processes. Such a test could end the run before the limits are reached.

use super::Report;
use super::exports::{BINARY, ONE_HOT, THERMOMETER};
use super::run::{Ran, Runner, Said, limits_of};
use crate::args::Ic3Args;
use crate::nets::corpus::Net;
use crate::nets::{self, corpus};
use crate::table::Table;
use crate::units;
use std::io::{self, Write};

/// Greatest number of processes for which the paper's unary encoding proves safety within 600 s and 2 GB.
const PAPER: [(&str, u64); 6] =
    [("illinois", 160), ("firefly", 160), ("berkeley", 146), ("german", 97), ("csmbroad", 90), ("dragon", 90)];

/// The numbers of processes that are tried in this order, until the limits are reached.
const LADDER: [u64; 14] = [1, 2, 4, 8, 16, 32, 64, 96, 128, 160, 256, 512, 1024, 2048];

/// The greatest number of processes in the quick check.
const QUICK: u64 = 4;

/// A way to prove a protocol for given numbers of processes.
#[derive(Clone, Copy)]
struct Way {
    name: &'static str,
    how: How,
}

#[derive(Clone, Copy)]
enum How {
    /// All bounds from 1 up in one run.
    Incremental,
    /// One run for this bound.
    Fresh,
    /// A circuit for this bound, checked by our IC3.
    Circuit(&'static str),
    /// A circuit for this bound, checked by the peer.
    Peer(&'static str),
}

const WAYS: [Way; 7] = [
    Way { name: "incremental 1..n", how: How::Incremental },
    Way { name: "fresh n", how: How::Fresh },
    Way { name: "circuit, thermometer", how: How::Circuit(THERMOMETER) },
    Way { name: "circuit, one-hot", how: How::Circuit(ONE_HOT) },
    Way { name: "circuit, binary", how: How::Circuit(BINARY) },
    Way { name: "pdr, thermometer", how: How::Peer(THERMOMETER) },
    Way { name: "pdr, binary", how: How::Peer(BINARY) },
];

/// The results of one way on one protocol.
struct Climb {
    steps: Vec<(u64, Ran)>,
    /// The reason why larger numbers of processes were not proved.
    end: String,
}

impl Climb {
    fn last(&self) -> Option<&(u64, Ran)> {
        self.steps.last()
    }

    /// Returns the seconds per additional process in the last step.
    fn slope(&self) -> Option<f64> {
        let [.., (n, before), (m, after)] = &self.steps[..] else { return None };
        Some((after.cpu - before.cpu) / (m - n) as f64)
    }
}

pub(super) fn measure(args: &Ic3Args, runner: &mut Runner, report: &mut Report) -> io::Result<()> {
    let Some(mut all) = corpus::petri(&args.net.corpus)? else {
        report.note("Protocols: skipped: no corpus");
        return Ok(());
    };
    all.retain(|n| n.suite == "protocols" && nets::is_chosen(&args.net, &n.name));
    let most = if args.net.quick { QUICK } else { args.processes };
    let mut summary =
        Table::new(&["protocol", "in the paper", "way", "processes", "CPU s", "MiB", "s per process added", "end"]);
    let mut steps = Table::new(&["protocol", "way", "processes", "CPU s", "MiB", "queries"]);
    for (name, paper) in PAPER {
        let Some(net) = all.iter().find(|n| n.name == name) else { continue };
        for way in WAYS {
            if matches!(way.how, How::Peer(_)) && !Runner::has_abc() {
                continue;
            }
            let climb = climb(runner, net, way, most, report)?;
            let last = climb.last();
            summary.push(vec![
                name.to_owned(),
                paper.to_string(),
                way.name.to_owned(),
                last.map_or(0, |(n, _)| *n).to_string(),
                last.map_or(String::new(), |(_, ran)| units::seconds(ran.cpu)),
                last.map_or(String::new(), |(_, ran)| units::mebibytes(ran.peak)),
                climb.slope().map_or(String::new(), |s| format!("{s:.4}")),
                climb.end.clone(),
            ]);
            let reached = last.map_or(0, |(n, _)| *n);
            writeln!(io::stderr(), "{name}, {}: {reached}, then {}", way.name, climb.end)?;
            for (n, ran) in &climb.steps {
                let queries = ran.queries().map_or(String::new(), |q| q.to_string());
                let (cpu, peak) = (units::seconds(ran.cpu), units::mebibytes(ran.peak));
                steps.push(vec![name.to_owned(), way.name.to_owned(), n.to_string(), cpu, peak, queries]);
            }
        }
    }
    report.table(&format!("Processes proved, up to {most}, {} for each run", limits_of(&runner.bench)), &summary);
    report.table("Processes proved, step by step", &steps);
    if let Some(path) = &args.net.csv {
        steps.write_csv(path)?;
    }
    Ok(())
}

/// Tries growing numbers of processes, until a limit is reached.
fn climb(runner: &Runner, net: &Net, way: Way, most: u64, report: &mut Report) -> io::Result<Climb> {
    let mut steps = Vec::new();
    let rungs = LADDER.iter().copied().filter(|n| *n <= most);
    for n in rungs {
        let ran = match once(runner, net, way.how, n)? {
            Ok(ran) => ran,
            Err(end) => return Ok(Climb { steps, end }),
        };
        report.runs += 1;
        match &ran.said {
            // A bounded engine ends with reason `bound` if the goal is unreachable within the bound. For a
            // circuit the answer is `Safe`.
            Said::Safe => steps.push((n, ran)),
            Said::Nothing(why) if why == "bound" => steps.push((n, ran)),
            Said::Unsafe => {
                report.wrong.push(format!("{}, {} with {n} processes: unsafe", net.name, way.name));
                return Ok(Climb { steps, end: "WRONG".to_owned() });
            }
            other => return Ok(Climb { steps, end: format!("{} at {n}", other.word()) }),
        }
    }
    Ok(Climb { steps, end: "all".to_owned() })
}

fn once(runner: &Runner, net: &Net, how: How, n: u64) -> io::Result<Result<Ran, String>> {
    let bounded = |bound: String| runner.ours(&net.path, &["--engine", "ic3.bounded", "--bound", &bound]);
    let encoding = match how {
        How::Incremental => return bounded(format!("1..{n}")).map(Ok),
        How::Fresh => return bounded(n.to_string()).map(Ok),
        How::Circuit(encoding) | How::Peer(encoding) => encoding,
    };
    let file = match runner.convert(&net.path, n, encoding)? {
        Ok(file) => file,
        Err(why) => return Ok(Err(why)),
    };
    let ran = match how {
        How::Peer(_) => runner.abc(&file)?,
        _ => runner.ours(&file, &["--engine", "ic3"])?,
    };
    // Circuits of many processes are large, so each file is deleted after use.
    let _ = std::fs::remove_file(&file);
    Ok(Ok(ran))
}
