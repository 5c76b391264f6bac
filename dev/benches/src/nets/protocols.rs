//! Cache protocols with a fixed number of processes. They are finite, so plain search and the search inside the
//! SAT solver must both prove them safe by exhaustion, with the same number of markings.

use crate::corpus::Verdict;
use crate::judge::{Judged, Status};
use crate::measure::{Bench, Row, row};
use crate::nets::corpus::Net;
use crate::nets::judge;
use crate::process::Finished;
use crate::search;
use crate::table::Table;
use crate::units;
use model::SystemModel;
use std::io;

/// Numbers of processes that the table shows. All numbers up to the largest one are run.
const SHOWN: [u32; 5] = [1, 2, 5, 10, 20];
/// A bound under which nothing can be proven, because more processes exist beyond it.
const BOUND: u32 = 6;

/// Runs every protocol with 1 to `most` processes on both engines, then with arbitrarily many processes under a
/// bound.
///
/// # Errors
///
/// If a process does not run.
pub(crate) fn measure(bench: &Bench, nets: &[Net], most: u32) -> io::Result<(Table, Vec<Row>)> {
    let mut table =
        Table::new(&["protocol", "processes", "states", "transitions", "explicit CPU s", "dpllt CPU s", "splits"]);
    let mut rows = Vec::new();
    for net in nets {
        let Some(open) = open_place(net)? else { continue };
        for n in 1..=most {
            let init = format!("{open}={n}");
            // Patterns are off for `dpllt`. Invariants would prove the goals without exploring a state, and
            // leave no counts to compare.
            let patterns = |engine: &str| if engine == "dpllt" { "none" } else { "all" };
            let args = |engine: &str| {
                ["--engine", engine, "--patterns", patterns(engine), "--init", &init].map(str::to_owned).to_vec()
            };
            let name = format!("{} {n}", net.name);
            let known = |_: &str| Some(Verdict::Safe);
            let explicit = judge::check(bench, &net.path, &args("explicit"), known)?;
            let mut dpllt = judge::check(bench, &net.path, &args("dpllt"), known)?;
            compare_counts(&explicit.1, &mut dpllt.1);
            let explicit = row(&name, "explicit", &[explicit]);
            let dpllt = row(&name, "dpllt", &[dpllt]);
            if SHOWN.contains(&n) || n == most {
                table.push(vec![
                    net.name.clone(),
                    n.to_string(),
                    explicit.states.to_string(),
                    explicit.transitions.to_string(),
                    units::seconds(explicit.cpu),
                    units::seconds(dpllt.cpu),
                    dpllt.splits.unwrap_or(0).to_string(),
                ]);
            }
            rows.extend([explicit, dpllt]);
        }
        for engine in ["explicit", "dpllt"] {
            let args = ["--engine", engine, "--bound", &BOUND.to_string()].map(str::to_owned);
            let mut run = judge::check(bench, &net.path, &args, |_| Some(Verdict::Safe))?;
            must_be_bounded(&mut run);
            rows.push(row(&format!("{} open, bound {BOUND}", net.name), engine, &[run]));
        }
    }
    Ok((table, rows))
}

/// Returns the name of the first place with an open initial count.
fn open_place(net: &Net) -> io::Result<Option<String>> {
    let problem = search::read(&net.path)?;
    let SystemModel::Net(model) = problem.system() else { return Ok(None) };
    let open = model.open_places().first().map(|&p| model.place(p).name.clone());
    Ok(open)
}

/// Compares the counts. Both searches are exhaustive, so the counts must be equal.
fn compare_counts(explicit: &Judged, dpllt: &mut Judged) {
    let counts = |judged: &Judged| {
        judged
            .report
            .as_ref()
            .map(|r| r.properties.iter().map(|p| (p.stats.states, p.stats.transitions)).collect::<Vec<_>>())
    };
    let (ours, theirs) = (counts(dpllt), counts(explicit));
    if dpllt.status == Status::Ok && ours != theirs {
        dpllt.status = Status::Wrong(format!("(states, transitions) {ours:?}, explicit has {theirs:?}"));
    }
}

fn must_be_bounded(run: &mut (Finished, Judged)) {
    run.1.status = match &run.1.status {
        Status::Unknown(reason) if reason == "bound" => Status::Ok,
        Status::Ok => Status::Wrong("a bounded search gives an answer for any number of processes".to_owned()),
        other => other.clone(),
    };
}
