//! Tables about solvers on formulas.

use super::compare::Run;
use super::instance::Instance;
use super::solvers::Solver;
use crate::args::SatArgs;
use crate::table::{Table, optional};
use crate::units;

/// Seconds to which shorter times are raised in ratios. Shorter times mostly show the cost of starting a
/// process and reading a file.
const SHORTEST: f64 = 0.05;

/// Seconds within which every formula should be solved.
const GOAL: f64 = 15.0;

/// Number of worst formulas that are listed.
const WORST: usize = 5;

pub(crate) fn versions(present: &[Solver], missing: &[Solver]) -> String {
    let own = present.iter().map(|s| format!("* {}: {}\n", s.name(), s.version()));
    let none = missing.iter().map(|s| format!("* {}: peer not installed\n", s.name()));
    own.chain(none).collect::<String>() + "\n"
}

/// Returns the ratio of our time to the peer's on one formula. A run without an answer counts with its whole
/// time.
fn ratio(ours: &Run, theirs: &Run) -> f64 {
    ours.cpu.max(SHORTEST) / theirs.cpu.max(SHORTEST)
}

fn run_of<'a>(runs: &'a [Run], instance: &Instance, solver: &Solver) -> Option<&'a Run> {
    runs.iter().find(|r| r.instance == instance.name && r.solver == solver.name())
}

pub(crate) fn by_instance(all: &[Instance], solvers: &[Solver], runs: &[Run]) -> Table {
    let mut head = vec!["formula".to_owned(), "truth".to_owned(), "variables".to_owned(), "clauses".to_owned()];
    head.extend(solvers.iter().map(|s| format!("{} CPU s", s.name())));
    head.extend(solvers.iter().skip(1).map(|s| format!("impasse over {}", s.name())));
    head.extend(solvers.iter().map(|s| format!("{} conflicts", s.name())));
    head.extend(solvers.iter().map(|s| format!("{} propagations/s", s.name())));
    let mut table = Table::new(&head.iter().map(String::as_str).collect::<Vec<_>>());
    for instance in all {
        let own: Vec<Option<&Run>> = solvers.iter().map(|s| run_of(runs, instance, s)).collect();
        let truth = instance.truth.or_else(|| own.iter().flatten().find_map(|r| r.truth));
        let mut row = vec![
            instance.name.clone(),
            optional(truth, |t| t.word().to_owned()),
            instance.vars.to_string(),
            instance.clauses.to_string(),
        ];
        row.extend(own.iter().map(|r| optional(*r, seconds)));
        row.extend(own.iter().skip(1).map(|r| optional(own[0].zip(*r), |(o, t)| format!("{:.2}", ratio(o, t)))));
        row.extend(own.iter().map(|r| optional(r.and_then(|r| r.counts.conflicts), |n| units::short(n as f64))));
        row.extend(own.iter().map(|r| optional(r.and_then(propagation_rate), units::short)));
        table.push(row);
    }
    table
}

fn seconds(run: &Run) -> String {
    if run.is_solved() { units::seconds(run.cpu) } else { format!("{} {}", units::seconds(run.cpu), run.status) }
}

fn propagation_rate(run: &Run) -> Option<f64> {
    units::rate(run.counts.propagations?, run.cpu)
}

/// Returns the totals, solver by solver.
pub(crate) fn totals(all: &[Instance], solvers: &[Solver], runs: &[Run]) -> Table {
    let mut table = Table::new(&[
        "solver",
        "solved",
        "within 15 s",
        "wrong",
        "total CPU s",
        "impasse over it, geometric mean",
        "on SAT",
        "on UNSAT",
        "highest ratios of impasse",
    ]);
    for solver in solvers {
        let own: Vec<(&Instance, &Run)> = all.iter().filter_map(|i| Some((i, run_of(runs, i, solver)?))).collect();
        let mut pairs: Vec<(&Instance, f64, Option<super::instance::Truth>)> = own
            .iter()
            .filter_map(|(i, theirs)| {
                let ours = run_of(runs, i, &solvers[0])?;
                Some((*i, ratio(ours, theirs), i.truth.or(theirs.truth).or(ours.truth)))
            })
            .collect();
        let mean = |word: Option<&str>| {
            let own = pairs.iter().filter(|p| word.is_none() || p.2.map(|t| t.word()) == word);
            optional(units::geometric_mean(own.map(|p| p.1)), |m| format!("{m:.3}"))
        };
        let means = [mean(None), mean(Some("SAT")), mean(Some("UNSAT"))];
        pairs.sort_by(|a, b| b.1.total_cmp(&a.1));
        let worst: Vec<String> = pairs.iter().take(WORST).map(|(i, r, _)| format!("{} {r:.2}", i.name)).collect();
        let [mean, on_sat, on_unsat] = means;
        table.push(vec![
            solver.name().to_owned(),
            own.iter().filter(|(_, r)| r.is_solved()).count().to_string(),
            own.iter().filter(|(_, r)| r.is_solved() && r.cpu <= GOAL).count().to_string(),
            own.iter().filter(|(_, r)| r.is_wrong()).count().to_string(),
            units::seconds(own.iter().map(|(_, r)| r.cpu).sum()),
            mean,
            on_sat,
            on_unsat,
            worst.join(", "),
        ]);
    }
    table
}

pub(crate) fn note(args: &SatArgs) -> String {
    format!(
        "CPU seconds of whole processes (user and system), {}, limit {} s. Solvers take turns on each formula. \
         In ratios times below {SHORTEST} s count as {SHORTEST} s, and runs without an answer count with their \
         time.\n\n",
        if args.repeat > 1 { format!("medians of {} runs", args.repeat) } else { "one run".to_owned() },
        args.timeout.as_secs_f64(),
    )
}

pub(crate) fn wrongs(runs: &[Run]) -> Table {
    let mut table = Table::new(&["formula", "solver", "status"]);
    for run in runs.iter().filter(|r| r.is_wrong()) {
        table.push(vec![run.instance.clone(), run.solver.to_owned(), run.status.to_string()]);
    }
    table
}

pub(crate) fn csv(runs: &[Run]) -> Table {
    let mut table = Table::new(&[
        "formula",
        "solver",
        "status",
        "detail",
        "truth",
        "cpu_seconds",
        "wall_seconds",
        "peak_bytes",
        "conflicts",
        "propagations",
    ]);
    for run in runs {
        table.push(vec![
            run.instance.clone(),
            run.solver.to_owned(),
            run.status.word().to_owned(),
            run.status.detail().to_owned(),
            optional(run.truth, |t| t.word().to_owned()),
            format!("{:.4}", run.cpu),
            format!("{:.4}", run.wall),
            run.peak.to_string(),
            optional(run.counts.conflicts, |n| n.to_string()),
            optional(run.counts.propagations, |n| n.to_string()),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::super::compare::tests::run;
    use super::super::instance::Truth;
    use super::*;
    use std::path::PathBuf;

    fn instance(name: &str, truth: Truth) -> Instance {
        let path = PathBuf::new();
        Instance { name: name.to_owned(), path, truth: Some(truth), vars: 1, clauses: 2, minisat_seconds: None }
    }

    #[test]
    fn ratios_do_not_care_about_blinks() {
        let all = [instance("a", Truth::Sat), instance("b", Truth::Unsat)];
        let solvers = [Solver::Ours(PathBuf::new()), Solver::Minisat];
        let runs = [
            run("a", "impasse", Truth::Sat, 0.001),
            run("a", "minisat", Truth::Sat, 0.04),
            run("b", "impasse", Truth::Unsat, 4.0),
            run("b", "minisat", Truth::Unsat, 1.0),
        ];
        let text = totals(&all, &solvers, &runs).markdown();
        assert!(text.contains("| 2.000 | 1.000 | 4.000 | b 4.00, a 1.00 |"), "{text}");
        let text = by_instance(&all, &solvers, &runs).markdown();
        assert!(text.contains("| 4.000 | 1.000 | 4.00 |"), "{text}");
    }
}
