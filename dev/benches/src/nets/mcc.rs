//! `impasse-bench mcc`: the contest nets of the corpus with all their properties.

use crate::args::MccArgs;
use crate::corpus::Verdict;
use crate::judge::Judged;
use crate::measure::{Bench, Row, row, show_progress};
use crate::nets::corpus::{self, Contest};
use crate::nets::{self, examinations, is_wrong, judge};
use crate::publish::{publish, section};
use crate::search;
use crate::table::{self, Table};
use crate::units;
use model::QuestionForm;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The quick check takes nets with a model of at most this many bytes.
const QUICK_BYTES: u64 = 1_200;

/// The answer about one property.
struct Answered {
    instance: String,
    property: String,
    kind: String,
    /// True if the tools of the contest agree on an answer.
    known: bool,
    /// True if the tools of the contest agree on a different answer.
    wrong: bool,
    verdict: Verdict,
    engine: String,
    /// The kind of evidence, or the reason why there is no answer.
    evidence: String,
}

impl Answered {
    fn by(&self) -> String {
        match self.verdict {
            Verdict::Unknown => self.evidence.clone(),
            _ => format!("{} by {}", self.evidence, self.engine),
        }
    }
}

/// Runs the selected nets. Returns false if an answer is wrong.
///
/// # Errors
///
/// If the benchmark could not run.
pub(crate) fn run(all_args: &MccArgs) -> io::Result<bool> {
    if !all_args.examination.is_empty() {
        return examinations::run(all_args);
    }
    let args = &all_args.net;
    let Some(mut all) = corpus::mcc(&args.corpus)? else { return nets::no_corpus(args, "mcc/expected.csv") };
    all.retain(|n| nets::is_chosen(args, &n.instance));
    if args.quick {
        all.retain(|n| n.model.metadata().is_ok_and(|m| m.len() <= QUICK_BYTES));
    }
    let bench = nets::bench(args)?;
    let mut rows: Vec<Row> = Vec::new();
    let mut answers: Vec<Answered> = Vec::new();
    for (i, net) in all.iter().enumerate() {
        let properties = u32::try_from(net.known.len()).unwrap_or(u32::MAX);
        let timeout = all_args.each.map_or(bench.timeout, |each| each.saturating_mul(properties));
        let (row, own) = once(&Bench { timeout, ..bench.clone() }, net)?;
        rows.push(row);
        answers.extend(own);
        show_progress(i + 1, all.len(), &rows[rows.len() - 1..]);
    }
    let mut text = String::new();
    section(&mut text, "Contest properties", &by_kind(&answers));
    section(&mut text, "Evidence of the answers", &by_evidence(&answers));
    let (cpu, complete) = (rows.iter().map(|r| r.cpu).sum(), rows.iter().filter(|r| r.status.word() == "ok").count());
    text.push_str(&format!(
        "{} nets, {complete} of them with all properties answered; {} CPU seconds.\n\n",
        rows.len(),
        units::seconds(cpu)
    ));
    let open = undecided(&answers);
    if !open.is_empty() {
        section(&mut text, "Not decided", &open);
    }
    if let Some(path) = &all_args.answers {
        one_by_one(&answers).write_csv(path)?;
    }
    let wrongs = nets::wrongs(&rows);
    if !wrongs.is_empty() {
        section(&mut text, "Wrong", &wrongs);
    }
    publish(&text, args.markdown.as_deref(), &table::csv_of_rows(&rows), args.csv.as_deref())?;
    let wrong = rows.iter().filter(|r| is_wrong(&r.status)).count();
    writeln!(io::stdout(), "{} nets, {wrong} wrong", rows.len())?;
    Ok(wrong == 0)
}

/// Runs one net with all its formulas and the deadlock property.
fn once(bench: &Bench, net: &Contest) -> io::Result<(Row, Vec<Answered>)> {
    let known = known(net)?;
    let mut args = vec!["--properties".to_owned(), net.formulas.display().to_string()];
    for id in net.known.keys() {
        args.extend(["--property".to_owned(), id.clone()]);
    }
    let run = judge::check(bench, &net.model, &args, &known)?;
    let answers = answers(net, &run.1, &known);
    Ok((row(&net.instance, "auto", &[run]), answers))
}

/// Returns a function for the expected verdicts of the net's properties. It returns `None` if the tools of the
/// contest do not agree.
pub(crate) fn known(net: &Contest) -> io::Result<impl Fn(&str) -> Option<Verdict> + use<>> {
    let asked = asked(net)?;
    let verdict = |(id, known): (&String, &corpus::Expected)| {
        // `EF goal` is true if and only if the goal is reachable, `AG not goal` if and only if it is not. The
        // deadlock property has the first form.
        let reachable = known.answer? != (asked.get(id) == Some(&QuestionForm::Always));
        Some((id.clone(), if reachable { Verdict::Unsafe } else { Verdict::Safe }))
    };
    let verdicts: BTreeMap<String, Verdict> = net.known.iter().filter_map(verdict).collect();
    Ok(move |id: &str| verdicts.get(id).copied())
}

/// Returns the form of each formula.
fn asked(net: &Contest) -> io::Result<BTreeMap<String, QuestionForm>> {
    let mut problem = search::read(&net.model)?;
    let bytes = std::fs::read(&net.formulas)?;
    let source = formats::Source { name: net.formulas.display().to_string(), bytes };
    readers::read_goals(source, None, &mut problem, &formats::Limits::default())
        .map_err(|e| io::Error::other(e.to_string()))?;
    Ok(problem.properties().iter().map(|p| (p.id.clone(), p.asked)).collect())
}

fn answers(net: &Contest, judged: &Judged, expected: impl Fn(&str) -> Option<Verdict>) -> Vec<Answered> {
    let answer = |(id, known): (&String, &corpus::Expected)| {
        let property = judged.report.as_ref().and_then(|r| r.about(id));
        let evidence = match property {
            Some(p) => p.evidence.as_ref().map_or(p.reason.clone().unwrap_or_default(), |e| e.kind.clone()),
            None => "no report".to_owned(),
        };
        let verdict = property.map_or(Verdict::Unknown, |p| p.verdict);
        Answered {
            instance: net.instance.clone(),
            property: id.clone(),
            kind: known.kind.clone(),
            known: known.answer.is_some(),
            wrong: verdict != Verdict::Unknown && expected(id).is_some_and(|v| v != verdict),
            verdict,
            engine: property.map(|p| p.engine.clone()).unwrap_or_default(),
            evidence,
        }
    };
    net.known.iter().map(answer).collect()
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Safe => "unreachable",
        Verdict::Unsafe => "reachable",
        Verdict::Unknown => "unknown",
    }
}

/// Returns a table of all answers.
fn one_by_one(answers: &[Answered]) -> Table {
    let mut table = Table::new(&["instance", "property", "kind", "verdict", "engine", "evidence", "wrong"]);
    for a in answers {
        table.push(vec![
            a.instance.clone(),
            a.property.clone(),
            a.kind.clone(),
            word(a.verdict).to_owned(),
            a.engine.clone(),
            a.evidence.clone(),
            a.wrong.to_string(),
        ]);
    }
    table
}

/// Returns a table of the undecided properties, net by net.
fn undecided(answers: &[Answered]) -> Table {
    let mut open: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for a in answers.iter().filter(|a| a.verdict == Verdict::Unknown) {
        // Names of properties begin with the name of the net.
        let name = a.property.rsplit('-').next().unwrap_or(&a.property);
        open.entry((&a.instance, &a.kind)).or_default().push(name);
    }
    let mut table = Table::new(&["net", "kind", "number", "properties"]);
    for ((instance, kind), names) in open {
        table.push(vec![instance.to_owned(), kind.to_owned(), names.len().to_string(), names.join(" ")]);
    }
    table
}

fn by_kind(answers: &[Answered]) -> Table {
    let mut table = Table::new(&[
        "kind",
        "properties",
        "with known answer",
        "answered",
        "reachable",
        "unreachable",
        "unknown",
        "wrong",
    ]);
    for kind in ["cover", "reach", "deadlock", "all"] {
        let own: Vec<&Answered> = answers.iter().filter(|a| kind == "all" || a.kind == kind).collect();
        let count = |verdict| own.iter().filter(|a| a.verdict == verdict).count();
        let (reachable, unreachable) = (count(Verdict::Unsafe), count(Verdict::Safe));
        table.push(vec![
            kind.to_owned(),
            own.len().to_string(),
            own.iter().filter(|a| a.known).count().to_string(),
            (reachable + unreachable).to_string(),
            reachable.to_string(),
            unreachable.to_string(),
            count(Verdict::Unknown).to_string(),
            own.iter().filter(|a| a.wrong).count().to_string(),
        ]);
    }
    table
}

fn by_evidence(answers: &[Answered]) -> Table {
    let mut counts: BTreeMap<(&str, String), usize> = BTreeMap::new();
    for answer in answers {
        *counts.entry((word(answer.verdict), answer.by())).or_insert(0) += 1;
    }
    let mut table = Table::new(&["answer", "evidence", "properties"]);
    for ((verdict, by), count) in counts {
        table.push(vec![verdict.to_owned(), by, count.to_string()]);
    }
    table
}
