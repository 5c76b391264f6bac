//! The solvers: their command lines and their output.

use super::instance::Instance;
use super::techniques::Technique;
use crate::process::{Finished, Killed};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A SAT solver as a command.
#[derive(Clone, Debug)]
pub(crate) enum Solver {
    /// The `impasse` at this path.
    Ours(PathBuf),
    Minisat,
    Cadical,
    Kissat,
    /// Our solver in a process of this runner, without a technique.
    Without(&'static Technique),
}

/// The unchecked answer of a solver.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Said {
    /// Satisfiable; these literals are true in the model.
    Sat(Vec<i32>),
    Unsat,
    /// No answer within the limits.
    Nothing,
    /// Unusable output.
    Nonsense(String),
}

/// The counters of a solver, if it prints them.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) conflicts: Option<u64>,
    pub(crate) propagations: Option<u64>,
}

/// Ratio of our wall-clock limit to the CPU time that is granted, for runs on a busy machine.
pub(crate) const PATIENCE: u32 = 6;

/// Conventional exit codes of SAT solvers.
pub(super) const SATISFIABLE: i32 = 10;
pub(super) const UNSATISFIABLE: i32 = 20;

impl Solver {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Solver::Ours(_) => "impasse",
            Solver::Minisat => "minisat",
            Solver::Cadical => "cadical",
            Solver::Kissat => "kissat",
            Solver::Without(technique) => technique.name,
        }
    }

    fn program(&self) -> PathBuf {
        match self {
            Solver::Ours(path) => path.clone(),
            Solver::Without(_) => std::env::current_exe().unwrap_or_default(),
            other => PathBuf::from(other.name()),
        }
    }

    /// True if the solver can be started.
    pub(crate) fn is_installed(&self) -> bool {
        Command::new(self.program()).arg("--help").output().is_ok()
    }

    /// Returns the version of the solver: the version that the solver prints, the version of its package, or
    /// both.
    pub(crate) fn version(&self) -> String {
        let line = |command: &mut Command| {
            let output = command.output().ok().filter(|o| o.status.success())?;
            let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
            (!text.is_empty() && !text.contains('\n')).then_some(text)
        };
        let package = ["-W", "-f", "Debian ${Version}"];
        let packaged = || line(Command::new("dpkg-query").args(package).arg(self.name()));
        let own = || line(Command::new(self.program()).arg("--version"));
        let both: Vec<String> = match self {
            Solver::Ours(_) | Solver::Without(_) => own().into_iter().collect(),
            Solver::Minisat => packaged().into_iter().collect(),
            Solver::Cadical | Solver::Kissat => own().into_iter().chain(packaged()).collect(),
        };
        if both.is_empty() { "version unknown".to_owned() } else { both.join(", ") }
    }

    /// Returns the command that solves `instance` on one core. `result` is a file for the output.
    pub(crate) fn command(&self, instance: &Instance, timeout: Duration, memory: u64, result: &Path) -> Command {
        let mut command = Command::new(self.program());
        // Peers accept whole seconds only.
        let seconds = timeout.as_secs_f64().ceil().to_string();
        if let Solver::Ours(_) | Solver::Without(_) = self {
            // Our solver has no limit of its own for CPU time.
            command = Command::new("sh");
            command.args(["-c", &format!("ulimit -S -t {seconds}; exec \"$0\" \"$@\"")]).arg(self.program());
        }
        match self {
            Solver::Ours(_) => {
                let timeout = format!("{}ms", (timeout * PATIENCE).as_millis());
                command.arg("sat").arg(&instance.path).args(["--verbose", "--progress", "never"]);
                command.args(["--timeout", &timeout, "--memory", &memory.to_string()]);
            }
            Solver::Minisat => {
                command.arg(format!("-cpu-lim={seconds}")).arg(&instance.path).arg(result);
            }
            Solver::Cadical => {
                command.args(["-t", &seconds]).arg(&instance.path);
            }
            Solver::Kissat => {
                command.arg(format!("--time={seconds}")).arg(&instance.path);
            }
            Solver::Without(technique) => {
                command.arg("solve").arg(&instance.path).args(["--without", technique.name]);
            }
        }
        command
    }

    /// Returns the answer of a run.
    pub(crate) fn said(&self, run: &Finished, result: &Path) -> Said {
        match (run.killed, run.code) {
            (Some(Killed::TooLong), _) => Said::Nothing,
            (Some(Killed::TooBig), _) if matches!(self, Solver::Without(_)) => Said::Nothing,
            (Some(Killed::TooBig), _) => Said::Nonsense("killed: far beyond its memory limit".to_owned()),
            (None, Some(SATISFIABLE)) => match self.model(run, result) {
                Ok(model) => Said::Sat(model),
                Err(error) => Said::Nonsense(error.to_string()),
            },
            (None, Some(UNSATISFIABLE)) => Said::Unsat,
            (None, Some(0)) => Said::Nothing,
            (None, code) => {
                Said::Nonsense(format!("exit {code:?}: {}", run.stderr.lines().next_back().unwrap_or_default()))
            }
        }
    }

    fn model(&self, run: &Finished, result: &Path) -> io::Result<Vec<i32>> {
        let text = match self {
            Solver::Minisat => std::fs::read_to_string(result)?.lines().skip(1).collect::<Vec<_>>().join(" "),
            _ => run.stdout.lines().filter_map(|l| l.strip_prefix('v')).collect::<Vec<_>>().join(" "),
        };
        let literals: Result<Vec<i32>, _> = text.split_whitespace().map(str::parse).collect();
        literals.map_err(|e| io::Error::other(format!("unreadable model: {e}")))
    }

    /// Returns the counters of a run.
    pub(crate) fn counts(&self, run: &Finished) -> Counts {
        let text = match self {
            Solver::Ours(_) | Solver::Without(_) => &run.stderr,
            _ => &run.stdout,
        };
        Counts { conflicts: number_after(text, "conflicts"), propagations: number_after(text, "propagations") }
    }
}

/// Returns the number in `name: 12` or `name   : 12`, after the last such name.
pub(crate) fn number_after(text: &str, name: &str) -> Option<u64> {
    let numbers = text.match_indices(name).filter_map(|(at, _)| {
        let rest = text[at + name.len()..].trim_start().strip_prefix(':')?.trim_start();
        rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())].parse().ok()
    });
    numbers.last()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A run with this exit code and this output.
    pub(crate) fn run(code: i32, stdout: &str, stderr: &str, cpu: f64) -> Finished {
        let (stdout, stderr) = (stdout.to_owned(), stderr.to_owned());
        Finished { code: Some(code), killed: None, stdout, stderr, cpu, wall: cpu, peak: 1 }
    }

    #[test]
    fn counts_are_found_in_every_dialect() {
        assert_eq!(number_after("Stats { decisions: 7, conflicts: 12, learnt: 3 }", "conflicts"), Some(12));
        assert_eq!(number_after("conflicts             : 4071           (91 /sec)", "conflicts"), Some(4071));
        assert_eq!(number_after("c conflicts:           99   1.0 per second", "conflicts"), Some(99));
        assert_eq!(number_after("no conflicts here: 5", "conflicts"), None);
    }

    #[test]
    fn models_are_read_in_both_dialects() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let result = folder.path().join("result");
        std::fs::write(&result, "SAT\n1 -2 3 0\n").expect("written");
        let said = Solver::Minisat.said(&run(10, "", "", 0.1), &result);
        assert_eq!(said, Said::Sat(vec![1, -2, 3, 0]));
        let said = Solver::Cadical.said(&run(10, "c x\ns SATISFIABLE\nv 1 -2\nv 3 0\n", "", 0.1), &result);
        assert_eq!(said, Said::Sat(vec![1, -2, 3, 0]));
    }

    #[test]
    fn exit_codes_tell_the_rest() {
        let said = |code| Solver::Cadical.said(&run(code, "", "oops", 0.1), Path::new("none"));
        assert_eq!((said(20), said(0)), (Said::Unsat, Said::Nothing));
        assert!(matches!(said(70), Said::Nonsense(why) if why.contains("oops")));
    }
}
