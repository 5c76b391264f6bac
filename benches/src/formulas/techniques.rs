//! The techniques for single formulas, left out one at a time (`impasse-bench sat --techniques`). The runner starts
//! itself again (the hidden command `solve`), so that each run is a separate process.

use super::compare::{Bench, Run};
use super::instance::{self, Instance, Truth};
use super::solvers::Solver;
use crate::args::SolveArgs;
use crate::publish::section;
use crate::table::{Table, optional};
use crate::units;
use sat::{DecidedBy, Limits, Lit, Modes, Options, SolveResult, Tag, Var};
use std::fmt::Write as _;
use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::process::exit;

/// CPU seconds, with all techniques, of the formulas that are measured. Shorter runs mostly show the start of a process,
/// and longer ones cost too much.
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
/// If the file is not a formula, or the technique is not known.
pub(crate) fn run(args: &SolveArgs) -> io::Result<()> {
    let cnf = instance::read(&args.file)?;
    let mut options = Options::for_one_formula();
    if let Some(name) = &args.without {
        let technique = ALL.iter().find(|technique| technique.name == name);
        (technique.ok_or_else(|| io::Error::other(format!("no technique is named {name}")))?.leave_out)(&mut options);
    }
    let mut solver = sat::Solver::new(options);
    let vars: Vec<Var> = (0..cnf.vars).map(|_| solver.new_var(DecidedBy::Host)).collect();
    let literal = |number: &i32| {
        let var = vars[number.unsigned_abs() as usize - 1];
        if *number > 0 { var.positive() } else { var.negative() }
    };
    for clause in &cnf.clauses {
        solver.add_clause(Tag(0), &clause.iter().map(literal).collect::<Vec<Lit>>());
    }
    let answer = solver.solve_within(&[], &Limits::default());
    writeln!(io::stderr(), "{:?}", solver.stats())?;
    match answer {
        SolveResult::Sat => {
            let number = |at: usize| i32::try_from(at + 1).unwrap_or(i32::MAX);
            let is_true = |var: &Var| solver.value(var.positive()) == Some(true);
            let model = vars.iter().enumerate().map(|(at, var)| if is_true(var) { number(at) } else { -number(at) });
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

/// Measures each technique on the formulas that are decided with all of them in a time that is worth measuring. Adds
/// the table to `text`.
///
/// # Errors
///
/// If a solver cannot be run.
pub(super) fn measure(bench: &Bench, title: &str, all: Vec<Instance>, text: &mut String) -> io::Result<Vec<Run>> {
    let (first, others) = bench.solvers.split_first().ok_or_else(|| io::Error::other("no techniques"))?;
    let whole = Bench { solvers: vec![first.clone()], ..bench.clone() }.all(&all)?;
    let is_measured = |run: &Run| run.is_solved() && MEASURED.contains(&run.cpu);
    let chosen: Vec<Instance> =
        all.iter().zip(&whole).filter(|(_, run)| is_measured(run)).map(|(instance, _)| instance.clone()).collect();
    let parts = Bench { solvers: others.to_vec(), ..bench.clone() }.all(&chosen)?;
    section(text, &format!("Techniques left out, {title}"), &table(&whole, &parts, others));
    let _ = writeln!(
        text,
        "{} of {} formulas: those that take {} to {} s with all techniques. CPU time without the technique over the \
         time with it, geometric means; runs without an answer in {} s count with their time.\n",
        chosen.len(),
        all.len(),
        MEASURED.start(),
        MEASURED.end(),
        bench.timeout.as_secs_f64(),
    );
    Ok(whole.into_iter().chain(parts).collect())
}

/// Returns a row for each technique: the formulas solved without it, and the ratios on satisfiable and on unsatisfiable
/// ones.
fn table(whole: &[Run], parts: &[Run], others: &[Solver]) -> Table {
    let mut table = Table::new(&["left out", "solved", "on UNSAT", "on SAT", "highest ratios"]);
    for solver in others {
        let own = || parts.iter().filter(|part| part.solver == solver.name());
        let with = |part: &Run| whole.iter().find(|run| run.instance == part.instance);
        let mut ratios: Vec<(&str, Option<Truth>, f64)> =
            own().filter_map(|part| with(part).map(|run| (&*part.instance, run.truth, part.cpu / run.cpu))).collect();
        ratios.sort_by(|a, b| b.2.total_cmp(&a.2));
        let mean = |truth: Truth| {
            let of = ratios.iter().filter(|ratio| ratio.1 == Some(truth)).map(|ratio| ratio.2);
            optional(units::geometric_mean(of), |mean| format!("{mean:.2}"))
        };
        let highest: Vec<String> = ratios.iter().take(3).map(|(name, _, ratio)| format!("{name} {ratio:.1}")).collect();
        table.push(vec![
            solver.name().to_owned(),
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
    use super::*;

    #[test]
    fn each_technique_changes_an_option() {
        for technique in &ALL[1..] {
            let mut options = Options::for_one_formula();
            (technique.leave_out)(&mut options);
            assert_ne!(options, Options::for_one_formula(), "{}", technique.name);
        }
    }

    #[test]
    fn ratios_are_times_without_over_times_with() {
        let whole = [run("a", ALL[0].name, Truth::Sat, 1.0), run("b", ALL[0].name, Truth::Unsat, 2.0)];
        let parts = [run("a", ALL[1].name, Truth::Sat, 2.0), run("b", ALL[1].name, Truth::Unsat, 1.0)];
        let text = table(&whole, &parts, &[Solver::Without(&ALL[1])]).markdown();
        assert!(text.contains("| 2 | 0.50 | 2.00 | a 2.0, b 0.5 |"), "{text}");
    }
}
