//! `impasse-bench petri --families`: generated nets and thread-transition systems with answers that are known
//! by construction. A wrong answer is a bug. Missing answers show the limits of the tool.

mod broadcasts;
mod counting;
mod exclusion;
mod many;
mod pipelines;
mod processes;
mod spec;
mod walks;

use crate::args::GenerateArgs;
use crate::corpus::Verdict;
use crate::judge::{Judged, Status};
use crate::measure::{Bench, Row, row, show_progress};
use crate::nets::{is_chosen, judge};
use crate::process::{self, Finished, Limits};
use crate::table::Table;
use crate::units;
use serde::{Deserialize, Serialize};
use spec::Spec;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Time limit for the generation of a case.
const PATIENCE: Duration = Duration::from_secs(120);

/// The files of a case.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    /// The name of the file. Its extension determines the format.
    pub(crate) file: &'static str,
    pub(crate) text: String,
    /// Name and text of a file with goals: a `.prop` target or contest formulas.
    pub(crate) goals: Option<(&'static str, String)>,
}

/// The expected verdicts.
#[derive(Clone, Debug)]
pub(crate) enum Expected {
    Everything(Verdict),
    Each(BTreeMap<String, Verdict>),
}

impl Expected {
    pub(crate) fn of(&self, property: &str) -> Option<Verdict> {
        match self {
            Expected::Everything(verdict) => Some(*verdict),
            Expected::Each(known) => known.get(property).copied(),
        }
    }
}

/// A generated problem.
pub(crate) struct Case {
    pub(crate) family: &'static str,
    pub(crate) name: String,
    pub(crate) known: Expected,
    make: Box<dyn Fn() -> io::Result<Model>>,
}

impl Case {
    /// Creates a case from a net.
    fn net(family: &'static str, name: &str, verdict: Verdict, make: impl Fn() -> Spec + 'static) -> Self {
        Self::made(family, name, verdict, move || Ok(Model { file: "model.spec", text: make().text(), goals: None }))
    }

    fn made(
        family: &'static str,
        name: &str,
        verdict: Verdict,
        make: impl Fn() -> io::Result<Model> + 'static,
    ) -> Self {
        let name = format!("{name}, {}", word(verdict));
        Self { family, name, known: Expected::Everything(verdict), make: Box::new(make) }
    }

    fn with_answers(
        family: &'static str,
        name: &str,
        known: BTreeMap<String, Verdict>,
        make: impl Fn() -> Model + 'static,
    ) -> Self {
        Self { family, name: name.to_owned(), known: Expected::Each(known), make: Box::new(move || Ok(make())) }
    }

    /// Returns family and name.
    pub(crate) fn title(&self) -> String {
        format!("{}: {}", self.family, self.name)
    }

    /// Runs the tool on the case. A separate process generates the files, because the peak memory of a process
    /// includes that of the process that starts it.
    ///
    /// # Errors
    ///
    /// If the files cannot be written, or the tool does not start.
    pub(crate) fn run(&self, bench: &Bench, corpus: &Path, engine: &'static str) -> io::Result<(Finished, Judged)> {
        let folder = tempfile::tempdir()?;
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("generate").arg(self.title()).arg(folder.path()).arg(corpus);
        let made = process::run(&mut command, Limits { wall: PATIENCE, resident: 4 << 30 })?;
        if made.code != Some(0) {
            return Err(io::Error::other(format!("{}: {}", self.title(), made.stderr.trim())));
        }
        let made: Files = serde_json::from_str(&made.stdout)?;
        let mut args = vec!["--engine".to_owned(), engine.to_owned()];
        if let Some(goals) = made.goals {
            let is_xml = Path::new(&goals).extension().is_some_and(|e| e == "xml");
            let option = if is_xml { "--properties" } else { "--target" };
            args.extend([option.to_owned(), folder.path().join(goals).display().to_string()]);
        }
        let bench = Bench { timeout: bench.timeout.min(walks::timeout(self.family)), ..bench.clone() };
        judge::check(&bench, &folder.path().join(made.model), &args, |id| self.known.of(id))
    }
}

/// The names of the files of a case.
#[derive(Serialize, Deserialize)]
struct Files {
    model: String,
    goals: Option<String>,
}

/// Runs the hidden command: writes the files of one case into a folder and prints their names.
///
/// # Errors
///
/// If there is no such case, or it cannot be written.
pub(crate) fn generate(args: &GenerateArgs) -> io::Result<()> {
    let cases = all(&args.corpus);
    let case = cases.iter().find(|c| c.title() == args.title).ok_or_else(|| io::Error::other("no such case"))?;
    let model = (case.make)()?;
    std::fs::write(args.folder.join(model.file), &model.text)?;
    if let Some((file, text)) = &model.goals {
        std::fs::write(args.folder.join(file), text)?;
    }
    let files = Files { model: model.file.to_owned(), goals: model.goals.map(|(file, _)| file.to_owned()) };
    writeln!(io::stdout(), "{}", serde_json::to_string(&files)?)
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Safe => "safe",
        Verdict::Unsafe => "unsafe",
        Verdict::Unknown => "unknown",
    }
}

/// Returns the cases of all families. Walks start on nets of the corpus, so they need the corpus.
pub(crate) fn all(corpus: &Path) -> Vec<Case> {
    let mut cases = walks::cases(corpus);
    for family in
        [counting::cases, processes::cases, broadcasts::cases, pipelines::cases, many::cases, exclusion::cases]
    {
        cases.extend(family());
    }
    cases
}

/// Runs the cases with all engines in turns. Returns a summary by family, a table with a line for each case,
/// and the runs.
///
/// # Errors
///
/// If a process does not run.
pub(crate) fn measure(bench: &Bench, corpus: &Path, cases: &[Case]) -> io::Result<(Table, Table, Vec<Row>)> {
    let mut rows = Vec::new();
    let mut each = Table::new(&["family", "case", "status", "answered", "evidence", "CPU s", "peak MiB"]);
    for (i, case) in cases.iter().enumerate() {
        let run = case.run(bench, corpus, "auto")?;
        let new = row(&case.title(), "auto", std::slice::from_ref(&run));
        each.push(vec![
            case.family.to_owned(),
            case.name.clone(),
            new.status.to_string(),
            answered(&run.1),
            by(&run.1),
            units::seconds(new.cpu),
            units::mebibytes(new.peak),
        ]);
        rows.push(new);
        show_progress(i + 1, cases.len(), &rows[rows.len() - 1..]);
    }
    Ok((summary(cases, &rows), each, rows))
}

/// Returns the number of properties with an answer and the number of all, as text.
fn answered(judged: &Judged) -> String {
    let Some(report) = &judged.report else { return String::new() };
    let decided = report.properties.iter().filter(|p| p.verdict != Verdict::Unknown).count();
    format!("{decided}/{}", report.properties.len())
}

/// Returns the kinds of evidence and the engines of the answers, each pair once.
fn by(judged: &Judged) -> String {
    let properties = judged.report.iter().flat_map(|r| &r.properties);
    let all: BTreeSet<String> =
        properties.filter_map(|p| p.evidence.as_ref().map(|e| format!("{} by {}", e.kind, p.engine))).collect();
    all.into_iter().collect::<Vec<_>>().join(", ")
}

fn summary(cases: &[Case], rows: &[Row]) -> Table {
    let mut table = Table::new(&["family", "cases", "decided", "wrong", "total CPU s", "worst CPU s", "peak MiB"]);
    let mut families: Vec<&str> = cases.iter().map(|c| c.family).collect();
    families.dedup();
    for family in families {
        let own: Vec<&Row> = cases.iter().zip(rows).filter(|(c, _)| c.family == family).map(|(_, r)| r).collect();
        table.push(vec![
            family.to_owned(),
            own.len().to_string(),
            own.iter().filter(|r| r.status == Status::Ok).count().to_string(),
            own.iter().filter(|r| super::is_wrong(&r.status)).count().to_string(),
            units::seconds(own.iter().map(|r| r.cpu).sum()),
            units::seconds(own.iter().map(|r| r.cpu).fold(0.0, f64::max)),
            units::mebibytes(own.iter().map(|r| r.peak).max().unwrap_or(0)),
        ]);
    }
    table
}

/// Returns the cases that the command line selects.
pub(crate) fn chosen(args: &crate::args::NetArgs, cases: Vec<Case>) -> Vec<Case> {
    cases.into_iter().filter(|c| is_chosen(args, &c.title())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use formats::{Limits, Source};
    use model::{Budget, Claim, Engine, Goal, MarkedTask, Problem, Turn};
    use search::explicit::Options;
    use std::sync::Arc;

    /// Greatest length of the text of a small case.
    const SMALL: usize = 3_000;
    /// Number of tokens that suffice for a violation of a small case.
    const TOKENS: u64 = 40;
    /// Work units for one case.
    const WORK: u64 = 300_000;

    fn read(case: &Case) -> Problem {
        let model = (case.make)().expect("made without a corpus");
        let source = |name: &str, text: &str| Source { name: name.to_owned(), bytes: text.as_bytes().to_vec() };
        let read = readers::read(source(model.file, &model.text), None, &Limits::default());
        let mut problem = read.unwrap_or_else(|e| panic!("{}: {e}", case.title())).problem;
        if let Some((file, text)) = &model.goals {
            problem = problem.only(|_| false);
            readers::read_goals(source(file, text), None, &mut problem, &Limits::default())
                .unwrap_or_else(|e| panic!("{}: {e}", case.title()));
        }
        problem
    }

    /// Returns the goals that plain search within a bound reaches.
    fn reached(problem: &Problem) -> BTreeSet<Goal> {
        let task = MarkedTask::of(problem).expect("a net");
        let prepared = nets::reduce::prepare(&task, &nets::reduce::Options { slice: false, bound: Some(TOKENS) });
        let mut engine = nets::explore(prepared.task, Options::default());
        let mut budget = Budget::new(WORK, Arc::default());
        let mut reached = BTreeSet::new();
        loop {
            match engine.run(&mut budget) {
                Turn::Claims(Claim::Unsafe { goal, .. }) => {
                    reached.insert(goal);
                }
                Turn::Claims(_) => {}
                Turn::More | Turn::Done => return reached,
            }
        }
    }

    #[test]
    fn answers_of_small_cases_are_right() {
        let cases = all(Path::new("/nonexistent"));
        let mut compared: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
        for case in cases.iter().filter(|c| (c.make)().expect("made without a corpus").text.len() <= SMALL) {
            let problem = read(case);
            let reached = reached(&problem);
            for property in problem.properties() {
                let known = case.known.of(&property.id).unwrap_or_else(|| panic!("{}: {}", case.title(), property.id));
                let found = reached.contains(&property.goal);
                // Violations in these families may be too deep for a test.
                let deep = ["counting", "processes"].contains(&case.family) && known == Verdict::Unsafe;
                assert!(found == (known == Verdict::Unsafe) || deep && !found, "{} {}", case.title(), property.id);
                compared.entry(case.family).or_default()[usize::from(found)] += 1;
            }
        }
        for family in ["counting", "processes", "broadcasts", "three-way"] {
            assert!(compared.get(family).is_some_and(|n| n[0] > 0 && n[1] > 0), "{family}: {compared:?}");
        }
    }

    #[test]
    fn answers_about_many_targets_are_right() {
        let (case, known) = many::small();
        let problem = read(&case);
        // The machines together have too many states for a search. So the test only checks that all goals are
        // read and that both verdicts occur.
        assert_eq!(problem.properties().len(), known.len());
        assert!(known.contains(&Verdict::Safe) && known.contains(&Verdict::Unsafe));
    }

    #[test]
    fn large_cases_are_nets_of_the_promised_size() {
        for case in all(Path::new("/nonexistent")).iter().filter(|c| c.family == "1-safe" && c.name.contains(" 10000,"))
        {
            let problem = read(case);
            let net = problem.system().as_net().expect("a net");
            assert_eq!(net.places().len(), 10_000, "{}", case.title());
        }
    }

    #[test]
    fn names_are_unique() {
        let cases = all(Path::new("/nonexistent"));
        let names: BTreeSet<String> = cases.iter().map(Case::title).collect();
        assert_eq!(names.len(), cases.len());
    }
}
