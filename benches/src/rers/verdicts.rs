//! Right, wrong, undecided: per problem, errors and formulas apart.

use super::Report;
use super::corpus::{Known, Problem};
use crate::answer;
use crate::corpus::Verdict;
use crate::measure::Bench;
use crate::process;
use crate::table::Table;
use crate::units;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// How the answers of one kind compare with what is known.
#[derive(Default)]
struct Tally {
    right: u32,
    wrong: u32,
    undecided: u32,
    /// Decided, and nobody official says what is right.
    agrees: u32,
    differs: u32,
    new: u32,
}

impl Tally {
    fn count(&mut self, verdict: Verdict, known: Option<&Known>) {
        let is_violated = match verdict {
            Verdict::Safe => false,
            Verdict::Unsafe => true,
            Verdict::Unknown => {
                self.undecided += 1;
                return;
            }
        };
        *match known {
            Some(known) if known.is_official && known.is_violated == is_violated => &mut self.right,
            Some(known) if known.is_official => &mut self.wrong,
            Some(known) if known.is_violated == is_violated => &mut self.agrees,
            Some(_) => &mut self.differs,
            None => &mut self.new,
        } += 1;
    }

    fn cells(&self) -> [String; 4] {
        let others = match (self.agrees, self.differs, self.new) {
            (0, 0, 0) => String::new(),
            (agrees, 0, 0) => format!("{agrees} agree"),
            (0, 0, new) => format!("{new} not known"),
            (agrees, differs, new) => format!("{agrees} agree, {differs} differ, {new} not known"),
        };
        [self.right.to_string(), self.wrong.to_string(), self.undecided.to_string(), others]
    }
}

/// Every question of each problem in one run.
pub(super) fn measure(problems: &[&Problem], bench: &Bench, report: &mut Report) -> io::Result<()> {
    let head = ["problem", "kind", "right", "wrong", "undecided", "not official", "CPU s", "peak MiB", "engines"];
    let mut table = Table::new(&head);
    for (done, problem) in problems.iter().enumerate() {
        let folder = tempfile::tempdir()?;
        let (program, formulas) = problem.unpack(folder.path())?;
        let mut command = bench.command(&program);
        if let Some(formulas) = &formulas {
            command.arg("--properties").arg(formulas);
        }
        let finished = process::run(&mut command, bench.limits())?;
        writeln!(
            io::stderr(),
            "[{}/{}] {} {}",
            done + 1,
            problems.len(),
            problem.name(),
            units::seconds(finished.cpu)
        )?;
        let (cpu, peak) = (units::seconds(finished.cpu), units::mebibytes(finished.peak));
        let answers = match answer::Report::parse(&finished.stdout) {
            Ok(answers) => answers,
            // Programs without labels and formulas pose no question.
            Err(_) if finished.code == Some(2) => {
                let why = finished.stderr.lines().next().unwrap_or("no answer").to_owned();
                table.push(
                    [problem.name(), why]
                        .into_iter()
                        .chain(std::iter::repeat_n(String::new(), 4))
                        .chain([cpu, peak])
                        .collect(),
                );
                continue;
            }
            Err(why) => {
                report.wrong.push(format!("{}: {why} (exit code {:?})", problem.name(), finished.code));
                continue;
            }
        };
        for (kind, name) in [("error:", "errors"), ("ltl:", "formulas")] {
            let mut tally = Tally::default();
            let mut engines: BTreeMap<&str, u32> = BTreeMap::new();
            for property in answers.properties.iter().filter(|p| p.id.starts_with(kind)) {
                let known = problem.known.get(&property.id);
                let wrong = tally.wrong;
                tally.count(property.verdict, known);
                if tally.wrong > wrong {
                    report.wrong.push(format!("{} {}", problem.name(), property.id));
                }
                *engines.entry(&property.engine).or_default() += 1;
            }
            if engines.is_empty() {
                continue;
            }
            let [right, wrong, undecided, others] = tally.cells();
            let engines: Vec<String> = engines.iter().map(|(engine, n)| format!("{engine} {n}")).collect();
            let (name, engines) = (name.to_owned(), engines.join(", "));
            table.push(vec![problem.name(), name, right, wrong, undecided, others, cpu.clone(), peak.clone(), engines]);
        }
    }
    report.table("Verdicts", &table);
    Ok(())
}
