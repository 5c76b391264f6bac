//! `impasse-bench data`: programs with data and known answers, and Z3's engine Spacer on the same questions.
//!
//! Spacer gets the Horn clauses of each question as text ([`programs::symbolic::horn_clauses`]) and answers without a
//! proof. Our time is that of the whole process, for all questions of a file, with the check of the evidence.

use crate::answer::Report;
use crate::args::DataArgs;
use crate::corpus::Verdict;
use crate::measure::Bench;
use crate::process::{self, Finished};
use crate::publish::{publish, section};
use crate::table::Table;
use crate::tool;
use model::{Goal, Stop};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;
use std::process::Command;

/// A known answer.
#[derive(serde::Deserialize)]
struct Known {
    file: String,
    property: String,
    verdict: Verdict,
}

/// Counts of answers and their CPU seconds.
#[derive(Default)]
struct Tally {
    right: u64,
    wrong: u64,
    open: u64,
    /// Seconds for files of which both answer all questions.
    seconds: f64,
}

impl Tally {
    fn add(&mut self, found: Verdict, known: Verdict) {
        *match found {
            Verdict::Unknown => &mut self.open,
            found if found == known => &mut self.right,
            _ => &mut self.wrong,
        } += 1;
    }
}

/// Runs the suite. Returns false if an answer is wrong.
///
/// # Errors
///
/// If the benchmark could not run.
pub(crate) fn run(args: &DataArgs) -> io::Result<bool> {
    let impasse = tool::find(args.impasse.as_deref())?;
    let bench = Bench { impasse, timeout: args.timeout, memory: args.memory, repeat: 1 };
    let mut text = String::new();
    let mut runs = Table::new(&[
        "file",
        "answers",
        "not right",
        "engines",
        "CPU s",
        "MiB",
        "Z3",
        "controls",
        "Spacer",
        "its CPU s",
    ]);
    let mut is_right = true;
    for folder in ["with_data", "unbounded"] {
        let (mut ours, mut theirs) = (Tally::default(), Tally::default());
        for (file, known) in known(&args.programs.join(folder), &args.only)? {
            let path = args.programs.join(folder).join(&file);
            let (cells, seconds, all) = check(&bench, &path, &known, &mut ours)?;
            let mut row = vec![format!("{folder}/{file}")];
            row.extend(cells);
            match args.z3.as_deref().filter(|_| folder == "unbounded") {
                Some(z3) => {
                    let (answers, spent, both) = spacer(&bench, z3, &path, &known, &mut theirs)?;
                    if all && both {
                        ours.seconds += seconds;
                        theirs.seconds += spent;
                    }
                    row.extend([answers, format!("{spent:.3}")]);
                }
                None => row.extend([String::new(), String::new()]),
            }
            writeln!(io::stderr(), "{}", row.join(" | "))?;
            runs.push(row);
        }
        is_right &= ours.wrong == 0;
        let _ = writeln!(text, "{folder}: {} right, {} unknown, {} wrong.", ours.right, ours.open, ours.wrong);
        if theirs.right + theirs.open + theirs.wrong > 0 {
            let _ = writeln!(text, "Spacer: {} right, {} unknown, {} wrong.", theirs.right, theirs.open, theirs.wrong);
            let ratio = ours.seconds / theirs.seconds.max(0.001);
            let _ = writeln!(
                text,
                "Files of which both answer all questions: {:.1} CPU s, Spacer {:.1} CPU s, ratio {ratio:.2}.",
                ours.seconds, theirs.seconds
            );
        }
        text.push('\n');
    }
    section(&mut text, "Runs", &runs);
    publish(&text, args.markdown.as_deref(), &runs, args.csv.as_deref())?;
    Ok(is_right)
}

/// Returns the known answers of a folder, by file. Properties without an answer of their own (hot states) are left out.
fn known(folder: &Path, only: &[String]) -> io::Result<BTreeMap<String, Vec<Known>>> {
    let mut files: BTreeMap<String, Vec<Known>> = BTreeMap::new();
    for row in csv::Reader::from_path(folder.join("expected.csv"))?.deserialize() {
        let row: Known = row?;
        if only.is_empty() || only.iter().any(|part| row.file.contains(part)) {
            files.entry(row.file.clone()).or_default().push(row);
        }
    }
    Ok(files)
}

/// Runs the tool. Returns cells of the table, the CPU seconds, and whether all answers are right.
fn check(bench: &Bench, path: &Path, known: &[Known], tally: &mut Tally) -> io::Result<(Vec<String>, f64, bool)> {
    let finished = process::run(&mut bench.command(path), bench.limits())?;
    let properties = Report::parse(&finished.stdout).map_or_else(|_| Vec::new(), |report| report.properties);
    let (mut answers, mut failures, mut engines) = (Vec::new(), Vec::new(), Vec::new());
    let (mut queries, mut controls) = (0, 0);
    for question in known {
        let found = properties.iter().find(|property| property.id == question.property);
        let verdict = found.map_or(Verdict::Unknown, |property| property.verdict);
        tally.add(verdict, question.verdict);
        answers.push(format!("{}: {verdict:?}", question.property).to_lowercase());
        if verdict != question.verdict {
            failures.push(question.property.clone());
        }
        if let Some(property) = found {
            engines.push(property.engine.clone());
            queries += property.stats.z3_queries.unwrap_or(0);
            controls = controls.max(property.stats.states);
        }
    }
    engines.dedup();
    let all = failures.is_empty();
    let cells = vec![
        answers.join(", "),
        failures.join(", "),
        engines.join(", "),
        format!("{:.3}", finished.cpu),
        format!("{:.1}", finished.peak as f64 / f64::from(1 << 20)),
        queries.to_string(),
        controls.to_string(),
    ];
    Ok((cells, finished.cpu, all))
}

/// Asks Spacer. Returns its answers, its CPU seconds, and whether all answers are right.
fn spacer(
    bench: &Bench,
    z3: &Path,
    path: &Path,
    known: &[Known],
    tally: &mut Tally,
) -> io::Result<(String, f64, bool)> {
    let source = formats::Source { name: path.display().to_string(), bytes: std::fs::read(path)? };
    let read = readers::read(source, None, &formats::Limits::default()).ok();
    let (mut answers, mut seconds, mut all) = (Vec::new(), 0.0, true);
    for question in known {
        let goal = if question.property == "bad" { Goal::Bad } else { Goal::Deadlock };
        let program = read.as_ref().and_then(|read| read.problem.system().as_data());
        let clauses = program.and_then(|program| programs::symbolic::horn_clauses(program, goal, &Stop::default()));
        let mut verdict = Verdict::Unknown;
        if let Some(clauses) = clauses {
            let finished = ask(bench, z3, &clauses)?;
            seconds += finished.cpu;
            verdict = match finished.stdout.trim() {
                "sat" => Verdict::Safe,
                "unsat" => Verdict::Unsafe,
                _ => Verdict::Unknown,
            };
        }
        tally.add(verdict, question.verdict);
        all &= verdict == question.verdict;
        answers.push(format!("{verdict:?}").to_lowercase());
    }
    Ok((answers.join(", "), seconds, all))
}

fn ask(bench: &Bench, z3: &Path, clauses: &str) -> io::Result<Finished> {
    let file = tempfile::Builder::new().suffix(".smt2").tempfile()?;
    std::fs::write(file.path(), clauses)?;
    let mut command = Command::new(z3);
    command.arg(format!("-T:{}", bench.timeout.as_secs().max(1))).arg(file.path());
    process::run(&mut command, bench.limits())
}
