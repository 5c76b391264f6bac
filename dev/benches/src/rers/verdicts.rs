//! Right, wrong and missing answers, for each problem, with separate rows for errors and formulas. Answers
//! without an official source are counted separately. If such an answer differs from ours, one of the two is
//! wrong, but it is not known which.

use super::corpus::{Expected, Problem};
use super::{Context, Report};
use crate::answer::{self, Property};
use crate::corpus::Verdict;
use crate::process::{self, Finished};
use crate::table::Table;
use crate::units;
use std::collections::BTreeMap;
use std::io::{self, Write};

const HEAD: [&str; 14] = [
    "problem",
    "kind",
    "properties",
    "right",
    "wrong",
    "open",
    "agree with unofficial",
    "differ from unofficial",
    "without known answer",
    "violated",
    "CPU s",
    "wall s",
    "peak MiB",
    "engines",
];

/// Exit code for a wrong command line. A problem without properties has this code.
const USAGE: i32 = 64;

/// Comparison of the answers of one kind with the known ones.
#[derive(Default)]
struct Tally {
    right: u32,
    wrong: u32,
    open: u32,
    /// Number of answers about properties for which no official source states the answer: the recorded answer
    /// agrees; it differs; there is no recorded answer.
    agree: u32,
    differ: u32,
    new: u32,
    violated: u32,
}

impl Tally {
    /// Counts an answer. Returns true if it is wrong.
    fn count(&mut self, verdict: Verdict, known: Option<&Expected>) -> bool {
        let is_violated = match verdict {
            Verdict::Safe => false,
            Verdict::Unsafe => true,
            Verdict::Unknown => {
                self.open += 1;
                return false;
            }
        };
        self.violated += u32::from(is_violated);
        let wrong = self.wrong;
        *match known {
            Some(known) if known.is_official && known.is_violated == is_violated => &mut self.right,
            Some(known) if known.is_official => &mut self.wrong,
            Some(known) if known.is_violated == is_violated => &mut self.agree,
            Some(_) => &mut self.differ,
            None => &mut self.new,
        } += 1;
        self.wrong > wrong
    }

    fn add(&mut self, other: &Tally) {
        let Tally { right, wrong, open, agree, differ, new, violated } = other;
        self.right += right;
        self.wrong += wrong;
        self.open += open;
        self.agree += agree;
        self.differ += differ;
        self.new += new;
        self.violated += violated;
    }

    fn cells(&self) -> Vec<String> {
        let Tally { right, wrong, open, agree, differ, new, violated } = *self;
        let asked = right + wrong + open + agree + differ + new;
        [asked, right, wrong, open, agree, differ, new, violated].iter().map(u32::to_string).collect()
    }
}

/// Runs each problem once with all its properties.
pub(super) fn measure(problems: &[&Problem], context: &Context<'_>, report: &mut Report) -> io::Result<()> {
    let mut table = Table::new(&HEAD);
    let mut all: BTreeMap<&str, Tally> = BTreeMap::new();
    for (done, problem) in problems.iter().enumerate() {
        let name = problem.name();
        let finished = ask(problem, context)?;
        let seconds = units::seconds(finished.wall);
        let _ = writeln!(io::stderr(), "[{}/{}] {name} {seconds} s", done + 1, problems.len());
        let cost = [units::seconds(finished.cpu), seconds, units::mebibytes(finished.peak)];
        match answer::Report::parse(&finished.stdout) {
            Ok(answers) => {
                for (kind, title) in [("error:", "errors"), ("ltl:", "formulas")] {
                    let of_kind: Vec<&Property> =
                        answers.properties.iter().filter(|p| p.id.starts_with(kind)).collect();
                    if of_kind.is_empty() {
                        continue;
                    }
                    let (tally, engines) = compare(problem, &of_kind, report);
                    all.entry(title).or_default().add(&tally);
                    table.push(row(&name, title, &tally, &cost, engines));
                }
            }
            // Programs without labels and formulas have no properties.
            Err(_) if finished.code == Some(USAGE) && problem.known.is_empty() => {
                table.push(row(&name, "no property", &Tally::default(), &cost, String::new()));
            }
            Err(why) => report.wrong.push(format!("{name}: {why} (exit code {:?})", finished.code)),
        }
    }
    for (title, tally) in &all {
        table.push(row("all", title, tally, &Default::default(), String::new()));
    }
    let title = format!("Verdicts, {} s for each problem", context.bench.timeout.as_secs_f64());
    report.table(&title, "verdicts", &table, context)
}

fn ask(problem: &Problem, context: &Context<'_>) -> io::Result<Finished> {
    let folder = tempfile::tempdir()?;
    let (program, formulas) = problem.unpack(folder.path())?;
    let mut command = context.bench.command(&program);
    if let Some(formulas) = &formulas {
        command.arg("--properties").arg(formulas);
    }
    process::run(&mut command, context.bench.limits())
}

/// Counts the answers, in total and by engine.
fn compare(problem: &Problem, properties: &[&Property], report: &mut Report) -> (Tally, String) {
    let mut tally = Tally::default();
    let mut engines: BTreeMap<&str, u32> = BTreeMap::new();
    for property in properties {
        if tally.count(property.verdict, problem.known.get(&property.id)) {
            report.wrong.push(format!("{} {}", problem.name(), property.id));
        }
        if property.verdict != Verdict::Unknown {
            *engines.entry(&property.engine).or_default() += 1;
            if !property.evidence.as_ref().is_some_and(|e| e.checked) {
                report.wrong.push(format!("{} {}: not checked", problem.name(), property.id));
            }
        }
    }
    let engines: Vec<String> = engines.iter().map(|(engine, n)| format!("{engine} {n}")).collect();
    (tally, engines.join(", "))
}

fn row(name: &str, kind: &str, tally: &Tally, cost: &[String; 3], engines: String) -> Vec<String> {
    let head = [name.to_owned(), kind.to_owned()];
    head.into_iter().chain(tally.cells()).chain(cost.iter().cloned()).chain([engines]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_official_answers_make_ours_wrong() {
        let known = |is_violated, is_official| Expected { is_violated, is_official };
        let mut tally = Tally::default();
        assert!(!tally.count(Verdict::Safe, Some(&known(false, true))));
        assert!(tally.count(Verdict::Safe, Some(&known(true, true))));
        assert!(!tally.count(Verdict::Unsafe, Some(&known(false, false))));
        assert!(!tally.count(Verdict::Unsafe, Some(&known(true, false))));
        assert!(!tally.count(Verdict::Unknown, Some(&known(true, true))));
        assert!(!tally.count(Verdict::Safe, None));
        assert_eq!(tally.cells(), ["6", "1", "1", "1", "1", "1", "1", "2"]);
    }
}
