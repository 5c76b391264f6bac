//! One run of our tool or of a peer, on any file: its answer and its cost.

use crate::answer::{Property, Report};
use crate::circuits::techniques;
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

/// The peer with `pdr`.
pub(crate) const ABC: &str = "berkeley-abc";

/// Ratio of the wall-clock limit to the CPU limit. The kernel limits CPU time. The wall-clock limit is a last
/// resort, because runs take long on a busy machine.
const PATIENCE: u32 = 30;

/// The result of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Said {
    Safe,
    Unsafe,
    /// No answer within the limits or for another reason.
    Nothing(String),
    /// The tool does not support the options, or its output is unusable.
    Failed(String),
}

impl Said {
    pub(crate) fn is_answer(&self) -> bool {
        matches!(self, Said::Safe | Said::Unsafe)
    }

    /// Returns the result as text for a table cell.
    pub(crate) fn word(&self) -> &str {
        match self {
            Said::Safe => "safe",
            Said::Unsafe => "unsafe",
            Said::Nothing(why) | Said::Failed(why) => why,
        }
    }
}

/// A run.
#[derive(Clone, Debug)]
pub(crate) struct Ran {
    pub(crate) said: Said,
    pub(crate) cpu: f64,
    pub(crate) peak: u64,
    /// Our full report.
    pub(crate) report: Option<Report>,
}

impl Ran {
    pub(crate) fn first(&self) -> Option<&Property> {
        self.report.as_ref()?.properties.first()
    }

    /// Returns the number of queries to the SAT solver. For a range of bounds, the number includes the queries
    /// of all bounds.
    pub(crate) fn queries(&self) -> Option<u64> {
        self.report.as_ref()?.properties.iter().filter_map(|p| p.stats.queries).max()
    }

    /// Returns verdict and seconds as text.
    pub(crate) fn cell(&self) -> String {
        format!("{} {}", self.said.word(), units::seconds(self.cpu))
    }
}

/// Runs commands one after the other, with a folder for intermediate files.
pub(crate) struct Runner {
    pub(crate) bench: Bench,
    folder: TempDir,
    repeat: u32,
}

impl Runner {
    pub(crate) fn new(bench: Bench, repeat: u32) -> io::Result<Self> {
        Ok(Self { bench, folder: tempfile::tempdir()?, repeat })
    }

    pub(crate) fn limit(&self) -> f64 {
        self.bench.timeout.as_secs_f64()
    }

    /// True if the peer with `pdr` is installed.
    pub(crate) fn has_abc() -> bool {
        Command::new(ABC).args(["-c", "quit"]).output().is_ok()
    }

    /// Runs `impasse check MODEL` with these arguments. The verdicts are combined: unsafe if one is unsafe,
    /// safe if all are safe.
    pub(crate) fn ours(&self, model: &Path, args: &[&str]) -> io::Result<Ran> {
        self.median(|| {
            let mut command = self.command(model);
            command.args(args);
            let done = process::run(&mut self.capped(&command), self.limits())?;
            Ok(self.ran(&done))
        })
    }

    /// Like [`Self::ours`], but with a wall-clock limit, so that the tool reports what it found when its time
    /// ends.
    pub(crate) fn ours_by_the_clock(&self, model: &Path, args: &[&str]) -> io::Result<Ran> {
        self.median(|| {
            let mut command = self.bench.command(model);
            let done = process::run(command.args(args), self.bench.limits())?;
            Ok(self.ran(&done))
        })
    }

    /// Runs the peer's `pdr`. There are two ways to read the file. `&read` with `fold` keeps open resets and
    /// constraints. `read_aiger` loses both, but `pdr` is faster after it. So `read_aiger` is used for circuits
    /// that have neither open resets nor constraints.
    pub(crate) fn abc(&self, file: &Path) -> io::Result<Ran> {
        let read = if is_simple(file) { "read_aiger {}" } else { "&read {}; &put; fold" };
        self.pdr(&read.replace("{}", &file.display().to_string()))
    }

    /// Runs the peer's translation of liveness to safety, and then `pdr`. The names of the outputs say what must be
    /// true infinitely often.
    pub(crate) fn abc_l2s(&self, file: &Path) -> io::Result<Ran> {
        self.pdr(&format!("read_aiger {}; l2s; strash", file.display()))
    }

    /// Runs `pdr` after commands that read the circuit.
    fn pdr(&self, read: &str) -> io::Result<Ran> {
        self.median(|| {
            let mut command = Command::new(ABC);
            let seconds = self.bench.timeout.as_secs_f64().ceil();
            command.args(["-c", &format!("{read}; pdr -T {seconds}")]);
            let done = process::run(&mut self.capped(&command), self.limits())?;
            Ok(Ran { said: of_pdr(&done), cpu: done.cpu, peak: done.peak, report: None })
        })
    }

    /// Runs our engine IC3 alone, without a technique if one is named (`crate::circuits::techniques`).
    pub(crate) fn ic3(&self, file: &Path, without: Option<&str>) -> io::Result<Ran> {
        self.median(|| {
            let mut command = Command::new(std::env::current_exe()?);
            command.arg("prove").arg(file).args(without.iter().flat_map(|name| ["--without", name]));
            let done = process::run(&mut self.capped(&command), self.limits())?;
            Ok(Ran { said: of_prove(&done), cpu: done.cpu, peak: done.peak, report: None })
        })
    }

    /// Runs the engine IC3 of rIC3, which uses one thread. It reads only safety: without a bad state, it answers
    /// that the circuit is safe.
    pub(crate) fn ric3(&self, program: &Path, file: &Path) -> io::Result<Ran> {
        self.median(|| {
            let mut command = Command::new(program);
            command.args(["--engine", "ic3"]).arg(file);
            let mut capped = self.capped(&command);
            let done = process::run(capped.env("RIC3_TMP_DIR", self.folder.path()), self.limits())?;
            Ok(Ran { said: of_ric3(&done), cpu: done.cpu, peak: done.peak, report: None })
        })
    }

    /// Writes the net as a circuit. Returns its file, or the reason why there is no file.
    pub(crate) fn convert(&self, net: &Path, bound: u64, encoding: &str) -> io::Result<Result<PathBuf, String>> {
        let stem = net.file_name().map(|n| n.to_string_lossy().replace('.', "_")).unwrap_or_default();
        // The peer reads only the binary form.
        let out = self.folder.path().join(format!("{stem}_{bound}_{encoding}.aig"));
        let mut command = Command::new(&self.bench.impasse);
        command.arg("convert").arg(net).arg(&out).args(["--bound", &bound.to_string(), "--encoding", encoding]);
        let done = process::run(&mut command, self.limits())?;
        Ok(match done.code {
            Some(0) if out.is_file() => Ok(out),
            _ => Err(format!("no circuit: {}", message(&done.stderr))),
        })
    }

    /// Repeats a run. Returns the first answer and the median time.
    fn median(&self, once: impl Fn() -> io::Result<Ran>) -> io::Result<Ran> {
        let runs: Vec<Ran> = (0..self.repeat.max(1)).map(|_| once()).collect::<io::Result<_>>()?;
        let cpu = units::median(runs.iter().map(|r| r.cpu)).unwrap_or(0.0);
        let peak = runs.iter().map(|r| r.peak).max().unwrap_or(0);
        let first = runs.into_iter().next().expect("at least one run");
        Ok(Ran { cpu, peak, ..first })
    }

    /// Our own time limit is on the wall clock. It is longer than the kernel's limit on CPU time.
    fn command(&self, model: &Path) -> Command {
        Bench { timeout: self.bench.timeout * PATIENCE, ..self.bench.clone() }.command(model)
    }

    fn limits(&self) -> Limits {
        Bench { timeout: self.bench.timeout * PATIENCE, ..self.bench.clone() }.limits()
    }

    /// Returns the same command with a limit on CPU time.
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

fn of_prove(done: &Finished) -> Said {
    match (done.stdout.trim(), done.killed) {
        (techniques::SAFE, _) => Said::Safe,
        (techniques::UNSAFE, _) => Said::Unsafe,
        (_, Some(Killed::TooLong)) => Said::Nothing("timeout".to_owned()),
        (_, Some(Killed::TooBig)) => Said::Nothing("memory".to_owned()),
        (techniques::UNKNOWN, None) => Said::Nothing("gave up".to_owned()),
        (_, None) => Said::Failed(message(&done.stderr)),
    }
}

fn of_pdr(done: &Finished) -> Said {
    if done.killed == Some(Killed::TooBig) {
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
    }
}

/// Reads the exit code of rIC3.
fn of_ric3(done: &Finished) -> Said {
    match (done.killed, done.code) {
        (Some(Killed::TooBig), _) => Said::Nothing("memory".to_owned()),
        (Some(Killed::TooLong), _) => Said::Nothing("timeout".to_owned()),
        (None, _) if done.stdout.contains("no property to be checked") => Said::Failed("no bad state".to_owned()),
        (None, Some(10)) => Said::Unsafe,
        (None, Some(20)) => Said::Safe,
        (None, Some(0)) => Said::Nothing("unknown".to_owned()),
        (None, _) => Said::Failed(message(&done.stderr)),
    }
}

fn of_report(report: &Report, done: &Finished) -> Said {
    let unchecked = |p: &Property| p.verdict != Verdict::Unknown && !p.evidence.as_ref().is_some_and(|e| e.checked);
    if done.code == Some(70) || report.properties.iter().any(unchecked) {
        return Said::Failed("rejected by its own checker".to_owned());
    }
    if report.properties.iter().any(|p| p.verdict == Verdict::Unsafe) {
        return Said::Unsafe;
    }
    let open = report.properties.iter().find(|p| p.verdict == Verdict::Unknown);
    open.map_or(Said::Safe, |p| Said::Nothing(p.reason.clone().unwrap_or_else(|| "no reason".to_owned())))
}

/// Returns the essential line of a message: the line that our tool marks or that starts with `error: `, else
/// the last line.
fn message(text: &str) -> String {
    let marked = text.lines().find_map(|line| {
        let line = line.trim();
        line.strip_prefix("x ").or_else(|| line.strip_prefix("error: "))
    });
    let line = marked.or_else(|| text.lines().rev().find(|l| !l.trim().is_empty())).unwrap_or("no message");
    line.trim().chars().take(200).collect()
}

/// Returns the geometric mean of ratios, or `None` if there are none.
pub(crate) fn geometric_mean(ratios: &[f64]) -> Option<f64> {
    let logs: f64 = ratios.iter().map(|r| r.ln()).sum();
    (!ratios.is_empty()).then(|| (logs / ratios.len() as f64).exp())
}

/// True if the circuit has neither constraints nor open resets.
fn is_simple(file: &Path) -> bool {
    let Ok(bytes) = std::fs::read(file) else { return false };
    let source = formats::Source { name: file.display().to_string(), bytes };
    let Ok(read) = readers::read(source, None, &formats::Limits::default()) else { return false };
    let SystemModel::Circuit(circuit) = read.problem.system() else { return false };
    circuit.constraints().is_empty() && circuit.latches().iter().all(|latch| latch.reset != Reset::Open)
}

/// Describes the limits. All parts use `--timeout` as seconds of CPU time.
pub(crate) fn limits_of(bench: &Bench) -> String {
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
    fn exit_codes_of_ric3_are_answers() {
        let said = |script: &str| {
            let mut program = Command::new("sh");
            program.args(["-c", script]);
            of_ric3(&process::run(&mut program, runner().limits()).expect("sh runs"))
        };
        assert_eq!((said("exit 20"), said("exit 10")), (Said::Safe, Said::Unsafe));
        assert_eq!(said("exit 0"), Said::Nothing("unknown".to_owned()));
        assert_eq!(said("echo panicked >&2; exit 101"), Said::Failed("panicked".to_owned()));
        let vacuous = said("echo 'warning: no property to be checked'; exit 20");
        assert_eq!(vacuous, Said::Failed("no bad state".to_owned()));
    }

    #[test]
    fn means_are_geometric() {
        let mean = geometric_mean(&[0.5, 2.0, 1.0]).expect("there are some");
        assert!((mean - 1.0).abs() < 1e-9, "{mean}");
        assert_eq!(geometric_mean(&[]), None);
    }
}
