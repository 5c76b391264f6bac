//! The six unsafe nets of the MIST collection: time and memory, with recorded figures of other tools.

use super::Report;
use super::run::{Runner, Said, limits_of};
use crate::args::Ic3Args;
use crate::nets::{self, corpus};
use crate::table::Table;
use crate::units;
use serde::Deserialize;
use std::io;
use std::path::Path;

/// The compared engines.
const ENGINES: [&str; 4] = ["ic3.ttscov", "ic3.bits", "ic3", "auto"];

/// The name of the suite.
const SUITE: &str = "mist-PN";

/// The recorded figures of a peer, measured once on another machine.
#[derive(Deserialize)]
struct Recorded {
    tool: String,
    suite: String,
    instance: String,
    verdict: String,
    cpu_seconds: String,
    #[serde(rename = "peak_rss_MiB")]
    peak: String,
}

pub(super) fn measure(args: &Ic3Args, runner: &mut Runner, report: &mut Report) -> io::Result<()> {
    let Some(mut all) = corpus::petri(&args.net.corpus)? else {
        report.note("Unsafe nets: skipped: no corpus");
        return Ok(());
    };
    all.retain(|n| {
        n.suite == SUITE && n.verdict == crate::corpus::Verdict::Unsafe && nets::is_chosen(&args.net, &n.name)
    });
    let recorded = recorded(&args.net.corpus.join("../baselines/petri.csv"))?;
    let mut table = Table::new(&["net", "tool or engine", "verdict", "length", "CPU s", "MiB"]);
    for net in &all {
        for engine in ENGINES {
            let ran = runner.ours(&net.path, &["--engine", engine])?;
            report.runs += 1;
            if ran.said == Said::Safe {
                report.wrong.push(format!("{engine} {}: safe", net.name));
            }
            let length = ran.first().and_then(|p| p.evidence.as_ref()?.length);
            table.push(vec![
                net.name.clone(),
                engine.to_owned(),
                ran.said.word().to_owned(),
                length.map_or(String::new(), |n| n.to_string()),
                units::seconds(ran.cpu),
                units::mebibytes(ran.peak),
            ]);
        }
        for peer in recorded.iter().filter(|r| r.suite == SUITE && r.instance == net.name) {
            let by = format!("{} (recorded)", peer.tool);
            let cells = [by, peer.verdict.clone(), String::new(), peer.cpu_seconds.clone(), peer.peak.clone()];
            table.push([net.name.clone()].into_iter().chain(cells).collect());
        }
    }
    report.table(&format!("Unsafe MIST nets, {} each", limits_of(&runner.bench)), &table);
    if recorded.is_empty() {
        report.note("No recorded figures: no `../baselines/petri.csv` beside the corpus.");
    }
    Ok(())
}

fn recorded(path: &Path) -> io::Result<Vec<Recorded>> {
    if !path.is_file() {
        return Ok(Vec::new());
    }
    let rows: Result<Vec<Recorded>, csv::Error> =
        csv::Reader::from_path(path).and_then(|r| r.into_deserialize().collect());
    rows.map_err(|e| io::Error::other(format!("{}: {e}", path.display())))
}
