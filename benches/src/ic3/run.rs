//! One run of us or of the peer, whatever it is about: what was said, and what it took.

use crate::answer::{Property, Report};
use crate::corpus::Verdict;
use crate::measure::Bench;
use crate::process::{self, Finished, Killed, Limits};
use crate::units;
use model::{Reset, SystemModel};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;

/// The peer.
pub(super) const ABC: &str = "berkeley-abc";

/// CPU time is limited by the kernel. The wall clock is the last resort: on a busy machine so much longer.
const PATIENCE: u32 = 30;

/// What came of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Said {
    Safe,
    Unsafe,
    /// Nothing within the limits, or for another reason.
    Nothing(String),
    /// It does not know what it was asked, or has no usable output.
    Failed(String),
}

impl Said {
    pub(super) fn is_answer(&self) -> bool {
        matches!(self, Said::Safe | Said::Unsafe)
    }

    /// For a cell of a table.
    pub(super) fn word(&self) -> &str {
        match self {
            Said::Safe => "safe",
            Said::Unsafe => "unsafe",
            Said::Nothing(why) | Said::Failed(why) => why,
        }
    }
}

/// A run.
#[derive(Clone, Debug)]
pub(super) struct Ran {
    pub(super) said: Said,
    pub(super) cpu: f64,
    pub(super) peak: u64,
    /// What we report in all detail.
    pub(super) report: Option<Report>,
}

impl Ran {
    pub(super) fn first(&self) -> Option<&Property> {
        self.report.as_ref()?.properties.first()
    }

    /// Questions to the SAT solver; of a range of bounds, up to the last of them.
    pub(super) fn queries(&self) -> Option<u64> {
        self.report.as_ref()?.properties.iter().filter_map(|p| p.stats.queries).max()
    }

    /// Verdict and seconds.
    pub(super) fn cell(&self) -> String {
        format!("{} {}", self.said.word(), units::seconds(self.cpu))
    }
}

/// Runs things one after the other, in a folder for files in between.
pub(super) struct Runner {
    pub(super) bench: Bench,
    folder: TempDir,
    repeat: u32,
}

impl Runner {
    pub(super) fn new(bench: Bench, repeat: u32) -> io::Result<Self> {
        Ok(Self { bench, folder: tempfile::tempdir()?, repeat })
    }

    pub(super) fn limit(&self) -> f64 {
        self.bench.timeout.as_secs_f64()
    }

    /// Is the peer there?
    pub(super) fn has_abc() -> bool {
        Command::new(ABC).args(["-c", "quit"]).output().is_ok()
    }

    /// `impasse check MODEL` with these arguments; all verdicts in one: unsafe if any is, safe if all are.
    pub(super) fn ours(&self, model: &Path, args: &[&str]) -> io::Result<Ran> {
        self.median(|| {
            let mut command = self.command(model);
            command.args(args);
            let done = process::run(&mut self.capped(&command), self.limits())?;
            Ok(self.ran(&done))
        })
    }

    /// The same with the time limit on the wall clock, so that at its end we say what is known by then.
    pub(super) fn ours_by_the_clock(&self, model: &Path, args: &[&str]) -> io::Result<Ran> {
        self.median(|| {
            let mut command = self.bench.command(model);
            let done = process::run(command.args(args), self.bench.limits())?;
            Ok(self.ran(&done))
        })
    }

    /// The peer's `pdr`. (`&read` keeps open resets, `fold` keeps constraints; plain `read_aiger`, which `pdr` likes
    /// better, loses both.)
    pub(super) fn abc(&self, file: &Path) -> io::Result<Ran> {
        self.median(|| {
            let mut command = Command::new(ABC);
            let seconds = self.bench.timeout.as_secs_f64().ceil();
            let read = if is_simple(file) { "read_aiger {}" } else { "&read {}; &put; fold" };
            let read = read.replace("{}", &file.display().to_string());
            command.args(["-c", &format!("{read}; pdr -T {seconds}")]);
            let done = process::run(&mut self.capped(&command), self.limits())?;
            let said = if done.killed == Some(Killed::TooBig) {
                Said::Nothing("memory".to_owned())
            } else if done.stdout.contains("Property proved") {
                Said::Safe
            } else if done.stdout.contains("was asserted in frame") {
                Said::Unsafe
            } else if done.killed == Some(Killed::TooLong)
                || done.stdout.contains("UNDECIDED")
                || done.stdout.contains("timeout")
            {
                Said::Nothing("timeout".to_owned())
            } else {
                Said::Failed(message(&done.stdout))
            };
            Ok(Ran { said, cpu: done.cpu, peak: done.peak, report: None })
        })
    }

    /// Writes the net as a circuit; its file, or why there is none.
    pub(super) fn convert(&self, net: &Path, bound: u64, encoding: &str) -> io::Result<Result<PathBuf, String>> {
        let stem = net.file_name().map(|n| n.to_string_lossy().replace('.', "_")).unwrap_or_default();
        // The peer reads the binary form only.
        let out = self.folder.path().join(format!("{stem}_{bound}_{encoding}.aig"));
        let mut command = Command::new(&self.bench.impasse);
        command.arg("convert").arg(net).arg(&out).args(["--bound", &bound.to_string(), "--encoding", encoding]);
        let done = process::run(&mut command, self.limits())?;
        Ok(match done.code {
            Some(0) if out.is_file() => Ok(out),
            _ => Err(format!("no circuit: {}", message(&done.stderr))),
        })
    }

    /// Runs it as often as asked: the first answer, the median time.
    fn median(&self, once: impl Fn() -> io::Result<Ran>) -> io::Result<Ran> {
        let runs: Vec<Ran> = (0..self.repeat.max(1)).map(|_| once()).collect::<io::Result<_>>()?;
        let cpu = units::median(runs.iter().map(|r| r.cpu)).unwrap_or(0.0);
        let peak = runs.iter().map(|r| r.peak).max().unwrap_or(0);
        let first = runs.into_iter().next().expect("at least one run");
        Ok(Ran { cpu, peak, ..first })
    }

    /// Our own time limit is on the wall clock; it comes after that of the kernel, which is on CPU time.
    fn command(&self, model: &Path) -> Command {
        Bench { timeout: self.bench.timeout * PATIENCE, ..self.bench.clone() }.command(model)
    }

    fn limits(&self) -> Limits {
        Bench { timeout: self.bench.timeout * PATIENCE, ..self.bench.clone() }.limits()
    }

    /// The same command under a limit of CPU time.
    fn capped(&self, command: &Command) -> Command {
        let seconds = self.bench.timeout.as_secs_f64().ceil() as u64;
        let mut capped = Command::new("sh");
        capped.args(["-c", &format!("ulimit -S -t {seconds}; exec \"$0\" \"$@\"")]).arg(command.get_program());
        capped.args(command.get_args());
        capped
    }

    fn ran(&self, done: &Finished) -> Ran {
        let (said, report) = match Report::parse(&done.stdout) {
            Ok(report) => (of_report(&report, done), Some(report)),
            Err(_) if done.killed == Some(Killed::TooLong) => (Said::Nothing("timeout".to_owned()), None),
            Err(_) if done.killed == Some(Killed::TooBig) => {
                (Said::Failed("far beyond its memory limit".to_owned()), None)
            }
            Err(_) => (Said::Failed(message(&done.stderr)), None),
        };
        Ran { said, cpu: done.cpu, peak: done.peak, report }
    }
}

fn of_report(report: &Report, done: &Finished) -> Said {
    let unchecked = |p: &Property| p.verdict != Verdict::Unknown && !p.evidence.as_ref().is_some_and(|e| e.checked);
    if done.code == Some(70) || report.properties.iter().any(unchecked) {
        return Said::Failed("its own checker objects".to_owned());
    }
    if report.properties.iter().any(|p| p.verdict == Verdict::Unsafe) {
        return Said::Unsafe;
    }
    let open = report.properties.iter().find(|p| p.verdict == Verdict::Unknown);
    open.map_or(Said::Safe, |p| Said::Nothing(p.reason.clone().unwrap_or_else(|| "no reason".to_owned())))
}

/// What a message says: the line of ours that is marked or an `error`; of others the last.
fn message(text: &str) -> String {
    let marked = text.lines().find_map(|line| {
        let line = line.trim();
        line.strip_prefix("x ").or_else(|| line.strip_prefix("error: "))
    });
    let line = marked.or_else(|| text.lines().rev().find(|l| !l.trim().is_empty())).unwrap_or("no message");
    line.trim().chars().take(200).collect()
}

/// Geometric mean of ratios; nothing of none.
pub(super) fn geometric_mean(ratios: &[f64]) -> Option<f64> {
    let logs: f64 = ratios.iter().map(|r| r.ln()).sum();
    (!ratios.is_empty()).then(|| (logs / ratios.len() as f64).exp())
}

/// Has the circuit neither constraints nor open resets?
fn is_simple(file: &Path) -> bool {
    let Ok(bytes) = std::fs::read(file) else { return false };
    let source = formats::Source { name: file.display().to_string(), bytes };
    let Ok(read) = formats::read(source, None, &formats::Limits::default()) else { return false };
    let SystemModel::Circuit(circuit) = read.problem.system() else { return false };
    circuit.constraints().is_empty() && circuit.latches().iter().all(|latch| latch.reset != Reset::Open)
}

/// Times in seconds for `--timeout` of the same kind everywhere.
pub(super) fn limits_of(bench: &Bench) -> String {
    let show = |d: Duration| format!("{} s of CPU", d.as_secs_f64());
    format!("{} and {} MiB", show(bench.timeout), bench.memory >> 20)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runner() -> Runner {
        let bench = Bench { impasse: "true".into(), timeout: Duration::from_secs(1), memory: 1 << 30, repeat: 1 };
        Runner::new(bench, 1).expect("a temporary folder")
    }

    #[test]
    fn cpu_time_is_limited() {
        let mut busy = Command::new("sh");
        busy.args(["-c", "while :; do :; done"]);
        let runner = runner();
        let done = process::run(&mut runner.capped(&busy), runner.limits()).expect("sh runs");
        assert_eq!(done.killed, Some(Killed::TooLong), "{done:?}");
        assert_eq!(runner.ran(&done).said, Said::Nothing("timeout".to_owned()));
    }

    #[test]
    fn means_are_geometric() {
        let mean = geometric_mean(&[0.5, 2.0, 1.0]).expect("there are some");
        assert!((mean - 1.0).abs() < 1e-9, "{mean}");
        assert_eq!(geometric_mean(&[]), None);
    }
}
