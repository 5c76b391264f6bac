//! `impasse-bench mcc --examination E`: the other examinations of the contest on the nets of the corpus, with the
//! answers in `expected_more.csv`.

use crate::args::MccArgs;
use crate::measure::Bench;
use crate::nets;
use crate::process;
use crate::publish::{publish, section};
use crate::table::Table;
use crate::units;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The global properties, each with its question in `--ask`.
const GLOBAL: [(&str, &str); 4] = [
    ("Liveness", "LIVENESS"),
    ("QuasiLiveness", "QUASILIVENESS"),
    ("StableMarking", "STABLEMARKING"),
    ("OneSafe", "ONESAFE"),
];

#[derive(Deserialize)]
struct ExpectedRow {
    instance: String,
    #[serde(default)]
    examination: Option<String>,
    property: String,
    answer: String,
}

/// An instance of the contest, with the known answers of an examination by the names of the properties.
struct Instance {
    name: String,
    folder: PathBuf,
    known: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct Report {
    properties: Vec<Answer>,
}

#[derive(Deserialize)]
struct Answer {
    id: String,
    asked: String,
    verdict: String,
    value: Option<serde_json::Value>,
    reason: Option<String>,
    engine: String,
    evidence: Option<Evidence>,
}

#[derive(Deserialize)]
struct Evidence {
    kind: String,
}

impl Answer {
    /// Returns the answer in the words of the contest.
    fn text(&self) -> Option<String> {
        let is_true = match self.verdict.as_str() {
            "value" => return self.value.as_ref().map(|value| value.to_string().trim_matches('"').to_owned()),
            "safe" => self.asked != "EF",
            "unsafe" => self.asked == "EF",
            _ => return None,
        };
        Some(if is_true { "TRUE" } else { "FALSE" }.to_owned())
    }

    /// Returns what the answer rests on, or why there is none.
    fn by(&self) -> String {
        match (&self.evidence, &self.reason) {
            (_, Some(reason)) => format!("unknown: {reason}"),
            (Some(evidence), None) => format!("{} by {}", evidence.kind, self.engine),
            (None, None) => self.engine.clone(),
        }
    }
}

/// What came out of an examination.
#[derive(Default)]
struct Score {
    asked: usize,
    known: usize,
    answered: usize,
    right: usize,
    cpu: f64,
    wrong: Vec<String>,
    open: Vec<(String, String)>,
    by: BTreeMap<String, usize>,
}

/// Runs the chosen examinations. Returns false if an answer is wrong.
///
/// # Errors
///
/// If the benchmark could not run.
pub(crate) fn run(all_args: &MccArgs) -> io::Result<bool> {
    let args = &all_args.net;
    let folder = args.corpus.join(if all_args.coloured { "mcc_col" } else { "mcc" });
    let bench = nets::bench(args)?;
    let mut text = String::new();
    let mut table = Table::new(&["examination", "asked", "known", "answered", "right", "wrong", "CPU s"]);
    let (mut by, mut open, mut wrong) = (
        Table::new(&["examination", "evidence", "answers"]),
        Table::new(&["examination", "property", "why"]),
        Table::new(&["examination", "answer"]),
    );
    for examination in &all_args.examination {
        let Some(instances) = instances(&folder, examination)? else {
            return nets::no_corpus(args, "mcc/expected_more.csv");
        };
        let score = examine(&bench, examination, &instances, args)?;
        table.push(vec![
            examination.clone(),
            score.asked.to_string(),
            score.known.to_string(),
            score.answered.to_string(),
            score.right.to_string(),
            score.wrong.len().to_string(),
            units::seconds(score.cpu),
        ]);
        for (what, count) in &score.by {
            by.push(vec![examination.clone(), what.clone(), count.to_string()]);
        }
        for (property, why) in &score.open {
            open.push(vec![examination.clone(), property.clone(), why.clone()]);
        }
        score.wrong.iter().for_each(|answer| wrong.push(vec![examination.clone(), answer.clone()]));
    }
    section(&mut text, "Examinations", &table);
    section(&mut text, "Evidence of the answers", &by);
    if !open.is_empty() {
        section(&mut text, "Not decided", &open);
    }
    if !wrong.is_empty() {
        section(&mut text, "Wrong", &wrong);
    }
    publish(&text, args.markdown.as_deref(), &table, args.csv.as_deref())?;
    Ok(wrong.is_empty())
}

fn examine(bench: &Bench, examination: &str, instances: &[Instance], args: &crate::args::NetArgs) -> io::Result<Score> {
    let mut score = Score::default();
    let chosen: Vec<&Instance> = instances.iter().filter(|i| nets::is_chosen(args, &i.name)).collect();
    for (number, instance) in chosen.iter().enumerate() {
        let Some(model) = existing(&instance.folder, "model.pnml") else { continue };
        let mut command = bench.command(&model);
        match GLOBAL.iter().find(|(name, _)| *name == examination) {
            Some((name, word)) => command.args(["--ask", &format!("{name}: {word}")]),
            None => match existing(&instance.folder, &format!("{examination}.xml")) {
                Some(file) => command.arg("--properties").arg(file),
                None => continue,
            },
        };
        let run = process::run(&mut command, bench.limits())?;
        score.cpu += run.cpu;
        score.asked += instance.known.len();
        score.known += instance.known.values().filter(|answer| !answer.is_empty()).count();
        let answers = serde_json::from_str::<Report>(&run.stdout).map_or(Vec::new(), |report| report.properties);
        let before = score.answered;
        instance.judge(&answers, &mut score);
        let line = format!("{}/{} {}: {} answers", number + 1, chosen.len(), instance.name, score.answered - before);
        writeln!(io::stderr(), "{examination} {line}, {} s", units::seconds(run.cpu))?;
    }
    Ok(score)
}

impl Instance {
    fn judge(&self, answers: &[Answer], score: &mut Score) {
        for (property, known) in &self.known {
            let Some(answer) = answers.iter().find(|answer| answer.id == *property) else {
                score.open.push((format!("{} {property}", self.name), "no report".to_owned()));
                *score.by.entry("no report".to_owned()).or_default() += 1;
                continue;
            };
            *score.by.entry(answer.by()).or_default() += 1;
            match answer.text() {
                None => score.open.push((property.clone(), answer.by())),
                Some(text) => {
                    score.answered += 1;
                    score.right += usize::from(text == *known);
                    if !known.is_empty() && text != *known {
                        score.wrong.push(format!("{property}: {text}, and the contest says {known}"));
                    }
                }
            }
        }
    }
}

/// Returns the instances with the known answers of an examination. `None` if there is no such table.
fn instances(folder: &Path, examination: &str) -> io::Result<Option<Vec<Instance>>> {
    let is_reachability = examination == "ReachabilityCardinality";
    let path = folder.join(if is_reachability { "expected.csv" } else { "expected_more.csv" });
    if !path.is_file() {
        return Ok(None);
    }
    let rows: Result<Vec<ExpectedRow>, csv::Error> =
        csv::Reader::from_path(&path).and_then(|reader| reader.into_deserialize().collect());
    let rows = rows.map_err(|e| io::Error::other(format!("{}: {e}", path.display())))?;
    let mut instances: BTreeMap<String, Instance> = BTreeMap::new();
    for row in rows {
        let is_meant = match &row.examination {
            Some(of) => of == examination,
            None => row.property.contains("-ReachabilityCardinality-"),
        };
        if is_meant {
            let own = folder.join(&row.instance);
            let new = || Instance { name: row.instance.clone(), folder: own, known: BTreeMap::new() };
            let instance = instances.entry(row.instance.clone()).or_insert_with(new);
            instance.known.insert(row.property, row.answer);
        }
    }
    Ok(Some(instances.into_values().collect()))
}

/// Returns the file of this name, plain or compressed.
fn existing(folder: &Path, name: &str) -> Option<PathBuf> {
    [name.to_owned(), format!("{name}.xz")].into_iter().map(|n| folder.join(n)).find(|path| path.is_file())
}
