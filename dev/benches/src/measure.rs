//! Runs programs in configurations and collects the results.

use crate::answer::Property;
use crate::configs::Config;
use crate::corpus::{Program, Verdict};
use crate::judge::{self, Judged, Status};
use crate::process::{self, Finished, Limits};
use crate::units;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Settings of the runs.
#[derive(Clone, Debug)]
pub(crate) struct Bench {
    /// The command to measure.
    pub(crate) impasse: PathBuf,
    pub(crate) timeout: Duration,
    pub(crate) memory: u64,
    pub(crate) repeat: u32,
}

/// One program in one configuration: medians over the repetitions, and the worst of their statuses.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) program: String,
    pub(crate) config: &'static str,
    pub(crate) status: Status,
    /// The answers, in the order of the report: `bad: safe, deadlock: unsafe in 3`.
    pub(crate) verdict: String,
    pub(crate) cpu: f64,
    pub(crate) wall: f64,
    pub(crate) peak: u64,
    pub(crate) states: u64,
    pub(crate) transitions: u64,
    pub(crate) splits: Option<u64>,
    pub(crate) components: Option<u64>,
    pub(crate) literals: Option<u64>,
    pub(crate) decisions: Option<u64>,
    pub(crate) conflicts: Option<u64>,
    /// The kinds of evidence and the engines of the answers.
    pub(crate) evidence: String,
}

impl Row {
    pub(crate) fn transitions_per_second(&self) -> Option<f64> {
        units::rate(self.transitions, self.cpu)
    }

    pub(crate) fn states_per_second(&self) -> Option<f64> {
        units::rate(self.states, self.cpu)
    }

    pub(crate) fn splits_per_second(&self) -> Option<f64> {
        units::rate(self.splits?, self.cpu)
    }
}

impl Bench {
    /// Runs `program` in each of `configs`, taking turns, so that noise from other work affects all of them.
    pub(crate) fn program(&self, program: &Program, configs: &[Config]) -> io::Result<Vec<Row>> {
        let mut runs: Vec<Vec<(Finished, Judged)>> = configs.iter().map(|_| Vec::new()).collect();
        for _ in 0..self.repeat {
            for (config, runs) in configs.iter().zip(&mut runs) {
                runs.push(self.once(program, config)?);
            }
        }
        let firsts = configs.iter().zip(&mut runs).filter_map(|(c, r)| Some((c.name, &mut r.first_mut()?.1)));
        judge::settle_disagreements(&mut firsts.collect::<Vec<_>>());
        let rows = configs.iter().zip(&runs).map(|(config, runs)| row(&program.expected.name, config.name, runs));
        Ok(rows.collect())
    }

    fn once(&self, program: &Program, config: &Config) -> io::Result<(Finished, Judged)> {
        let mut command = self.command(&program.path);
        command.args(["--engine", config.engine]).args(config.args);
        let finished = process::run(&mut command, self.limits())?;
        let judged = judge::judge(&program.expected, config, &finished);
        Ok((finished, judged))
    }

    /// Returns the command `impasse check MODEL` with limits, to which the caller adds arguments.
    pub(crate) fn command(&self, model: &Path) -> Command {
        let mut command = Command::new(&self.impasse);
        let timeout = format!("{}ms", self.timeout.as_millis());
        command.arg("check").arg(model).args(["--format", "json", "--progress", "never", "--timeout", &timeout]);
        command.args(["--memory", &self.memory.to_string()]);
        command
    }

    /// Returns the limits of the process. The tool also gets limits as arguments. The limits of the process
    /// apply if the tool exceeds its own limits.
    pub(crate) fn limits(&self) -> Limits {
        Limits {
            wall: self.timeout + self.timeout / 10 + Duration::from_secs(5),
            resident: self.memory + self.memory / 4 + (256 << 20),
        }
    }
}

/// Prints one line per program on stderr, so that a long run shows its progress and errors at once.
pub(crate) fn show_progress(done: usize, of: usize, rows: &[Row]) {
    let Some(first) = rows.first() else { return };
    let cell = |r: &Row| match &r.status {
        Status::Ok => format!("{} {}", r.config, units::seconds(r.cpu)),
        other => format!("{} {other}", r.config),
    };
    let cells: Vec<String> = rows.iter().map(cell).collect();
    // Failure to write the progress line is ignored.
    let _ = writeln!(io::stderr(), "[{done}/{of}] {}: {}", first.program, cells.join(", "));
}

/// Combines the runs of one model in one configuration into a row.
pub(crate) fn row(program: &str, config: &'static str, runs: &[(Finished, Judged)]) -> Row {
    let median = |value: fn(&Finished) -> f64| units::median(runs.iter().map(|(run, _)| value(run))).unwrap_or(0.0);
    let report = runs.first().and_then(|(_, judged)| judged.report.as_ref());
    let properties = report.map_or(&[][..], |r| &r.properties);
    let most = |count: fn(&Property) -> u64| properties.iter().map(count).max().unwrap_or(0);
    let more = |count: fn(&Property) -> Option<u64>| properties.iter().filter_map(count).max();
    Row {
        program: program.to_owned(),
        config,
        status: runs.iter().map(|(_, judged)| judged.status.clone()).max().unwrap_or(Status::Ok),
        verdict: list(properties, verdict),
        cpu: median(|run| run.cpu),
        wall: median(|run| run.wall),
        peak: runs.iter().map(|(run, _)| run.peak).max().unwrap_or(0),
        states: most(|p| p.stats.states),
        transitions: most(|p| p.stats.transitions),
        splits: more(|p| p.stats.splits),
        components: more(|p| p.stats.components),
        literals: more(|p| p.stats.literals),
        decisions: more(|p| p.stats.decisions),
        conflicts: more(|p| p.stats.conflicts),
        evidence: list(properties, evidence),
    }
}

/// Lists a value for all properties: once if all properties have the same value, and otherwise for each
/// property.
fn list(properties: &[Property], cell: fn(&Property) -> String) -> String {
    let cells: Vec<String> = properties.iter().map(cell).collect();
    match &cells[..] {
        [first, rest @ ..] if rest.iter().all(|c| c == first) => first.clone(),
        _ => properties.iter().zip(&cells).map(|(p, c)| format!("{}: {c}", p.id)).collect::<Vec<_>>().join(", "),
    }
}

fn verdict(property: &Property) -> String {
    let length = property.evidence.as_ref().and_then(|e| e.length);
    match (property.verdict, length, property.reason.as_deref()) {
        (Verdict::Safe, ..) => "safe".to_owned(),
        (Verdict::Unsafe, Some(length), _) => format!("unsafe in {length}"),
        (Verdict::Unsafe, None, _) => "unsafe".to_owned(),
        (Verdict::Unknown, _, reason) => format!("unknown ({})", reason.unwrap_or("?")),
    }
}

fn evidence(property: &Property) -> String {
    let kind = property.evidence.as_ref().map_or("nothing", |e| e.kind.as_str());
    let lemmas: Vec<String> = property.stats.lemmas.iter().map(|(kind, n)| format!("{kind} {n}")).collect();
    match &lemmas[..] {
        [] => format!("{kind} by {}", property.engine),
        _ => format!("{kind} by {} with {}", property.engine, lemmas.join(" ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Report;
    use crate::answer::tests::report;

    fn run(cpu: f64, status: Status) -> (Finished, Judged) {
        let text = report(&[("bad", "safe", None), ("deadlock", "unsafe", None)], 35, 75, 3);
        let finished = Finished {
            code: Some(11),
            killed: None,
            stdout: String::new(),
            stderr: String::new(),
            cpu,
            wall: 1.0,
            peak: 7,
        };
        (finished, Judged { status, report: Report::parse(&text).ok() })
    }

    #[test]
    fn repetitions_make_one_row() {
        let wrong = Status::Wrong("odd".to_owned());
        let row =
            row("phil_3", "explicit", &[run(3.0, Status::Ok), run(1.0, wrong.clone()), run(2.0, Status::Timeout)]);
        assert_eq!((row.status, row.states, row.transitions), (wrong, 35, 75));
        assert!((row.cpu - 2.0).abs() < 1e-9, "the median, not {}", row.cpu);
        assert_eq!(row.verdict, "bad: safe, deadlock: unsafe in 3");
        assert_eq!(row.evidence, "bad: state-set by explicit, deadlock: trace by explicit");
    }

    #[test]
    fn rates_are_per_cpu_second() {
        let mut row = row("phil_3", "explicit", &[run(0.5, Status::Ok)]);
        assert_eq!((row.transitions_per_second(), row.splits_per_second()), (Some(150.0), Some(10.0)));
        row.splits = None;
        assert_eq!(row.splits_per_second(), None);
    }
}
