//! The techniques for single formulas, left out one at a time (`impasse-bench sat --techniques`). The runner starts
//! itself again (the hidden command `solve`), so that each run is a separate process.
//!
//! Some techniques rest on others: without stable mode, there are no target phases; without target phases, rephasing
//! has no best assignment; without rephasing, there is local search only before the first decision.

use super::compare::{Bench, Run};
use super::instance::{self, Instance, Truth};
use super::shuffle::COPY;
use super::solvers::Solver;
use crate::args::SolveArgs;
use crate::publish::section;
use crate::table::{Table, optional};
use crate::units;
use model::cnf::Cnf;
use sat::{DecidedBy, Limits, Lit, Modes, Options, SolveResult, Tag, Var};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::process::exit;

/// CPU seconds, with all techniques, of the formulas that are measured. Shorter runs mostly show the start of a
/// process, and longer ones cost too much.
const MEASURED: RangeInclusive<f64> = 0.1..=3.0;

/// A technique that can be left out.
#[derive(Debug)]
pub(crate) struct Technique {
    /// The name of the solver without it.
    pub(crate) name: &'static str,
    leave_out: fn(&mut Options),
}

/// All techniques. The first row leaves out none: the others are compared with it.
pub(crate) const ALL: &[Technique] = &[
    Technique { name: "all techniques", leave_out: |_| {} },
    Technique { name: "shrinking of learnt clauses", leave_out: |options| options.shrink = false },
    Technique { name: "shortening by binary clauses", leave_out: |options| options.strengthen = false },
    Technique { name: "eager subsumption", leave_out: |options| options.subsume_eagerly = false },
    Technique { name: "bumping of reasons", leave_out: |options| options.bump_reasons = false },
    Technique { name: "stable mode", leave_out: |options| options.modes = Modes::Focused },
    Technique { name: "focused mode", leave_out: |options| options.modes = Modes::Stable },
    Technique { name: "target phases", leave_out: |options| options.target_phases = false },
    Technique { name: "rephasing", leave_out: |options| options.rephase_interval = 0 },
    Technique { name: "local search", leave_out: |options| options.walk = false },
    Technique { name: "variable elimination", leave_out: |options| options.eliminate = false },
    Technique { name: "probing", leave_out: |options| options.probe = false },
    Technique { name: "equivalent literals", leave_out: |options| options.equivalent = false },
    Technique { name: "vivification", leave_out: |options| options.vivify = false },
    Technique { name: "subsumption", leave_out: |options| options.subsume = false },
];

/// Runs the hidden command: decides a formula. Prints and exits like other solvers.
///
/// # Errors
///
/// If the technique is not known, or the file is not a formula.
pub(crate) fn run(args: &SolveArgs) -> io::Result<()> {
    let name = args.without.as_deref().unwrap_or(ALL[0].name);
    let technique = ALL.iter().find(|technique| technique.name == name);
    let technique = technique.ok_or_else(|| io::Error::other(format!("no technique is named `{name}`")))?;
    let cnf = instance::read(&args.file)?;
    let (answer, solver) = solved(technique, &cnf, &Limits::default());
    writeln!(io::stderr(), "{:?}", solver.stats())?;
    match answer {
        SolveResult::Sat => {
            let number = |at: usize| i32::try_from(at + 1).unwrap_or(i32::MAX);
            let is_true = |at: usize| solver.value(Var::new(at).positive()) == Some(true);
            let model = (0..cnf.vars as usize).map(|at| if is_true(at) { number(at) } else { -number(at) });
            let line = model.fold(String::from("v"), |line, literal| format!("{line} {literal}"));
            writeln!(io::stdout(), "s SATISFIABLE\n{line} 0")?;
            exit(super::solvers::SATISFIABLE);
        }
        SolveResult::Unsat => {
            writeln!(io::stdout(), "s UNSATISFIABLE")?;
            exit(super::solvers::UNSATISFIABLE);
        }
        SolveResult::Unknown | SolveResult::Stopped => Ok(()),
    }
}

/// Runs a solver without a technique.
fn solved(technique: &Technique, cnf: &Cnf, limits: &Limits) -> (SolveResult, sat::Solver) {
    let mut options = Options::for_one_formula();
    (technique.leave_out)(&mut options);
    let mut solver = sat::Solver::new(options);
    let vars: Vec<Var> = (0..cnf.vars).map(|_| solver.new_var(DecidedBy::Host)).collect();
    let literal = |number: &i32| {
        let var = vars[number.unsigned_abs() as usize - 1];
        if *number > 0 { var.positive() } else { var.negative() }
    };
    for clause in &cnf.clauses {
        solver.add_clause(Tag(0), &clause.iter().map(literal).collect::<Vec<Lit>>());
    }
    (solver.solve_within(&[], limits), solver)
}

/// Measures each technique on the formulas that are decided with all of them in a time that is worth measuring. These
/// are found by a run beforehand. Then the solvers take turns, with all techniques and without each. Adds the table to
/// `text`.
///
/// # Errors
///
/// If a solver cannot be run.
pub(super) fn measure(bench: &Bench, title: &str, all: Vec<Instance>, text: &mut String) -> io::Result<Vec<Run>> {
    let before = Bench { solvers: vec![Solver::Without(&ALL[0])], repeat: 1, ..bench.clone() }.all(&all)?;
    let chosen = chosen(&all, &before);
    let runs = bench.all(&chosen)?;
    section(text, &format!("Techniques left out, {title}"), &table(&runs, bench.timeout.as_secs_f64()));
    let _ = writeln!(
        text,
        "{} of {} formulas: those that take {} to {} s with all techniques. CPU time without the technique over the \
         time with it, geometric means; a run without an answer counts with the limit, {} s. The choice favours \
         formulas on which the solver with all techniques is lucky, so ratios of satisfiable ones are too high.\n",
        chosen.len(),
        all.len(),
        MEASURED.start(),
        MEASURED.end(),
        bench.timeout.as_secs_f64(),
    );
    Ok(runs)
}

/// Returns the formulas that are worth measuring. Of shuffled copies, either all are or none is: their median decides.
fn chosen(all: &[Instance], before: &[Run]) -> Vec<Instance> {
    let formula = |name: &str| name.split(COPY).next().unwrap_or_default().to_owned();
    let mut seconds: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for run in before {
        seconds.entry(formula(&run.instance)).or_default().push(if run.is_solved() { run.cpu } else { f64::MAX });
    }
    let is_chosen = |instance: &&Instance| {
        let times = seconds.get(&formula(&instance.name)).into_iter().flatten().copied();
        units::median(times).is_some_and(|median| MEASURED.contains(&median))
    };
    all.iter().filter(is_chosen).cloned().collect()
}

/// Returns a row for each technique: the formulas solved without it, and the ratios on satisfiable and on unsatisfiable
/// ones.
fn table(runs: &[Run], limit: f64) -> Table {
    let mut table = Table::new(&["left out", "solved", "on UNSAT", "on SAT", "highest ratios"]);
    let seconds = |run: &Run| if run.is_solved() { run.cpu } else { limit };
    for technique in ALL {
        let own = || runs.iter().filter(|run| run.solver == technique.name);
        let with = |part: &Run| runs.iter().find(|run| run.instance == part.instance && run.solver == ALL[0].name);
        let ratio =
            |part| with(part).map(|run| (&*part.instance, run.truth.or(part.truth), seconds(part) / seconds(run)));
        let mut ratios: Vec<(&str, Option<Truth>, f64)> = own().filter_map(ratio).collect();
        ratios.sort_by(|a, b| b.2.total_cmp(&a.2));
        let mean = |truth: Truth| {
            let of = ratios.iter().filter(|ratio| ratio.1 == Some(truth)).map(|ratio| ratio.2);
            optional(units::geometric_mean(of), |mean| format!("{mean:.2}"))
        };
        let highest: Vec<String> = ratios.iter().take(3).map(|(name, _, ratio)| format!("{name} {ratio:.1}")).collect();
        table.push(vec![
            technique.name.to_owned(),
            own().filter(|part| part.is_solved()).count().to_string(),
            mean(Truth::Unsat),
            mean(Truth::Sat),
            highest.join(", "),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::super::compare::tests::run;
    use super::super::generated;
    use super::*;
    use testkit::Random;

    /// Random clauses of three literals.
    fn uniform() -> Cnf {
        let mut random = Random::new(1);
        let mut literal = |_| (1 + random.below(100) as i32) * if random.chance(50) { 1 } else { -1 };
        Cnf { vars: 100, clauses: (0..430).map(|_| (0..3).map(&mut literal).collect()).collect() }
    }

    #[test]
    fn each_technique_changes_the_search() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let is_small = |name: &str| ["hash-16-8", "queues-7-14"].contains(&name);
        let all = generated::write(folder.path(), generated::FIRST, &is_small).expect("written");
        let mut formulas: Vec<Cnf> = all.iter().map(|of| instance::read(&of.path).expect("readable")).collect();
        assert_eq!(formulas.len(), 2);
        formulas.push(uniform());
        let limits = Limits { conflicts: Some(7_000), stop: None };
        let stats = |technique: &Technique, cnf: &Cnf| *solved(technique, cnf, &limits).1.stats();
        let whole: Vec<_> = formulas.iter().map(|cnf| stats(&ALL[0], cnf)).collect();
        for technique in &ALL[1..] {
            let differs = formulas.iter().zip(&whole).any(|(cnf, whole)| stats(technique, cnf) != *whole);
            assert!(differs, "{}", technique.name);
        }
    }

    #[test]
    fn ratios_are_times_without_over_times_with() {
        let mut runs = vec![run("a", ALL[0].name, Truth::Sat, 1.0), run("b", ALL[0].name, Truth::Unsat, 2.0)];
        runs.extend([run("a", ALL[1].name, Truth::Sat, 2.0), run("b", ALL[1].name, Truth::Unsat, 1.0)]);
        assert!(table(&runs, 8.0).markdown().contains("| 2 | 0.50 | 2.00 | a 2.0, b 0.5 |"));
        runs[3].status = crate::judge::Status::Timeout;
        assert!(table(&runs, 8.0).markdown().contains("| 1 | 4.00 | 2.00 | b 4.0, a 2.0 |"));
    }

    #[test]
    fn copies_are_chosen_together() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let put = |name| instance::put(folder.path(), name, &uniform(), None).expect("written");
        let all = ["a~1", "a~2", "a~3", "b", "c"].map(put);
        let times = [0.2, 9.0, 0.4, 4.0, 1.0];
        let before: Vec<Run> =
            all.iter().zip(times).map(|(of, cpu)| run(&of.name, ALL[0].name, Truth::Sat, cpu)).collect();
        let names: Vec<String> = chosen(&all, &before).into_iter().map(|of| of.name).collect();
        assert_eq!(names, ["a~1", "a~2", "a~3", "c"]);
    }
}
