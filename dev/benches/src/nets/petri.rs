//! `impasse-bench petri`: the nets of the corpus.

use crate::args::{NetArgs, PetriArgs};
use crate::corpus::Verdict;
use crate::judge::Status;
use crate::measure::{Bench, Row, row, show_progress};
use crate::nets::corpus::{self, Net};
use crate::nets::{self, ablation, families, is_wrong, judge, large, prepare, protocols};
use crate::publish::{publish, section};
use crate::table::{self, Table};
use crate::units;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The quick check takes nets with a file of at most this many bytes (compressed bytes, if it is compressed),
/// and this many processes.
const QUICK_BYTES: u64 = 3_000;
const QUICK_PROCESSES: u32 = 4;
const PROCESSES: u32 = 20;

/// Runs the selected parts. Returns false if an answer is wrong.
///
/// # Errors
///
/// If the benchmark could not run.
pub(crate) fn run(args: &PetriArgs) -> io::Result<bool> {
    let corpus = corpus::petri(&args.net.corpus)?;
    if corpus.is_none() && !args.families {
        return nets::no_corpus(&args.net, "petri/expected.csv");
    }
    let generated = if args.families || args.ablation {
        families::chosen(&args.net, families::all(&args.net.corpus))
    } else {
        Vec::new()
    };
    let mut all = corpus.unwrap_or_default();
    all.retain(|n| nets::is_chosen(&args.net, &format!("{}/{}", n.suite, n.name)));
    if args.net.quick {
        all.retain(|n| n.path.metadata().is_ok_and(|m| m.len() <= QUICK_BYTES));
    }
    let bench = nets::bench(&args.net)?;
    let mut text = String::new();
    let mut rows: Vec<Row> = Vec::new();
    let wanted = |part: bool| {
        part || !(args.prepare
            || args.auto
            || args.twins
            || args.protocols
            || args.families
            || args.ablation
            || !args.dpllt_bound.is_empty())
    };
    if wanted(args.prepare) {
        let (table, summary) = prepare::measure(&all, bench.limits())?;
        section(&mut text, "Reading and slicing", &table);
        text.push_str(&format!("{summary}\n{}\n", largest(&bench)?));
    }
    if wanted(args.auto) {
        let own = of_each(&bench, &all, "auto", &[])?;
        section(&mut text, &format!("auto, {} each", limits(&args.net)), &by_suite(&all, &own));
        section(&mut text, "Evidence of the answers", &by_evidence(&own));
        rows.extend(own);
    }
    if args.twins {
        let own = twins(&bench, &all)?;
        section(&mut text, "The same nets as thread-transition systems", &by_suite(&all, &own));
        rows.extend(own);
    }
    for bound in &args.dpllt_bound {
        let own = of_each(&bench, &all, "dpllt", &["--bound".to_owned(), bound.to_string()])?;
        section(&mut text, &format!("dpllt --bound {bound}, {} each", limits(&args.net)), &by_suite(&all, &own));
        section(&mut text, &format!("dpllt --bound {bound}: decided nets"), &decided(&own));
        rows.extend(own);
    }
    if wanted(args.protocols) {
        let most = if args.net.quick { QUICK_PROCESSES } else { PROCESSES };
        let own: Vec<Net> = all.iter().filter(|n| n.suite == "protocols").cloned().collect();
        let (table, own) = protocols::measure(&bench, &own, most)?;
        section(&mut text, "Protocols with a fixed number of processes", &table);
        rows.extend(own);
    }
    if args.families {
        let (summary, each, own) = families::measure(&bench, &args.net.corpus, &generated)?;
        section(&mut text, &format!("Generated families, {} each", limits(&args.net)), &summary);
        section(&mut text, "Generated families, one by one", &each);
        rows.extend(own);
    }
    if args.ablation {
        let (table, own) = ablation::measure(&bench, &args.net.corpus, &all, &generated)?;
        section(&mut text, &format!("Decided by each technique alone, {} each", limits(&args.net)), &table);
        rows.extend(own);
    }
    let wrongs = nets::wrongs(&rows);
    if !wrongs.is_empty() {
        section(&mut text, "Wrong", &wrongs);
    }
    publish(&text, args.net.markdown.as_deref(), &table::csv_of_rows(&rows), args.net.csv.as_deref())?;
    let wrong = rows.iter().filter(|r| is_wrong(&r.status)).count();
    writeln!(io::stdout(), "{} runs, {wrong} wrong", rows.len())?;
    Ok(wrong == 0)
}

fn limits(args: &NetArgs) -> String {
    format!("{} s and {} MiB", args.timeout.as_secs_f64(), args.memory >> 20)
}

/// Measures a generated net of the size of the largest known one.
fn largest(bench: &Bench) -> io::Result<String> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("large.spec");
    std::fs::write(&path, large::spec())?;
    let (cpu, peak) = prepare::measure_one(&path, bench.limits())?;
    let (cpu, peak) = (units::seconds(cpu), units::mebibytes(peak));
    Ok(format!("A generated net of 66,950 places and 213,635 transitions: {cpu} CPU seconds, peak {peak} MiB.\n"))
}

/// Runs every net once.
fn of_each(bench: &Bench, all: &[Net], engine: &'static str, more: &[String]) -> io::Result<Vec<Row>> {
    let args: Vec<String> =
        ["--engine".to_owned(), engine.to_owned()].into_iter().chain(more.iter().cloned()).collect();
    let mut rows = Vec::new();
    for (i, net) in all.iter().enumerate() {
        let run = judge::check(bench, &net.path, &args, |_| Some(net.verdict))?;
        rows.push(row(&name(net), engine, &[run]));
        show_progress(i + 1, all.len(), &rows[rows.len() - 1..]);
    }
    Ok(rows)
}

/// Runs the thread-transition systems beside the nets. A verdict that contradicts that of the net is wrong.
fn twins(bench: &Bench, all: &[Net]) -> io::Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (i, net) in all.iter().enumerate() {
        let Some(twin) = &net.twin else { continue };
        let run = judge::check(bench, twin, &[], |_| Some(net.verdict))?;
        rows.push(row(&name(net), "auto, twin", &[run]));
        show_progress(i + 1, all.len(), &rows[rows.len() - 1..]);
    }
    Ok(rows)
}

fn name(net: &Net) -> String {
    format!("{}/{}", net.suite, net.name)
}

/// Returns counts of verdicts, suite by suite.
fn by_suite(all: &[Net], rows: &[Row]) -> Table {
    let mut table = Table::new(&[
        "suite",
        "nets",
        "safe",
        "known safe",
        "unsafe",
        "known unsafe",
        "unknown",
        "wrong",
        "total CPU s",
        "worst CPU s",
        "peak MiB",
    ]);
    let mut suites: Vec<&str> = all.iter().map(|n| n.suite.as_str()).collect();
    suites.dedup();
    for suite in suites.into_iter().map(Some).chain([None]) {
        let own: Vec<(&Net, &Row)> = rows
            .iter()
            .filter_map(|r| all.iter().find(|n| name(n) == r.program).map(|n| (n, r)))
            .filter(|(n, _)| suite.is_none_or(|s| n.suite == s))
            .collect();
        let known = |verdict| own.iter().filter(|(n, _)| n.verdict == verdict).count().to_string();
        let found =
            |word: &str| own.iter().filter(|(_, r)| r.status == Status::Ok && r.verdict.starts_with(word)).count();
        let wrong = own.iter().filter(|(_, r)| is_wrong(&r.status)).count();
        let worst = own.iter().map(|(_, r)| r.cpu).fold(0.0, f64::max);
        table.push(vec![
            suite.unwrap_or("all").to_owned(),
            own.len().to_string(),
            found("safe").to_string(),
            known(Verdict::Safe),
            found("unsafe").to_string(),
            known(Verdict::Unsafe),
            (own.len() - found("safe") - found("unsafe") - wrong).to_string(),
            wrong.to_string(),
            units::seconds(own.iter().map(|(_, r)| r.cpu).sum()),
            units::seconds(worst),
            units::mebibytes(own.iter().map(|(_, r)| r.peak).max().unwrap_or(0)),
        ]);
    }
    table
}

/// Returns the number of answers for each engine and kind of evidence, and of missing answers for each reason.
fn by_evidence(rows: &[Row]) -> Table {
    let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
    for row in rows {
        let what = if row.status == Status::Ok { row.evidence.clone() } else { row.status.to_string() };
        let verdict = row.verdict.split(' ').next().unwrap_or_default().to_owned();
        *counts.entry((verdict, what)).or_insert(0) += 1;
    }
    let mut table = Table::new(&["verdict", "evidence", "nets"]);
    for ((verdict, what), count) in counts {
        table.push(vec![verdict, what, count.to_string()]);
    }
    table
}

/// Returns the decided nets with the counters of the search inside the SAT solver.
fn decided(rows: &[Row]) -> Table {
    let mut table = Table::new(&[
        "net",
        "verdict",
        "states",
        "splits",
        "components",
        "literals",
        "decisions",
        "conflicts",
        "CPU s",
    ]);
    for row in rows.iter().filter(|r| r.status == Status::Ok) {
        let count = |n: Option<u64>| table::optional(n, |n| n.to_string());
        table.push(vec![
            row.program.clone(),
            row.verdict.clone(),
            row.states.to_string(),
            count(row.splits),
            count(row.components),
            count(row.literals),
            count(row.decisions),
            count(row.conflicts),
            units::seconds(row.cpu),
        ]);
    }
    table
}
