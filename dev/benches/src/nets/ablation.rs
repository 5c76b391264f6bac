//! The properties that each engine decides alone: every net of the corpus and of the families, once with each
//! engine.

use crate::corpus::Verdict;
use crate::judge::Judged;
use crate::measure::{Bench, Row, row, show_progress};
use crate::nets::corpus::Net;
use crate::nets::families::Case;
use crate::nets::judge;
use crate::table::Table;
use crate::units;
use std::io;
use std::path::Path;

const ENGINES: [&str; 9] =
    ["concurrency", "ic3", "equation", "cover.greedy", "cover.astar", "cover.backward", "walk", "explicit", "auto"];

/// Totals of one engine on one suite.
#[derive(Clone, Copy, Default)]
struct Score {
    decided: usize,
    of: usize,
    cpu: f64,
}

/// Runs every net and case with every engine. The table contains decided properties and CPU seconds.
///
/// # Errors
///
/// If a process does not run.
pub(crate) fn measure(bench: &Bench, corpus: &Path, nets: &[Net], cases: &[Case]) -> io::Result<(Table, Vec<Row>)> {
    let mut head = vec!["suite", "properties"];
    head.extend(ENGINES);
    let mut table = Table::new(&head);
    let mut rows = Vec::new();
    let mut suites: Vec<&str> = nets.iter().map(|n| n.suite.as_str()).collect();
    suites.dedup();
    for suite in suites {
        let own: Vec<&Net> = nets.iter().filter(|n| n.suite == suite).collect();
        let run = |i: usize, engine: &'static str| {
            let args = ["--engine".to_owned(), engine.to_owned()];
            judge::check(bench, &own[i].path, &args, |_| Some(own[i].verdict))
        };
        let name = |i: usize| format!("{suite}/{}", own[i].name);
        table.push(line(suite, own.len(), &name, &run, &mut rows)?);
    }
    let mut families: Vec<&str> = cases.iter().map(|c| c.family).collect();
    families.dedup();
    for family in families {
        let own: Vec<&Case> = cases.iter().filter(|c| c.family == family).collect();
        let run = |i: usize, engine: &'static str| own[i].run(bench, corpus, engine);
        table.push(line(family, own.len(), &|i| own[i].title(), &run, &mut rows)?);
    }
    Ok((table, rows))
}

type Run = (crate::process::Finished, Judged);

/// Runs the `count` models of a suite with every engine.
fn line(
    suite: &str,
    count: usize,
    name: &dyn Fn(usize) -> String,
    run: &dyn Fn(usize, &'static str) -> io::Result<Run>,
    rows: &mut Vec<Row>,
) -> io::Result<Vec<String>> {
    let mut scores = [Score::default(); ENGINES.len()];
    for i in 0..count {
        let mut own = Vec::new();
        for (engine, score) in ENGINES.into_iter().zip(&mut scores) {
            let run = run(i, engine)?;
            let properties = run.1.report.iter().flat_map(|r| &r.properties);
            score.decided += properties.clone().filter(|p| p.verdict != Verdict::Unknown).count();
            score.of += properties.count().max(1);
            score.cpu += run.0.cpu;
            own.push(row(&name(i), engine, &[run]));
        }
        show_progress(i + 1, count, &own);
        rows.extend(own);
    }
    let of = scores.iter().map(|s| s.of).max().unwrap_or(0);
    let cell = |s: &Score| format!("{} in {} s", s.decided, units::seconds(s.cpu));
    Ok([suite.to_owned(), of.to_string()].into_iter().chain(scores.iter().map(cell)).collect())
}
