//! Comparison of all solvers on all formulas, in turns, with a check that their answers are possible.

use super::instance::{self, Instance, Truth};
use super::solvers::{Counts, Said, Solver};
use crate::judge::Status;
use crate::process::{self, Limits};
use crate::units;
use std::io::{self, Write};
use std::time::Duration;

/// Settings of the runs.
#[derive(Clone, Debug)]
pub(crate) struct Bench {
    /// The solvers in the order in which they take turns.
    pub(crate) solvers: Vec<Solver>,
    pub(crate) timeout: Duration,
    pub(crate) memory: u64,
    /// Limits for solvers that ignore their own.
    pub(crate) limits: Limits,
    pub(crate) repeat: u32,
}

/// One solver on one formula: medians over the repetitions, and the worst of their statuses.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) instance: String,
    /// The solver, and its options if they are unusual.
    pub(crate) solver: &'static str,
    pub(crate) status: Status,
    /// The answer, unless it is known to be wrong.
    pub(crate) truth: Option<Truth>,
    /// Seconds.
    pub(crate) cpu: f64,
    pub(crate) wall: f64,
    /// Bytes.
    pub(crate) peak: u64,
    pub(crate) counts: Counts,
}

impl Run {
    pub(crate) fn is_wrong(&self) -> bool {
        matches!(self.status, Status::Wrong(_) | Status::Crash(_))
    }

    pub(crate) fn is_solved(&self) -> bool {
        self.status == Status::Ok
    }
}

impl Bench {
    /// Runs every solver on every formula. Returns one row for each pair.
    pub(crate) fn all(&self, all: &[Instance]) -> io::Result<Vec<Run>> {
        let mut runs = Vec::new();
        for (i, instance) in all.iter().enumerate() {
            let own = self.one(instance)?;
            let cell = |r: &Run| match &r.status {
                Status::Ok => format!("{} {}", r.solver, units::seconds(r.cpu)),
                other => format!("{} {other}", r.solver),
            };
            let cells: Vec<String> = own.iter().map(cell).collect();
            // Failure to write the progress line is ignored.
            let _ = writeln!(io::stderr(), "[{}/{}] {}: {}", i + 1, all.len(), instance.name, cells.join(", "));
            runs.extend(own);
        }
        Ok(runs)
    }

    fn one(&self, instance: &Instance) -> io::Result<Vec<Run>> {
        let mut runs: Vec<Vec<Run>> = self.solvers.iter().map(|_| Vec::new()).collect();
        for _ in 0..self.repeat {
            for (solver, runs) in self.solvers.iter().zip(&mut runs) {
                runs.push(self.once(solver, instance)?);
            }
        }
        let mut rows: Vec<Run> = runs.into_iter().filter_map(middle).collect();
        settle_disagreements(&mut rows);
        Ok(rows)
    }

    fn once(&self, solver: &Solver, instance: &Instance) -> io::Result<Run> {
        let result = tempfile::NamedTempFile::new()?;
        let mut command = solver.command(instance, self.timeout, self.memory, result.path());
        let run = process::run(&mut command, self.limits)?;
        let said = solver.said(&run, result.path());
        let (status, truth) = match judge(instance, &said)? {
            (Status::Ok, _) if run.cpu > self.timeout.as_secs_f64() => (Status::Timeout, None),
            judged => judged,
        };
        let counts = solver.counts(&run);
        let (cpu, wall, peak) = (run.cpu, run.wall, run.peak);
        Ok(Run { instance: instance.name.clone(), solver: solver.name(), status, truth, cpu, wall, peak, counts })
    }
}

/// Returns medians and the worst status.
pub(crate) fn middle(runs: Vec<Run>) -> Option<Run> {
    let median = |value: fn(&Run) -> f64| units::median(runs.iter().map(value)).unwrap_or(0.0);
    let (cpu, wall) = (median(|r| r.cpu), median(|r| r.wall));
    let peak = runs.iter().map(|r| r.peak).max()?;
    let worst = runs.into_iter().reduce(|worst, next| if next.status > worst.status { next } else { worst })?;
    Some(Run { cpu, wall, peak, ..worst })
}

/// Checks whether the answer of a solver agrees with what is known. Models are checked against the formula.
pub(crate) fn judge(instance: &Instance, said: &Said) -> io::Result<(Status, Option<Truth>)> {
    let truth = match said {
        Said::Nothing => return Ok((Status::Timeout, None)),
        Said::Nonsense(why) => return Ok((Status::Crash(why.clone()), None)),
        Said::Unsat => Truth::Unsat,
        Said::Sat(model) => {
            if let Some(clause) = instance::violated(&instance::read(&instance.path)?, model) {
                return Ok((Status::Wrong(format!("its model violates clause {clause}")), None));
            }
            Truth::Sat
        }
    };
    if instance.truth.is_some_and(|known| known != truth) {
        return Ok((Status::Wrong(format!("says {}", truth.word())), None));
    }
    Ok((Status::Ok, Some(truth)))
}

/// If one solver has given a model that was checked, the formula is satisfiable. So this marks the solvers that
/// report UNSAT as wrong.
fn settle_disagreements(rows: &mut [Run]) {
    let Some(witness) = rows.iter().find(|r| r.truth == Some(Truth::Sat)).map(|r| r.solver) else { return };
    for row in rows.iter_mut().filter(|r| r.truth == Some(Truth::Unsat)) {
        row.status = Status::Wrong(format!("says UNSAT, but {witness} has a model"));
        row.truth = None;
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use model::cnf::Cnf;

    /// A solved run.
    pub(crate) fn run(instance: &str, solver: &'static str, truth: Truth, cpu: f64) -> Run {
        Run {
            instance: instance.to_owned(),
            solver,
            status: Status::Ok,
            truth: Some(truth),
            cpu,
            wall: cpu,
            peak: 1,
            counts: Counts::default(),
        }
    }

    #[test]
    fn answers_are_compared_with_what_is_known() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let cnf = Cnf { vars: 2, clauses: vec![vec![1, 2], vec![-1]] };
        let known = instance::put(folder.path(), "i", &cnf, Some(Truth::Sat)).expect("written");
        let unknown = Instance { truth: None, ..known.clone() };
        let word = |instance: &Instance, said: Said| judge(instance, &said).expect("readable").0.word();
        assert_eq!(word(&known, Said::Sat(vec![-1, 2])), "ok");
        assert_eq!(word(&unknown, Said::Sat(vec![1, 2])), "WRONG");
        assert_eq!(word(&known, Said::Unsat), "WRONG");
        assert_eq!(word(&unknown, Said::Unsat), "ok");
        assert_eq!(word(&known, Said::Nothing), "timeout");
        assert_eq!(word(&known, Said::Nonsense("?".to_owned())), "CRASH");
    }

    #[test]
    fn a_model_settles_disagreements() {
        let mut rows = [run("i", "a", Truth::Unsat, 1.0), run("i", "b", Truth::Sat, 1.0)];
        settle_disagreements(&mut rows);
        assert!(rows[0].is_wrong() && rows[1].is_solved());
    }

    #[test]
    fn repetitions_make_one_row() {
        let slow = Run { status: Status::Timeout, ..run("i", "a", Truth::Sat, 9.0) };
        let row = middle(vec![run("i", "a", Truth::Sat, 1.0), slow, run("i", "a", Truth::Sat, 2.0)]).expect("runs");
        assert_eq!(row.status, Status::Timeout);
        assert!((row.cpu - 2.0).abs() < 1e-9);
    }
}
